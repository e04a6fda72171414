/**
 * Databases as programs before 0.1.0 left them: calls, streams, a batch, a correction and an invoice in two spaces, and what
 * those programs said about them. Made with pg_dump and the administration of the program of that schema.
 */
import { readFileSync } from 'node:fs';
import type { Database } from '../../src/database/database.ts';
import type { MonthStatement } from '../../src/reports/statement.ts';

export const oldSchemas = [31, 40] as const;
export type OldSchema = (typeof oldSchemas)[number];

/** In which month everything in them happened. */
export const OLD_MONTH = '2026-11';

export interface OldFigures {
  /** As `ledger verify` had them. */
  readonly spaces: ReadonlyArray<Record<string, unknown> & { readonly space: string }>;
  /** By space. */
  readonly statements: Readonly<Record<string, MonthStatement & { readonly space: string }>>;
}

const read = (file: string): string =>
  readFileSync(new URL(`../fixtures/databases/${file}`, import.meta.url), 'utf8');

/** Into an empty database. */
export async function loadOldDatabase(db: Database, schema: OldSchema): Promise<void> {
  await db.transaction((tx) => tx.script(read(`schema-${schema}.sql`)));
}

export function oldFigures(schema: OldSchema): OldFigures {
  return JSON.parse(read(`schema-${schema}.json`)) as OldFigures;
}
