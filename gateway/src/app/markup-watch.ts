/**
 * Warns about markup that applies to nobody, and looks again until its space or key exists. It stops no server, because
 * a space may be created later, and all processes must charge the same, whichever of them read the file last.
 */

import type { ConfigFile } from '../config/config-shape.ts';
import type { Database } from '../database/database.ts';
import { MINUTE_MS } from '../kernel/durations.ts';
import type { Clock } from '../kernel/time.ts';
import type { Log } from '../telemetry/log.ts';
import { type ConfigError, placedText } from '../yaml/config-error.ts';
import type { ConfigProblems } from '../yaml/config-problems.ts';
import { readCallers, unknownInMarkup } from './check-markup.ts';

interface WatchedConfig {
  readonly content: ConfigFile;
  /** Finds the lines of fields in the file. */
  readonly problems: ConfigProblems;
  readonly file: string;
}

export class MarkupWatch {
  readonly #tools: { readonly db: Database; readonly clock: Clock; readonly log: Log };
  #unmatched = 0;
  #stopWaiting: (() => void) | null = null;

  constructor(tools: { db: Database; clock: Clock; log: Log }) {
    this.#tools = tools;
  }

  /** How many rules apply to nobody. */
  get unmatched(): number {
    return this.#unmatched;
  }

  /** Looks at a configuration that comes into use. */
  async begin(config: WatchedConfig): Promise<void> {
    const { db, log } = this.#tools;
    const found = await unknownInMarkup(config.content, (keys) => readCallers(db, keys));
    for (const error of found)
      log.warn('a markup applies to nobody, because its space or key does not exist', {
        reason: reasonOf(error, config),
      });
    this.#follow(found.length, config.content);
  }

  stop(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = null;
  }

  #follow(unmatched: number, content: ConfigFile): void {
    this.stop();
    this.#unmatched = unmatched;
    if (unmatched === 0) return;
    this.#stopWaiting = this.#tools.clock.after(MINUTE_MS, () => {
      const again = unknownInMarkup(content, (keys) => readCallers(this.#tools.db, keys));
      const waiting = this.#stopWaiting;
      again.then(
        (found) => {
          // Stopped, or another configuration came into use.
          if (this.#stopWaiting !== waiting) return;
          if (found.length < unmatched)
            this.#tools.log.info('a markup applies now, because its space or key exists', {
              unmatched: found.length,
            });
          this.#follow(found.length, content);
        },
        () => this.#stopWaiting === waiting && this.#follow(unmatched, content),
      );
    });
  }
}

function reasonOf(error: ConfigError, { problems, file }: WatchedConfig): string {
  return problems
    .placed(error)
    .map((problem) => placedText(problem, file))
    .join('\n');
}
