/**
 * The door to SQL. Two engines stand behind it, PostgreSQL and an embedded one, with the same SQL,
 * the same migrations and the same row values: numeric is a decimal string, timestamptz an Instant,
 * bigint a number, jsonb its value. It knows nothing of the product's tables.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Unavailable } from '../kernel/problem.ts';
import { isoOf } from '../kernel/time.ts';
import type { Sql } from './sql.ts';

/** Runs statements: the database itself, or one transaction of it. */
export interface Queryable {
  query<Row extends object>(statement: Sql): Promise<Row[]>;
}

export interface Transaction extends Queryable {
  /** Runs a script of several statements without values; for migrations. */
  script(text: string): Promise<void>;
}

export interface TransactionOptions {
  /** How long each of its statements may take; see deadlines.ts for what they may otherwise. */
  readonly timeoutMs?: number;
}

export interface Database extends Queryable {
  readonly engine: 'embedded' | 'postgres';
  /** What a deadlock undid is done again, so `work` may run more than once. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Calls `onNotify` for each NOTIFY on the channel; after a lost connection it listens again. */
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** The engine cannot be reached or broke off; the same statement may be sent again. */
export class DatabaseUnavailable extends Unavailable {
  override readonly name = 'DatabaseUnavailable';
}

/**
 * A read that met a dead connection is sent once more: the first attempt had it replaced, and every other one
 * that was as silent (postgres-pool.ts).
 */
export async function readAgain<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    return await read();
  }
}

/** The database refuses to be opened by this program, for a reason a person has to settle. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';
}

/**
 * SQLSTATE classes after which the same statement may simply be sent again: connection trouble, a deadlock or a
 * serialization failure, too little disk, memory or connections, shutting down, a deadline, input and output.
 */
const PASSING_STATE = /^(08|40|53|57P|57014|55P03|25006|25P03|58030)/;

export function isPassing(sqlState: string): boolean {
  return PASSING_STATE.test(sqlState);
}

const insideTransaction = new AsyncLocalStorage<true>();

/** Marks everything `work` does as being inside a transaction. */
export function markTransaction<T>(work: () => Promise<T>): Promise<T> {
  return insideTransaction.run(true, work);
}

/**
 * The embedded engine has one connection: a statement on the outer handle would wait for its own
 * transaction for ever. On PostgreSQL it would silently run outside it. Both are bugs, so both throw.
 */
export function refuseInsideTransaction(): void {
  if (insideTransaction.getStore())
    throw new Error('inside a transaction, use its handle instead of the database');
}

/** How both engines read the types whose defaults differ; by PostgreSQL type id. */
export const rowParsers: Readonly<Record<number, (text: string) => unknown>> = {
  20: readWholeNumber,
  1184: (text) =>
    Date.parse(text.length > 10 ? text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00') : text),
  1700: (text) => text,
};

function readWholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint out of range: ${text}`);
  return value;
}

/** A timestamptz value for a statement. */
export function timestamp(instant: number): string {
  return isoOf(instant);
}
