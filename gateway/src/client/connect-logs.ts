/** One connection to the log API: sends the request, reads lines on demand, and returns how it ended. */
import type { LogEventBody, LogLineBody } from '../contract/logs.ts';
import {
  type ConnectionOutcome,
  type FollowOptions,
  type FollowProgress,
  type LogUpdate,
  stateUpdate,
} from './log-updates.ts';
import { isRejection, readRetryAfter } from './reconnect.ts';

const HEARTBEAT_SECONDS = 10;
/** With heartbeats, a connection that is silent for this long is dead. */
const SILENCE_MS_MAX = 25_000;
/** Without ids, held lines are released after this long without a byte. */
const SETTLE_MS = 3_000;
/** The `Date` header has whole seconds, and lines may be late. */
const SINCE_MARGIN_SECONDS = 2;
const LINE_CHARACTERS_MAX = 16 * 1024 * 1024;

type Chunk = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>;
interface FailureBody {
  readonly detail?: string | ReadonlyArray<{ readonly msg: string }>;
  readonly error_ref?: string;
}
type Parsed = LogLineBody | LogEventBody | { readonly last: true };

export async function* connectLogs(
  options: FollowOptions,
  progress: FollowProgress,
  attempt: number,
  connection: AbortController,
): AsyncGenerator<LogUpdate, ConnectionOutcome> {
  const reader = new LogReader(options, progress, connection);
  let reply: Response;
  try {
    reply = await reader.open();
  } catch (error) {
    return { kind: 'interrupted', message: messageOf(error), retryAfterMs: null };
  }
  const { clock } = options;
  if (!reply.ok || reply.body === null) {
    const { message, errorRef } = await readFailure(reply);
    const { status } = reply;
    if (isRejection(status)) return { kind: 'rejected', message, rejection: { status, errorRef } };
    return { kind: 'interrupted', message, retryAfterMs: readRetryAfter(reply.headers, clock.now()) };
  }
  yield stateUpdate('live', attempt);
  return yield* reader.read(reply.body);
}

class LogReader {
  readonly #options: FollowOptions;
  readonly #progress: FollowProgress;
  readonly #connection: AbortController;
  readonly #lines: LogLineBody[] = [];
  #pending: Promise<Chunk> | null = null;
  #rest = '';
  #ended = false;

  constructor(options: FollowOptions, progress: FollowProgress, connection: AbortController) {
    this.#options = options;
    this.#progress = progress;
    this.#connection = connection;
  }

