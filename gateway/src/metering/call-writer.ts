/** Writes rows of calls into the database, in groups (`database/group-writer.ts`). The ids of calls make a repeat harmless. */
import { DatabaseUnavailable, type Queryable } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { GroupWriter, type GroupWriterOptions } from '../database/group-writer.ts';
import { type Clock, type Instant, type Month, monthOf, monthStart, nextMonth } from '../kernel/time.ts';
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

export interface CallWriterOptions
  extends Pick<GroupWriterOptions<CallRow>, 'resend' | 'rejection' | 'waitMs'> {
  readonly db: Queryable;
  readonly clock: Clock;
  /** The number of the writer. Default: 0, which is nobody. */
  readonly writer?: () => number;
  /** Groups that follow a late one get as much time as that one, until one is in time. */
  readonly keepsAnswerMs?: boolean;
  /** Where groups go that the database does not take. */
  readonly instead?: WriteInstead;
  /** Called when a group is sent to the database. The result is called when it is answered, or lost. */
  readonly onSent?: () => (answer: 'answered' | 'lost') => void;
  /** Called after each commit. */
  readonly onCommit?: ((spaces: readonly string[]) => void) | undefined;
  readonly onGroup?: ((group: { calls: number; durationMs: number }) => void) | undefined;
  readonly onTrouble?: ((error: unknown, group: { calls: number }) => void) | undefined;
}

export interface WriteInstead {
  /** Whether the database is not even tried. */
  readonly isFailing: boolean;
  /** Resolves when the rows are durable. `failed`: the database was tried. */
  write(rows: readonly CallRow[], tried: { failed: boolean }): Promise<void>;
}

export function createCallWriter(options: CallWriterOptions): GroupWriter<CallRow> {
  const {
    db,
    clock,
    writer = () => 0,
    instead,
    keepsAnswerMs = false,
    onCommit,
    onGroup,
    onTrouble,
  } = options;
  const { resend, rejection, waitMs, onSent } = options;
  let answerMs = CALL_ANSWER_MS;
  return new GroupWriter({
    clock,
    rowsMax: GROUP_CALLS_MAX,
    write: async (calls, tried) => {
      if (instead?.isFailing) return await instead.write(calls, { failed: false });
      if (tried === 1 && !keepsAnswerMs) answerMs = CALL_ANSWER_MS;
      const sentMs = clock.elapsedMs();
      const answered = onSent?.();
      try {
        for (const group of groupsByMonth(calls, clock.now())) {
          await recordCalls(db, { ...group, writer: writer() }, answerMs);
          onCommit?.(group.spaces);
        }
        answerMs = CALL_ANSWER_MS;
        answered?.('answered');
      } catch (error) {
        answered?.(error instanceof DatabaseUnavailable ? 'lost' : 'answered');
        if (clock.elapsedMs() - sentMs >= answerMs) answerMs = Math.min(answerMs * 2, ANSWER_MS_MAX);
        if (instead === undefined || !(error instanceof DatabaseUnavailable)) throw error;
        onTrouble?.(error, { calls: calls.length });
        // The commit may still happen. Then applying the same calls again changes nothing.
        await instead.write(calls, { failed: true });
      }
    },
    retriesAlone: RETRIES_ALONE,
    onGroup: ({ rows, durationMs }) => onGroup?.({ calls: rows, durationMs }),
    onTrouble: (error, { rows }) => onTrouble?.(error, { calls: rows }),
    ...(resend && { resend }),
    ...(rejection && { rejection }),
    ...(waitMs && { waitMs }),
  });
}

/**
 * One group, except at the end of a month. The journal entry of a group has a time in the month of its calls, so that
 * the charges of a month are its usage (`reports/statement.ts`), also for calls that ended before midnight and are
 * committed after it.
 */
function groupsByMonth(calls: readonly CallRow[], now: Instant): CallGroup[] {
  const month = monthOf(now);
  if (calls.every((call) => call.month === month)) return [groupOf(calls, now)];
  return [...Map.groupBy(calls, (call) => call.month)].map(([own, group]) =>
    groupOf(group, Math.min(Math.max(now, monthStart(own)), monthStart(nextMonth(own)) - 1)),
  );
}

function groupOf(calls: readonly CallRow[], at: Instant): CallGroup {
  const rows = joinRows(calls.map(({ row }) => row));
  return { rows, spaces: [...new Set(calls.map(({ spaceId }) => spaceId))], at };
}
