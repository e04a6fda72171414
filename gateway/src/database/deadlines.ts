/**
 * How long anything waits for the database. A statement without an answer in time counts as lost: its connection is
 * closed and replaced, because a slow answer looks the same as one that never comes (docs/money.md says what follows
 * for calls).
 */

import { MINUTE_MS } from '../kernel/durations.ts';
import { systemClock } from '../kernel/time.ts';
import { DatabaseUnavailable } from './database.ts';

/** For checks before a call is admitted: keys, limits, blocks. Also the wait for a connection. */
export const CALL_ANSWER_MS = 1_500;
/** Default for statements. */
export const ANSWER_MS = 5_000;
/** For work on many rows: reports, totals of batches, cleanup. */
export const LONG_ANSWER_MS = MINUTE_MS;
/** For work on whole tables: migrations, checking the books. */
export const LONGEST_ANSWER_MS = 30 * MINUTE_MS;

/** A call that needs the database fails within this time if it is down: two attempts, each with a wait for a connection. */
export const CALL_WAIT_MS = 4 * CALL_ANSWER_MS;

/** Cached keys, blocks and limits are not trusted when they are older than this. */
export const VIEW_MS_MAX = 3_000;

/** The server times out first if it can, so that a slow statement does not cost a connection. */
const SERVER_AHEAD_MS = 500;
/** The longest wait for a lock, unless the statement itself may take longer. */
const LOCK_MS = 3_000;
/** A process that hangs inside a transaction holds its locks no longer than this. */
export const IDLE_IN_TRANSACTION_MS = 10_000;

/** Rejects after this time on both engines; the work itself continues. */
export function answeredWithin<T>(waitMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = systemClock.after(waitMs, () =>
      reject(new DatabaseUnavailable(`no answer within ${waitMs} ms`)),
    );
    work.finally(cancel).then(resolve, reject);
  });
}

/**
 * Reads again after an answer was lost: the connection was replaced by then, with all others that were as silent
 * (postgres-pool.ts). Not after a whole deadline, because the second one would be as long.
 */
export async function readAgain<T>(read: () => Promise<T>): Promise<T> {
  const sinceMs = systemClock.elapsedMs();
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable) || systemClock.elapsedMs() - sinceMs >= ANSWER_MS)
      throw error;
    return await read();
  }
}

/** Sent once per connection, and again before a statement that may take longer. */
export function serverLimits(answerMs: number): string {
  const statementMs = Math.max(answerMs, ANSWER_MS) - SERVER_AHEAD_MS;
  const lockMs = answerMs > ANSWER_MS ? statementMs : LOCK_MS;
  return (
    `set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs}; ` +
    `set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`
  );
}
