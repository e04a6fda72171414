/**
 * Reads one run of a container through the log API. The API knows no places: what was read is remembered
 * as a trail (kernel/position-history.ts), and after each break the log is asked from a whole second on and the
 * trail is found in what comes.
 */

import { type LogTime, secondOf, startOfSecond } from '../../kernel/log-time.ts';
import { type HistoryPosition, PositionHistory, ReplayMatcher } from '../../kernel/position-history.ts';
import { type Clock, pause } from '../../kernel/time.ts';
import type { LogBatch, LogLine, ReadFrom, SourceReadOptions } from '../source.ts';
import { ApiStatusError, type ClusterApi, isPermanent } from './cluster-api.ts';
import { LogLines, type TimedLine } from './log-lines.ts';
import { logPath, podPath } from './log-path.ts';
import { type Pod, type PodSource, type Run, runOf } from './pods.ts';
import { readRunTail } from './read-tail.ts';
import { printRunPosition, readRunPosition } from './run-position.ts';

export interface RunTools {
  readonly api: ClusterApi;
  readonly clock: Clock;
}

/** A follow that says nothing for so long may have stalled: some versions do when a file is rotated. */
const SILENT_MS = 60_000;
/** How long a place is looked for in a stream that has fallen silent. */
const LOOK_MS = 3_000;
const LOOK_SECONDS = 2;
const HELD_LINES_MAX = 200_000;
const AGAIN_MS_MAX = 5_000;
const AGAIN_MS = 100;
/** Of a read that should end, how often it is begun. */
const TRIES_MAX = 20;

export async function* readRun(
  source: PodSource,
  options: SourceReadOptions,
  tools: RunTools,
  signal: AbortSignal,
): AsyncGenerator<LogBatch> {
  const reading = new RunReading(source, tools, signal);
  let { from } = options;
  if (from.kind === 'tail') {
    const tail = await readRunTail(source, from, { ...tools, until: options.until ?? null }, signal);
    yield reading.start(tail);
    if (!options.follow) return;
    from = { kind: 'start' };
  }
  yield* reading.read(from, { follow: options.follow, until: options.until ?? null });
}

class RunReading {
  readonly #source: PodSource;
  readonly #tools: RunTools;
  readonly #signal: AbortSignal;
  readonly #trail = new PositionHistory();

  constructor(source: PodSource, tools: RunTools, signal: AbortSignal) {
    this.#source = source;
    this.#tools = tools;
    this.#signal = signal;
  }

