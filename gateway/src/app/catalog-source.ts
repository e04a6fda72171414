/**
 * Holds the current catalogue. It is read at the start, on SIGHUP and when the file changes; an invalid new file is
 * logged and rejected, and the old catalogue stays in use.
 */

import { unwatchFile, watchFile } from 'node:fs';
import type { Catalog } from '../catalog/catalog.ts';
import { type Database, DatabaseUnavailable } from '../database/database.ts';
import type { Running } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';
import { keepPriceSheet, keepProviderSheet } from '../metering/price-sheets.store.ts';
import type { Log } from '../telemetry/log.ts';
import { ConfigError } from '../yaml/config-error.ts';
import type { ConfigProblems } from '../yaml/config-problems.ts';
import type { Environment } from '../yaml/expand-text.ts';
import { MarkupWatch } from './markup-watch.ts';
import { readConfig } from './read-config.ts';

/** Polls the modification time, because file system notifications can get lost. */
const CHECK_MS = 1_000;

export interface CatalogSourceOptions {
  readonly file: string;
  readonly env: Environment;
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly onChange: (catalog: Catalog) => void;
}

export class CatalogSource implements Running {
  readonly #options: CatalogSourceOptions;
  readonly #markup: MarkupWatch;
  #current: Catalog | null = null;
  #readOnce: string | null = null;
  #stopRetry: (() => void) | null = null;
  /** The reload that was asked for last. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #reload = (): void => void this.runOnce().catch(() => undefined);

  constructor(options: CatalogSourceOptions) {
    this.#options = options;
    this.#markup = new MarkupWatch(options);
  }

  /** Rules of `prices.markup` that apply to nobody. */
  get unmatchedMarkup(): number {
    return this.#markup.unmatched;
  }

  get current(): Catalog {
    if (this.#current === null) throw new Error('the catalogue is used before it was read');
    return this.#current;
  }

  /** Reads the file for the first time. Throws if it is invalid. */
  async start(): Promise<void> {
    await this.#load();
    watchFile(this.#options.file, { interval: CHECK_MS, persistent: false }, this.#reload);
    process.on('SIGHUP', this.#reload);
  }

  stop(): void {
    this.#stopRetry?.();
    this.#markup.stop();
    unwatchFile(this.#options.file, this.#reload);
    process.off('SIGHUP', this.#reload);
  }

  /** Reads the file again. Returns whether it was valid. One after the other, so that the newest file wins. */
  runOnce(): Promise<boolean> {
    const turn = this.#turn.then(() => this.#loadAgain());
    this.#turn = turn;
    return turn;
  }

  async #loadAgain(): Promise<boolean> {
    const { log, file } = this.#options;
    try {
      const changed = await this.#load();
      if (changed) log.info('the configuration was reloaded', { file, models: this.current.models.size });
      return true;
    } catch (error) {
      // The file is valid and may not change again, so read it once more later.
      if (error instanceof DatabaseUnavailable) {
        this.#stopRetry?.();
        this.#stopRetry = this.#options.clock.after(CHECK_MS, this.#reload);
      }
      log.error('the new configuration is invalid; the old one stays in use', {
        file,
        reason: (error as Error).message,
      });
      return false;
    }
  }

  async #load(): Promise<boolean> {
    const { file, env, db, clock, log, onChange } = this.#options;
    const { content, catalog, problems } = readConfig(file, env);
    const rest = JSON.stringify([
      content.server,
      content.database,
      content.redis,
      content.s3,
      content.limits,
      content.retention,
      content.sign_in,
    ]);
    if (this.#readOnce !== null && this.#readOnce !== rest) {
      log.warn(
        'server, database, redis, s3, limits, retention and sign_in take effect at the next start only',
        {
          file,
        },
      );
    }
    this.#readOnce ??= rest;
    await freezePrices(catalog, { db, clock }, problems);
    problems.throwAny(file);
    await this.#markup.begin({ content, problems, file });
    const changed = this.#current !== null;
    this.#current = catalog;
    onChange(catalog);
    return changed;
  }
}

/** A price version with changed prices would make old receipts wrong. */
async function freezePrices(
  { priceSheet, providerSheet }: Catalog,
  { db, clock }: { db: Database; clock: Clock },
  problems: ConfigProblems,
): Promise<void> {
  const [changed] = await keepPriceSheet(db, priceSheet, clock.now());
  if (changed !== undefined) problems.add(usedVersion('prices', priceSheet.version, changed));
  // What a rejected file says about providers must not become a used version.
  if (providerSheet === null || changed !== undefined) return;
  const [billed] = await keepProviderSheet(db, providerSheet, clock.now());
  if (billed !== undefined) problems.add(usedVersion('provider_prices', providerSheet.version, billed));
}

function usedVersion(sheet: string, version: string, model: string): ConfigError {
  return ConfigError.at(
    `${sheet}.version`,
    `${JSON.stringify(version)} was already used with other prices for ${model}; ` +
      'give the changed prices a new version',
  );
}
