/**
 * Access to SQL. There are two engines, PostgreSQL and an embedded one, with the same SQL, the same migrations and the
 * same row values: numeric is a decimal string, timestamptz an Instant,
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
  /** How long each of its statements may take; the default is in deadlines.ts. */
  readonly timeoutMs?: number;
}

export interface Database extends Queryable {
  readonly engine: 'embedded' | 'postgres';
  /** Deadlocks are retried, so `work` may run more than once. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Calls `onNotify` for each NOTIFY on the channel; after a lost connection it listens again. */
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
  /** Only embedded: copies the database to a new data folder, which can be opened. Statements wait only briefly. */
  copyTo?(folder: string): Promise<void>;
  /**
   * Only embedded: from now on every statement and transaction first calls `pending` and waits for it; null: there is
   * nothing to wait for. The returned handle runs statements without that.
   */
  applyBefore?(pending: () => Promise<void> | null): Queryable;
  /** Only embedded: closes the engine and opens it again, because its memory grows and never shrinks. */
  restart?(): Promise<void>;
}

/** The engine is unreachable or the connection broke; the same statement can be retried. */
export class DatabaseUnavailable extends Unavailable {
  override readonly name = 'DatabaseUnavailable';
}

/** The database cannot be opened for a reason that a person must fix. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';
}

/**
 * SQLSTATE classes after which the same statement can be retried: connection errors, deadlocks and serialization
 * failures, lack of disk, memory or connections, shutdown, timeouts, I/O errors.
 */
const PASSING_STATE = /^(08|40|53|57P|57014|55P03|25006|25P03|58030)/;

export function isPassing(sqlState: string): boolean {
  return PASSING_STATE.test(sqlState);
}

const VALUE_STATE = /^2[23]/;

/** Whether the database rejected a value or a row, so that the same statement would be rejected again. */
export function isAboutValues(error: unknown): boolean {
  return VALUE_STATE.test(String((error as { code?: unknown }).code));
}

const insideTransaction = new AsyncLocalStorage<true>();

/** Marks everything `work` does as being inside a transaction. */
export function markTransaction<T>(work: () => Promise<T>): Promise<T> {
  return insideTransaction.run(true, work);
}

/**
 * The embedded engine has one connection: a statement on the outer handle would wait forever for its own transaction.
 * On PostgreSQL it would silently run outside of it. Both are bugs, so both throw.
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
