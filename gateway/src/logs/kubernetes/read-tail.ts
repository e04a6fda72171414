/** Reads the last lines of a run, and the line before them, which provides their position. */

import { secondOf } from '../../kernel/log-time.ts';
import { ReplayMatcher } from '../../kernel/position-history.ts';
import type { Clock } from '../../kernel/time.ts';
import { ApiStatusError, type ClusterApi } from './cluster-api.ts';
import { LogLines, type TimedLine } from './log-lines.ts';
import { logPath, podPath } from './log-path.ts';
import { type Pod, type PodSource, type Run, runOf } from './pods.ts';
import { readRunPosition } from './run-position.ts';

const EPOCH = '1970-01-01T00:00:00.000000000Z';
/** Lines that may have been written after the end of the tail. */
const LATER_LINES = 2_000;
/** Enough of the first line to recognize it. */
const FIRST_BYTES = 256;

export interface RunTail {
  readonly before: TimedLine | null;
  readonly lines: readonly TimedLine[];
}

const NOTHING: RunTail = { before: null, lines: [] };
/** Attempts while the container restarts. */
const ATTEMPTS_MAX = 5;

export async function readRunTail(
  source: PodSource,
  tail: { lines: number; bytesMax: number },
  tools: TailTools,
  signal: AbortSignal,
): Promise<RunTail> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const run = await findRun(source, tools.api, signal);
    if (run === 'gone') return NOTHING;
    const found = await collect(source, run, tail, tools, signal);
    // If the container restarted in between, another run may have answered.
    if ((await findRun(source, tools.api, signal)) === run) return found;
  }
  return NOTHING;
}

interface TailTools {
  readonly api: ClusterApi;
  readonly clock: Clock;
  readonly until: string | null;
}

async function collect(
  source: PodSource,
  run: Run,
  tail: { lines: number; bytesMax: number },
  tools: TailTools,
  signal: AbortSignal,
): Promise<RunTail> {
  const until = tools.until === null ? null : readRunPosition(tools.until);
  const more = until === null ? 2 : until.count + LATER_LINES;
  const first = await readFirst(source, run, tools, signal);
  const kept: TimedLine[] = [];
  const end = until === null ? null : new ReplayMatcher<null>(until, null);
  let [bytes, cut] = [0, null as boolean | null];
  for await (const line of readLines(source, run, tail.lines + more, tools, signal)) {
    if (cut === null) {
      // The API counts parts of lines: unless the log starts here, this may be the rest of a line. The end of
      // the first line may be half a character.
      cut =
        first === null ||
        first.time !== line.time ||
        !line.text.startsWith(first.text.replace(/\uFFFD+$/, ''));
      if (cut) continue;
    }
    if (until !== null && (end?.found === true || line.time > until.newest)) break;
    if (until !== null && secondOf(line.time) >= until.since) end?.push(null, line.time, line.hash);
    kept.push(line);
    bytes += line.text.length;
    while (kept.length > tail.lines + 1 || (bytes > tail.bytesMax && kept.length > 2))
      bytes -= kept.shift()?.text.length ?? 0;
  }
  const whole = cut !== true && kept.length <= tail.lines && bytes <= tail.bytesMax;
  return whole ? { before: null, lines: kept } : { before: kept[0] ?? null, lines: kept.slice(1) };
}

async function findRun(source: PodSource, api: ClusterApi, signal: AbortSignal): Promise<Run> {
  try {
    return runOf(await api.json<Pod>(podPath(source), signal), source);
  } catch (error) {
    if (error instanceof ApiStatusError && error.status === 404) return 'gone';
    throw error;
  }
}

/** The start of the first line of the log. */
async function readFirst(
  source: PodSource,
  run: Run,
  { api, clock }: TailTools,
  signal: AbortSignal,
): Promise<TimedLine | null> {
  const query = {
    timestamps: 'true',
    limitBytes: String(FIRST_BYTES),
    ...(run === 'previous' && { previous: 'true' }),
  };
  try {
    const lines = new LogLines(await api.open(logPath(source, query), signal), { clock, since: EPOCH });
    const next = await lines.next(null);
    const [first] = next === null || next === 'quiet' ? lines.last() : next;
    lines.close();
    return first ?? null;
  } catch (error) {
    if (error instanceof ApiStatusError && (error.status === 400 || error.status === 404)) return null;
    throw error;
  }
}

async function* readLines(
  source: PodSource,
  run: Run,
  count: number,
  { api, clock }: TailTools,
  signal: AbortSignal,
): AsyncGenerator<TimedLine> {
  let lines: LogLines | null = null;
  try {
    const query = {
      timestamps: 'true',
      tailLines: String(count),
      ...(run === 'previous' && { previous: 'true' }),
    };
    lines = new LogLines(await api.open(logPath(source, query), signal), { clock, since: EPOCH });
    for (let next = await lines.next(null); next !== null; next = await lines.next(null))
      if (next !== 'quiet') yield* next;
    if (run !== 'current') yield* lines.last();
  } catch (error) {
    // The container has not started yet, or is gone.
    if (error instanceof ApiStatusError && (error.status === 400 || error.status === 404)) return;
    throw error;
  } finally {
    lines?.close();
  }
}
