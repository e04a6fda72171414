/**
 * Reads one run of a container through the log API. The API has no positions: a history of the received
 * lines (kernel/position-history.ts) is kept, and after each interruption the log is requested from a whole
 * second on and the history is searched in the reply.
 */
import { type LogTime, secondOf, startOfSecond } from '../../kernel/log-time.ts';
import {
  type HistoryPosition,
  PositionHistory,
  ReplayMatcher,
  type ReplayResult,
} from '../../kernel/position-history.ts';
import { type Clock, pause } from '../../kernel/time.ts';
import type { LogBatch, LogLine, ReadFrom, SourceReadOptions } from '../source.ts';
import { ApiStatusError, isPermanent } from './cluster-api.ts';
import type { LogLines, TimedLine } from './log-lines.ts';
import type { PodSource, Run } from './pods.ts';
import { ReadLimit } from './read-limit.ts';
import { EPOCH, RunLog, type RunTools } from './run-log.ts';
import { printRunPosition, readRunPosition } from './run-position.ts';

/** A stream that is silent for this long may have stalled: some versions stall when a file is rotated. */
const SILENT_MS = 60_000;
/** How long a silent replay is searched for the history. */
const REPLAY_SILENT_MS = 3_000;
/** The search ends at a line this much newer than the newest known line. */
const REPLAY_SECONDS = 2;
const REPLAY_LINES_MAX = 200_000;
const RETRY_MS = 100;
const RETRY_MS_MAX = 5_000;
const POD_RETRY_MS = 1_000;
/** Attempts of a read that does not follow. */
const ATTEMPTS_MAX = 20;

export async function* readRun(
  source: PodSource,
  { from, until, follow }: SourceReadOptions,
  tools: RunTools,
  signal: AbortSignal,
): AsyncGenerator<LogBatch> {
  const reader = new RunReader(source, tools, signal);
  const end = until === undefined ? null : readRunPosition(until);
  if (from.kind === 'tail') yield* reader.readTail(from.lines, end);
  if (from.kind === 'tail' && follow) yield { lines: [], gap: null, atEnd: true };
  // A tail is continued where it ended.
  if (from.kind !== 'tail' || follow) yield* reader.read(from, { follow, until: end });
}

/** A request for the log: from when, and the history to search in the reply. */
interface LogQuery {
  readonly since: LogTime | null;
  readonly matcher: ReplayMatcher<TimedLine> | null;
  /** The newest known timestamp. */
  readonly newest: LogTime;
}

interface ReplyOptions extends LogQuery {
  readonly follow: boolean;
  readonly limit: ReadLimit | null;
  readonly run: Run;
}

class RunReader {
  readonly #source: PodSource;
  readonly #clock: Clock;
  readonly #log: RunLog;
  readonly #signal: AbortSignal;
  readonly #history = new PositionHistory();

  constructor(source: PodSource, tools: RunTools, signal: AbortSignal) {
    this.#source = source;
    this.#clock = tools.clock;
    this.#log = new RunLog(source, tools, signal);
    this.#signal = signal;
  }

