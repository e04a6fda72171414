/** Writes rows of calls into the database, in groups (`database/group-writer.ts`). The ids of calls make a repeat harmless. */
import type { Queryable } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { GroupWriter, type GroupWriterOptions } from '../database/group-writer.ts';
import { type Clock, type Instant, type Month, monthStart, nextMonth } from '../kernel/time.ts';
import { joinRows } from './call-record.ts';
import { type CallGroup, recordCalls } from './calls.store.ts';

export const GROUP_CALLS_MAX = 500;
/** The provider was paid for the call, so a row that the database rejects is retried alone before it is dropped. */
const RETRIES_ALONE = 3;
/** Each retry waits longer, up to this, in case the database is only slow. */
const ANSWER_MS_MAX = 12_000;

export interface CallRow {
  /** The result of `callRow`. */
  readonly row: string;
  readonly spaceId: string;
  readonly month: Month;
}

export interface CallWriterOptions extends Pick<GroupWriterOptions<CallRow>, 'resend' | 'rejection'> {
  readonly db: Queryable;
  readonly clock: Clock;
  /** Called after each commit. */
  readonly onCommit?: (spaces: number) => void;
  readonly onGroup?: ((group: { calls: number; durationMs: number }) => void) | undefined;
  readonly onTrouble?: ((error: unknown, group: { calls: number }) => void) | undefined;
}

export function createCallWriter(options: CallWriterOptions): GroupWriter<CallRow> {
  const { db, clock, onCommit, onGroup, onTrouble, resend, rejection } = options;
  let answerMs = CALL_ANSWER_MS;
  return new GroupWriter({
    clock,
    rowsMax: GROUP_CALLS_MAX,
    write: async (calls, tried) => {
      if (tried === 1) answerMs = CALL_ANSWER_MS;
      const sentMs = clock.elapsedMs();
      try {
        for (const group of groupsByMonth(calls, clock.now())) {
          await recordCalls(db, group, answerMs);
          onCommit?.(group.spaces.length);
        }
      } catch (error) {
        if (clock.elapsedMs() - sentMs >= answerMs) answerMs = Math.min(answerMs * 2, ANSWER_MS_MAX);
        throw error;
      }
    },
    retriesAlone: RETRIES_ALONE,
    onGroup: ({ rows, durationMs }) => onGroup?.({ calls: rows, durationMs }),
    onTrouble: (error, { rows }) => onTrouble?.(error, { calls: rows }),
    ...(resend && { resend }),
    ...(rejection && { rejection }),
  });
}

/**
 * One group, except at the end of a month. The journal entry of a group has a time in the month of its calls, so that
 * the charges of a month are its usage (`reports/statement.ts`), also for calls that ended before midnight and are
 * committed after it.
 */
function groupsByMonth(calls: readonly CallRow[], now: Instant): CallGroup[] {
  return [...Map.groupBy(calls, ({ month }) => month)].map(([month, own]) => ({
    rows: joinRows(own.map(({ row }) => row)),
    spaces: [...new Set(own.map(({ spaceId }) => spaceId))],
    at: Math.min(Math.max(now, monthStart(month)), monthStart(nextMonth(month)) - 1),
  }));
}
