/**
 * How long anybody waits for the database. A statement that is not answered in time counts as lost: its
 * connection is closed and replaced, because nobody can tell a slow answer from one that never comes
 * (docs/money.md says what follows for calls).
 */

import { MINUTE_MS } from '../kernel/durations.ts';
import { systemClock } from '../kernel/time.ts';
import { DatabaseUnavailable } from './database.ts';

/** For what a call waits for before it is let in: keys, limits, blocks. Also the wait for a connection. */
export const CALL_ANSWER_MS = 1_500;
/** For any statement that names no deadline of its own. */
export const ANSWER_MS = 5_000;
/** For work over many rows: reports, sums of batches, sweeps. */
export const LONG_ANSWER_MS = MINUTE_MS;
/** For what may read or rewrite whole tables: changes of the schema, proving the books. */
export const LONGEST_ANSWER_MS = 30 * MINUTE_MS;

/** A call that has to ask hears within this that nobody answers: two attempts, each with a wait for a connection. */
export const CALL_WAIT_MS = 4 * CALL_ANSWER_MS;

/** What is remembered of keys, blocks and limits is not trusted when it is older than this. */
export const VIEW_MS_MAX = 3_000;

/** The server gives up first, where it can, so that a slow statement costs no connection. */
const SERVER_AHEAD_MS = 500;
/** Nobody waits for a lock longer than this, unless the statement itself may take longer. */
const LOCK_MS = 3_000;
/** A process that stops in the middle of a transaction holds its locks no longer than this. */
const IDLE_IN_TRANSACTION_MS = 10_000;

/** Whoever waits is not kept longer than this, whichever engine it is; the work itself goes on. */
export function answeredWithin<T>(waitMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = systemClock.after(waitMs, () =>
      reject(new DatabaseUnavailable(`no answer within ${waitMs} ms`)),
    );
    work.finally(cancel).then(resolve, reject);
  });
}

/** What the server is told once for each connection, and again before a statement that may take longer. */
export function serverLimits(answerMs: number): string {
  const statementMs = Math.max(answerMs, ANSWER_MS) - SERVER_AHEAD_MS;
  const lockMs = answerMs > ANSWER_MS ? statementMs : LOCK_MS;
  return (
    `set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs}; ` +
    `set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`
  );
}