  async *readTail(count: number, until: HistoryPosition | null): AsyncGenerator<LogBatch> {
    for await (const { before, lines } of this.#log.tail(count, until)) {
      const [known] = before === null ? [] : this.#lines([before]);
      yield { lines: this.#lines(lines), gap: null, ...(known && { before: known }) };
    }
  }

  async *read(
    from: ReadFrom,
    to: { follow: boolean; until: HistoryPosition | null },
  ): AsyncGenerator<LogBatch> {
    let retryMs = RETRY_MS;
    for (let attempts = 0; !this.#signal.aborted; attempts++) {
      if (!to.follow && attempts > ATTEMPTS_MAX) throw new Error('the log of the cluster cannot be read');
      const run = await this.#findRun();
      if (run === 'gone') {
        if (from.kind === 'after' && attempts === 0) yield { lines: [], gap: 'the run is gone' };
        return;
      }
      const query = this.#queryFrom(from);
      const follow = to.follow && run === 'current';
      const lines = await this.#open(run, query.since, follow);
      // The container may have restarted in between, so another run answered. With a history to search
      // that is detected later.
      if (lines !== null && query.matcher === null && (await this.#findRun()) !== run) {
        lines.close();
        continue;
      }
      if (lines !== null) {
        const limit = to.until === null ? null : new ReadLimit(to.until);
        const outcome = yield* this.#readReply(lines, { ...query, follow, limit, run });
        if (outcome === 'ended') return;
        // A closed stream is opened again at once; after a failure there is a delay.
        retryMs = outcome === 'progress' ? 0 : RETRY_MS;
      }
      await pause(this.#clock, retryMs, this.#signal);
      retryMs = Math.min(RETRY_MS_MAX, Math.max(RETRY_MS, retryMs * 2));
    }
  }

  #queryFrom(from: ReadFrom): LogQuery {
    const known = this.#history.position();
    const position = known ?? (from.kind === 'after' ? readRunPosition(from.position) : null);
    if (position === null)
      return { since: from.kind === 'since' ? from.time : null, matcher: null, newest: '' };
    const recentLines = known === null ? null : this.#history.recentLines();
    const matcher = new ReplayMatcher<TimedLine>(position, recentLines);
    return { since: startOfSecond(position.since), matcher, newest: position.newest };
  }

  /** Reads the lines of one reply. Returns whether the run ended, or whether the reply brought progress. */
  async *#readReply(
    lines: LogLines,
    { limit, newest, follow, run, ...query }: ReplyOptions,
  ): AsyncGenerator<LogBatch, 'ended' | 'progress' | 'nothing'> {
    let { matcher } = query;
    let progress = false;
    try {
      for (;;) {
        const next = await lines.next(matcher !== null ? REPLAY_SILENT_MS : follow ? SILENT_MS : null);
        if (next === 'quiet' && matcher === null) {
          if (await this.#hasStalled()) return 'progress';
          continue;
        }
        const received = next === null || next === 'quiet' ? [] : next;
        const wanted = limit === null ? received : limit.upTo(received);
        const over = next === null || limit?.reached === true;
        if (matcher !== null) {
          const match = this.#match(matcher, wanted, newest);
          if (match === null && next !== 'quiet' && !over) continue;
          // Not found: another run may have answered.
          const result = match ?? (await this.#settle(matcher, run));
          if (result === null) return 'nothing';
          matcher = null;
          progress = true;
          if (result.lines.length > 0 || result.gap)
            yield { lines: this.#lines(result.lines), gap: result.gap ? 'rotated away' : null };
        } else if (wanted.length > 0) {
          progress = true;
          yield { lines: this.#lines(wanted), gap: null };
        }
        if (!over) continue;
        // The server closed the stream, but the run continues.
        if (run === 'current' && follow) return progress ? 'progress' : 'nothing';
        return 'ended';
      }
    } catch (error) {
      if (this.#signal.aborted) return 'ended';
      if (error instanceof ApiStatusError) throw error;
      return progress ? 'progress' : 'nothing';
    } finally {
      lines.close();
    }
  }

  /** The new lines, once the history is found or can no longer be found; null: more lines are needed. */
  #match(
    matcher: ReplayMatcher<TimedLine>,
    lines: readonly TimedLine[],
    newest: LogTime,
  ): ReplayResult<TimedLine> | null {
    for (const [i, line] of lines.entries()) {
      if (matcher.found) return this.#matched(matcher, lines.slice(i));
      matcher.push(line, line.time, line.hash);
    }
    if (matcher.found) return this.#matched(matcher, []);
    const last = lines.at(-1)?.time ?? '';
    const passed = last !== '' && secondOf(last) > secondOf(newest) + REPLAY_SECONDS;
    return passed || matcher.held > REPLAY_LINES_MAX ? matcher.settle() : null;
  }

  /** A history that was started by another process is taken over, so that new positions are as exact. */
  #matched(matcher: ReplayMatcher<TimedLine>, lines: readonly TimedLine[]): ReplayResult<TimedLine> {
    if (this.#history.position() === null)
      for (const { time, hash } of matcher.known) this.#history.add(time, hash);
    return { lines, gap: false };
  }

  /** Null: another run answered, so its lines must be ignored. */
  async #settle(matcher: ReplayMatcher<TimedLine>, run: Run): Promise<ReplayResult<TimedLine> | null> {
    if (matcher.found) return { lines: [], gap: false };
    return (await this.#findRun()) === run ? matcher.settle() : null;
  }

  /** Whether the newest line of the log was not received. */
  async #hasStalled(): Promise<boolean> {
    const known = this.#history.position();
    let last: TimedLine | undefined;
    for await (const { lines } of this.#log.tail(1, null)) last = lines.at(-1) ?? last;
    return last !== undefined && (known === null || last.hash !== known.lastHash);
  }

  /** Null: the log cannot be read right now. */
  async #open(run: Run, since: LogTime | null, follow: boolean): Promise<LogLines | null> {
    const query = { ...(follow && { follow: 'true' }), ...(since !== null && { sinceTime: since }) };
    // After an interruption a line without a timestamp is the rest of a known line.
    const untimed = this.#history.position() === null ? (since ?? EPOCH) : null;
    try {
      return await this.#log.open(run, query, untimed);
    } catch (error) {
      if (isPermanent(error)) throw error;
      return null;
    }
  }

  async #findRun(): Promise<Run> {
    for (;;) {
      try {
        return await this.#log.state();
      } catch (error) {
        if (this.#signal.aborted) return 'gone';
        if (isPermanent(error)) throw error;
        await pause(this.#clock, POD_RETRY_MS, this.#signal);
      }
    }
  }

  #lines(lines: readonly TimedLine[]): LogLine[] {
    return lines.map(({ time, text, hash }) => {
      this.#history.add(time, hash);
      const position = printRunPosition(this.#history.position() as HistoryPosition);
      return { source: this.#source, time, text, position };
    });
  }
}
