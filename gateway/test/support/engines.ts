/** The database engines a test runs on, each with an empty database of its own. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createDatabase } from './postgres.ts';

export type Engine = 'embedded' | 'postgres';

/** Both, where a PostgreSQL was found. */
export const engines: readonly Engine[] =
  inject('postgresUrl') === null ? ['embedded'] : ['embedded', 'postgres'];

/** For tests to which the engine makes no difference: a PostgreSQL that runs already takes less time. */
export const quickEngine = engines.at(-1) as Engine;

/** `npm run test:engines` */
export const everythingOnBoth = process.env.TOLLGATE_TEST_ENGINES === 'all';

/** Why a file needs no second engine: what it promises is decided before, behind or beside the database. */
export type OneEngineReason =
  | 'catalogue'
  | 'client libraries'
  | 'command line'
  | 'issuers'
  | 'logs'
  | 'memory'
  | 'providers'
  | 'rejected requests'
  | 'rights'
  | 'translation';

/**
 * The engine of tests whose promises no engine can change; both with TOLLGATE_TEST_ENGINES=all. Files choose in turn, so
 * that each engine runs about half of them. SQL, locks, durability and money run on both `engines`.
 */
export function oneEngine(engine: Engine, _reason: OneEngineReason): readonly Engine[] {
  if (everythingOnBoth) return engines;
  return engines.includes(engine) ? [engine] : engines;
}

export interface TestPlace {
  readonly folder: string;
  readonly databaseUrl: string | null;
  remove(): Promise<void>;
}

/**
 * A data folder and a database that nobody else uses, migrated unless it is to be `empty`, or `bare`: without a schema, where
 * the embedded engine has a database already. To make one takes it seconds.
 */
export async function makePlace(
  engine: Engine,
  options: { empty?: boolean; bare?: boolean } = {},
): Promise<TestPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
  if (engine === 'embedded') {
    const template = inject(options.bare ? 'bareTemplate' : 'embeddedTemplate');
    if (!options.empty) cpSync(template, folder, { recursive: true });
    return {
      folder,
      databaseUrl: null,
      remove: async () => rmSync(folder, { recursive: true, force: true }),
    };
  }
  const template = options.empty || options.bare ? undefined : (inject('postgresTemplate') ?? undefined);
  const database = await createDatabase(inject('postgresUrl') as string, template);
  return {
    folder,
    databaseUrl: database.url,
    async remove() {
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