  /** Takes up after a tail. The line before it is only there to tell the place. */
  start({ before, lines }: { before: TimedLine | null; lines: readonly TimedLine[] }): LogBatch {
    const place = before === null ? null : (this.#lines([before])[0]?.position ?? null);
    return { lines: this.#lines(lines), gap: null, before: place };
  }

  async *read(from: ReadFrom, to: { follow: boolean; until: string | null }): AsyncGenerator<LogBatch> {
    const until = to.until === null ? null : readRunPosition(to.until);
    let againMs = AGAIN_MS;
    for (let tries = 0; !this.#signal.aborted; tries++) {
      if (!to.follow && tries > TRIES_MAX) throw new Error('the log of the cluster cannot be read');
      const run = await this.#run();
      if (run === 'gone') {
        if (from.kind === 'after' && tries === 0) yield { lines: [], gap: 'the run is gone' };
        return;
      }
      const opening = this.#opening(from);
      const follow = to.follow && run === 'current';
      const lines = await this.#open(run, opening.since, follow);
      // The container may have been started again in between, and then another run has answered. Where a
      // place is looked for, that shows by itself.
      if (lines !== null && opening.finder === null && (await this.#run()) !== run) {
        lines.close();
        continue;
      }
      if (lines !== null) {
        const ended = yield* this.#pass(lines, { ...opening, follow, until, run });
        if (ended === 'over') return;
        // A stream that was only closed is opened at once; what cannot be opened is left alone for a while.
        againMs = ended === 'moved' ? 0 : AGAIN_MS;
      }
      await pause(this.#tools.clock, againMs, this.#signal);
      againMs = Math.min(AGAIN_MS_MAX, Math.max(AGAIN_MS, againMs * 2));
    }
  }

  /** Where to ask from, and what is known of what will come. */
  #opening(from: ReadFrom): {
    since: LogTime | null;
    finder: ReplayMatcher<TimedLine> | null;
    newest: LogTime;
  } {
    const known = this.#trail.place();
    const place = known ?? (from.kind === 'after' ? readRunPosition(from.position) : null);
    if (place === null) return { since: from.kind === 'since' ? from.time : null, finder: null, newest: '' };
    const finder = new ReplayMatcher<TimedLine>(place, known === null ? null : this.#trail.block());
    return { since: startOfSecond(place.since), finder, newest: place.newest };
  }

  /** The lines of one answer. Tells whether the run is over, or whether anything came of it. */
  async *#pass(
    lines: LogLines,
    options: {
      finder: ReplayMatcher<TimedLine> | null;
      newest: LogTime;
      follow: boolean;
      until: HistoryPosition | null;
      run: Run;
    },
  ): AsyncGenerator<LogBatch, 'over' | 'moved' | 'nothing'> {
    const limit = options.until === null ? null : new Limit(options.until);
    let { finder } = options;
    let moved = false;
    try {
      for (;;) {
        const next = await lines.next(finder !== null ? LOOK_MS : options.follow ? SILENT_MS : null);
        if (next === 'quiet' && finder === null) {
          if (await this.#stalled()) return 'moved';
          continue;
        }
        const came =
          next === null ? (options.run === 'current' ? [] : lines.last()) : next === 'quiet' ? [] : next;
        const fresh = limit === null ? came : limit.upTo(came);
        const over = next === null || limit?.reached === true;
        if (finder !== null) {
          const found = this.#look(finder, fresh, options.newest);
          if (found === null && next !== 'quiet' && !over) continue;
          // Not to be found: perhaps it was another run that answered.
          const settled = found ?? (await this.#settle(finder, options.run));
          if (settled === null) return 'nothing';
          finder = null;
          moved = true;
          if (settled.lines.length > 0 || settled.gap)
            yield { lines: this.#lines(settled.lines), gap: settled.gap ? 'rotated away' : null };
        } else if (fresh.length > 0) {
          moved = true;
          yield { lines: this.#lines(fresh), gap: null };
        }
        if (!over) continue;
        // A run that goes on was only closed by the server.
        const goesOn = options.run === 'current' && options.follow;
        return goesOn ? (moved ? 'moved' : 'nothing') : 'over';
      }
    } catch (error) {
      if (this.#signal.aborted) return 'over';
      if (error instanceof ApiStatusError) throw error;
      return moved ? 'moved' : 'nothing';
    } finally {
      lines.close();
    }
  }

  /** What is new once the place is found or cannot be any more; null: more has to come. */
  #look(
    finder: ReplayMatcher<TimedLine>,
    lines: readonly TimedLine[],
    newest: LogTime,
  ): { lines: readonly TimedLine[]; gap: boolean } | null {
    for (const [i, line] of lines.entries()) {
      if (finder.found) return this.#found(finder, lines.slice(i));
      finder.push(line, line.time, line.hash);
    }
    if (finder.found) return this.#found(finder, []);
    const last = lines.at(-1)?.time ?? '';
    const passed = last !== '' && secondOf(last) > secondOf(newest) + LOOK_SECONDS;
    return passed || finder.held > HELD_LINES_MAX ? finder.settle() : null;
  }

  /**
   * What another process read is part of the trail now: places told from here on are then as sure as those
   * of somebody who has read it all.
   */
  #found(
    finder: ReplayMatcher<TimedLine>,
    lines: readonly TimedLine[],
  ): { lines: readonly TimedLine[]; gap: boolean } {
    if (this.#trail.place() === null) for (const { time, hash } of finder.known) this.#trail.add(time, hash);
    return { lines, gap: false };
  }

  /** Null when the run is not what it was thought to be: then what came is not of it. */
  async #settle(
    finder: ReplayMatcher<TimedLine>,
    run: Run,
  ): Promise<{ lines: readonly TimedLine[]; gap: boolean } | null> {
    if (finder.found) return { lines: [], gap: false };
    return (await this.#run()) === run ? finder.settle() : null;
  }

  /** Whether the newest line is one that did not come. */
  async #stalled(): Promise<boolean> {
    const known = this.#trail.place();
    const { lines } = await readRunTail(
      this.#source,
      { lines: 1, bytesMax: Number.POSITIVE_INFINITY },
      { ...this.#tools, until: null },
      this.#signal,
    );
    const [last] = lines;
    return last !== undefined && (known === null || last.hash !== known.lastHash);
  }

  /** Null where it is not ready to be read. */
  async #open(run: Run, since: LogTime | null, follow: boolean): Promise<LogLines | null> {
    const path = logPath(this.#source, {
      timestamps: 'true',
      ...(run === 'previous' && { previous: 'true' }),
      ...(follow && { follow: 'true' }),
      ...(since !== null && { sinceTime: since }),
    });
    try {
      const body = await this.#tools.api.open(path, this.#signal);
      // What comes without a time after a break is the end of a line that is known.
      const untimed = this.#trail.place() === null ? (since ?? EPOCH) : null;
      return new LogLines(body, { clock: this.#tools.clock, since: untimed });
    } catch (error) {
      if (error instanceof ApiStatusError && (error.status === 400 || error.status === 404)) return null;
      if (isPermanent(error)) throw error;
      return null;
    }
  }

  async #run(): Promise<Run> {
    for (;;) {
      try {
        return runOf(await this.#tools.api.json<Pod>(podPath(this.#source), this.#signal), this.#source);
      } catch (error) {
        if (this.#signal.aborted) return 'gone';
        if (error instanceof ApiStatusError && error.status === 404) return 'gone';
        if (isPermanent(error)) throw error;
        await pause(this.#tools.clock, AGAIN_MS_MAX / 5, this.#signal);
      }
    }
  }

  #lines(lines: readonly TimedLine[]): LogLine[] {
    return lines.map(({ time, text, hash }) => {
      this.#trail.add(time, hash);
      const position = printRunPosition(this.#trail.place() as HistoryPosition);
      return { source: this.#source, time, text, position };
    });
  }
}

const EPOCH: LogTime = '1970-01-01T00:00:00.000000000Z';

/** Ends lines at a place. What is newer than anything before the place lies after it. */
class Limit {
  readonly #until: HistoryPosition;
  readonly #finder: ReplayMatcher<null>;
  reached = false;

  constructor(until: HistoryPosition) {
    this.#until = until;
    this.#finder = new ReplayMatcher(until, null);
  }

  upTo(lines: readonly TimedLine[]): TimedLine[] {
    const wanted: TimedLine[] = [];
    for (const line of lines) {
      this.reached ||= this.#finder.found || line.time > this.#until.newest;
      if (this.reached) break;
      if (secondOf(line.time) >= this.#until.since) this.#finder.push(null, line.time, line.hash);
      wanted.push(line);
    }
    this.reached ||= this.#finder.found;
    return wanted;
  }
}