  async open(): Promise<Response> {
    const { url, project, headers, fetch, clock, ids } = this.#options;
    const { positions, histories } = this.#progress;
    positions.connected();
    const query = new URLSearchParams(this.#filters());
    let more: Record<string, string> = {};
    const since = ids ? null : histories.since(clock.now());
    if (ids && !positions.empty) {
      const after = positions.after();
      for (const [name, id] of after.query) query.append(name, id);
      more = after.headers;
    } else if (since !== null) {
      histories.begin(since);
      const ageSeconds = (clock.now() + this.#progress.skewMs) / 1000 - since;
      query.set('sinceSeconds', String(Math.max(0, Math.ceil(ageSeconds) + SINCE_MARGIN_SECONDS)));
    } else {
      if (this.#options.tailLines !== undefined) query.set('tailLines', String(this.#options.tailLines));
      if (this.#options.sinceSeconds !== undefined)
        query.set('sinceSeconds', String(this.#options.sinceSeconds));
    }
    const address = `${url}/api/projects/${encodeURIComponent(project)}/logs?${query}`;
    const reply = await fetch(address, { headers: { ...headers, ...more }, signal: this.#connection.signal });
    const date = Date.parse(reply.headers.get('date') ?? '');
    if (!Number.isNaN(date)) this.#progress.skewMs = date - clock.now();
    return reply;
  }

  async *read(body: ReadableStream<Uint8Array>): AsyncGenerator<LogUpdate, ConnectionOutcome> {
    const chunks = body.getReader();
    const decoder = new TextDecoder();
    try {
      for (;;) {
        const chunk = await this.#next(chunks);
        if (chunk === 'quiet') {
          yield* this.#settle();
          continue;
        }
        if (chunk.done) {
          yield* this.#settle();
          return { kind: 'interrupted', message: 'The connection was closed.', retryAfterMs: null };
        }
        yield* this.#take(decoder.decode(chunk.value, { stream: true }));
        if (this.#ended) {
          yield* this.#settle();
          return { kind: 'ended' };
        }
      }
    } catch (error) {
      return { kind: 'interrupted', message: messageOf(error), retryAfterMs: null };
    } finally {
      await chunks.cancel().catch(() => undefined);
    }
  }

  /** The next bytes. Rejects if the connection is dead; `quiet`: held lines should be released. */
  async #next(chunks: ReadableStreamDefaultReader<Uint8Array>): Promise<Chunk | 'quiet'> {
    const { clock, ids, follow } = this.#options;
    this.#pending ??= chunks.read();
    const heartbeats = ids && follow;
    if (!heartbeats && !this.#progress.histories.holding) return await this.#done(this.#pending);
    let cancel = (): void => undefined;
    const quiet = new Promise<'quiet'>((resolve) => {
      cancel = clock.after(heartbeats ? SILENCE_MS_MAX : SETTLE_MS, () => resolve('quiet'));
    });
    const chunk = await Promise.race([this.#pending, quiet]).finally(() => cancel());
    if (chunk !== 'quiet') return await this.#done(this.#pending);
    if (!heartbeats) return 'quiet';
    this.#connection.abort();
    throw new Error('The server stopped responding.');
  }

  async #done(pending: Promise<Chunk>): Promise<Chunk> {
    const chunk = await pending;
    this.#pending = null;
    return chunk;
  }

  *#take(text: string): Generator<LogUpdate> {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() as string;
    if (this.#rest.length > LINE_CHARACTERS_MAX) throw new Error('The server sent a line that is too long.');
    for (const line of lines) {
      if (line === '' || this.#ended) continue;
      const parsed = JSON.parse(line) as Parsed;
      if ('event' in parsed) {
        yield* this.#flush();
        yield* this.#event(parsed);
      } else if (parsed.last) this.#ended = true;
      else this.#lines.push(parsed);
    }
    yield* this.#flush();
  }

  *#event(event: LogEventBody): Generator<LogUpdate> {
    if (event.event === 'heartbeat') this.#progress.progressed = true;
    if (this.#progress.positions.event(event)) yield { kind: 'event', event };
  }

  /** Releases the collected lines. Their positions count only from then on. */
  *#flush(): Generator<LogUpdate> {
    if (this.#lines.length === 0) return;
    this.#progress.progressed = true;
    const lines = this.#lines.splice(0);
    if (this.#options.ids) {
      for (const { id } of lines) if (id !== undefined) this.#progress.positions.line(id);
      yield { kind: 'lines', lines };
    } else yield* updatesOf(this.#progress.histories.take(lines, this.#options.clock.now()));
  }

  *#settle(): Generator<LogUpdate> {
    yield* updatesOf(this.#progress.histories.settle(this.#options.clock.now()));
  }

  #filters(): Array<[string, string]> {
    const { follow, podName, container, ids } = this.#options;
    return [
      ...(follow ? [['follow', 'true'] as [string, string]] : []),
      ...(podName === undefined ? [] : [['podName', podName] as [string, string]]),
      ...(container === undefined ? [] : [['container', container] as [string, string]]),
      ...(ids ? [['ids', 'true'] as [string, string]] : []),
      ...(ids && follow ? [['heartbeat', String(HEARTBEAT_SECONDS)] as [string, string]] : []),
    ];
  }
}

function* updatesOf({ lines, gap }: { lines: LogLineBody[]; gap: boolean }): Generator<LogUpdate> {
  if (gap) yield { kind: 'event', event: { event: 'gap', reason: 'lines may be missing' } };
  if (lines.length > 0) yield { kind: 'lines', lines };
}

/** The message of an error response, and the id under which it was logged. */
async function readFailure(reply: Response): Promise<{ message: string; errorRef: string | null }> {
  const body = (await reply.json().catch(() => null)) as FailureBody | null;
  const { detail, error_ref: errorRef = null } = body ?? {};
  // Something that is not a gateway may answer without a message: the status has to be enough.
  const message = typeof detail === 'string' ? detail : detail?.[0]?.msg;
  return { message: message ?? `The server answered ${reply.status}.`, errorRef };
}

function messageOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: Error };
  return cause?.message ?? message;
}
