/** The requests for the log of one run of a container: its state, lines from a time on, its last lines. */
import type { HistoryPosition } from '../../kernel/position-history.ts';
import type { Clock } from '../../kernel/time.ts';
import { ApiStatusError, type ClusterApi } from './cluster-api.ts';
import { LogLines, type TimedLine } from './log-lines.ts';
import { type Pod, type PodSource, type Run, runOf } from './pods.ts';
import { ReadLimit } from './read-limit.ts';

export interface RunTools {
  readonly api: ClusterApi;
  readonly clock: Clock;
}

export const EPOCH = '1970-01-01T00:00:00.000000000Z';
/** Lines that may have been written after the end of the tail. */
const LATER_LINES = 2_000;
/** Enough of the first line to recognize it. */
const FIRST_BYTES = 256;
/** Attempts while the container restarts. */
const ATTEMPTS_MAX = 5;

export class RunLog {
  readonly #source: PodSource;
  readonly #path: string;
  readonly #tools: RunTools;
  readonly #signal: AbortSignal;

  constructor(source: PodSource, tools: RunTools, signal: AbortSignal) {
    this.#source = source;
    // Names come from the cluster, and are escaped anyway.
    const [namespace, pod] = [source.namespace, source.pod].map(encodeURIComponent);
    this.#path = `/api/v1/namespaces/${namespace}/pods/${pod}`;
    this.#tools = tools;
    this.#signal = signal;
  }

  async state(): Promise<Run> {
    try {
      const pod = await this.#tools.api.json<Pod>(this.#path, this.#signal);
      return runOf(pod, this.#source);
    } catch (error) {
      if (error instanceof ApiStatusError && error.status === 404) return 'gone';
      throw error;
    }
  }

  /** Null: the container has not started yet, or is gone. `untimed`: the time of a first line that has none. */
  async open(
    run: Run,
    query: Readonly<Record<string, string>>,
    untimed: string | null = EPOCH,
  ): Promise<LogLines | null> {
    const parameters = new URLSearchParams({
      container: this.#source.container,
      timestamps: 'true',
      ...(run === 'previous' && { previous: 'true' }),
      ...query,
    });
    try {
      const body = await this.#tools.api.open(`${this.#path}/log?${parameters}`, this.#signal);
      const complete = run !== 'current' || 'limitBytes' in query;
      return new LogLines(body, { clock: this.#tools.clock, since: untimed, complete });
    } catch (error) {
      if (error instanceof ApiStatusError && (error.status === 400 || error.status === 404)) return null;
      throw error;
    }
  }

  /** The last lines, and at least one line before them. `before`: a line that may not be the first of the log. */
  async *tail(
    count: number,
    until: HistoryPosition | null,
  ): AsyncGenerator<{ before: TimedLine | null; lines: TimedLine[] }> {
    const limit = until === null ? null : new ReadLimit(until);
    const more = until === null ? 2 : until.count + LATER_LINES;
    const opened = await this.#openTail(count + more);
    if (opened === null) return;
    const { lines, first } = opened;
    let place: 'first' | 'second' | 'later' = 'first';
    try {
      for (;;) {
        const next = await lines.next(null);
        const received = next === null || next === 'quiet' ? [] : next;
        // The API counts parts of lines: unless the log starts here, this may be the rest of a line.
        if (place === 'first' && received.length > 0) {
          place = isSameLine(first, received[0] as TimedLine) ? 'later' : 'second';
          if (place === 'second') received.shift();
        }
        const wanted = limit === null ? received : limit.upTo(received);
        const before = place === 'second' ? (wanted.shift() ?? null) : null;
        if (before !== null) place = 'later';
        yield { before, lines: wanted };
        if (next === null || limit?.reached === true) return;
      }
    } finally {
      lines.close();
    }
  }

  /** The last lines of the log, and the start of its first line. */
  async #openTail(count: number): Promise<{ lines: LogLines; first: TimedLine | null } | null> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const run = await this.state();
      if (run === 'gone') return null;
      const first = await this.#readFirst(run);
      const lines = await this.open(run, { tailLines: String(count) });
      // If the container restarted in between, another run may have answered.
      if ((await this.state()) === run) return lines === null ? null : { lines, first };
      lines?.close();
    }
    return null;
  }

  async #readFirst(run: Run): Promise<TimedLine | null> {
    const lines = await this.open(run, { limitBytes: String(FIRST_BYTES) });
    const next = await lines?.next(null);
    lines?.close();
    return Array.isArray(next) ? (next[0] ?? null) : null;
  }
}

/** The end of the first line may be half a character. */
function isSameLine(start: TimedLine | null, line: TimedLine): boolean {
  return start?.time === line.time && line.text.startsWith(start.text.replace(/\uFFFD+$/, ''));
}
