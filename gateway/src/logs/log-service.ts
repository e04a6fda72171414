/** The logs of a running gateway: one store, the feeds that read it, and the open streams. */
import { Problem } from '../kernel/problem.ts';
import type { Stoppable } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';
import { FeedHub } from './feed-hub.ts';
import { isUniversalPosition } from './line-position.ts';
import type { LogRequest } from './log-request.ts';
import type { LogStore } from './source.ts';
import { streamLogs } from './stream-logs.ts';

export interface LogServiceOptions {
  readonly store: LogStore;
  readonly clock: Clock;
  readonly onTrouble: (error: unknown) => void;
  /** Open streams allowed per person and per project. */
  readonly limits: { readonly perPerson: number; readonly perProject: number };
}

export interface OpenStream {
  readonly pieces: AsyncGenerator<string>;
  readonly signal: AbortSignal;
  /** Rejects while an error can still be sent as an HTTP status. */
  begin(): Promise<void>;
  /** Ends the stream without `{"last":true}`. */
  close(): void;
}

/** Open streams per process. */
const STREAMS_MAX = 5_000;
const RETRY_AFTER_MS = 5_000;

export class LogService implements Stoppable {
  readonly #options: LogServiceOptions;
  readonly #hub: FeedHub;
  readonly #open = new Set<AbortController>();
  /** Open streams by person and by project. */
  readonly #counts = new Map<string, number>();
  #stopped = false;

  constructor(options: LogServiceOptions) {
    this.#options = options;
    this.#hub = new FeedHub(options);
  }

  get streams(): number {
    return this.#open.size;
  }

  open(request: LogRequest, personId: string): OpenStream {
    if (this.#stopped) throw new Problem('service_unavailable', { detail: 'The gateway is stopping.' });
    if (this.#open.size >= STREAMS_MAX) {
      throw new Problem('rate_limit_exceeded', {
        detail: 'This gateway has too many open log streams. Try again later.',
        retryAfterMs: RETRY_AFTER_MS,
      });
    }
    const { store, clock } = this.#options;
    for (const position of request.after?.values() ?? []) {
      if (isUniversalPosition(position) || store.knows(position)) continue;
      const msg = 'after must be the id of a log line, as returned with ids=true';
      throw new Problem('validation_error', {
        detail: msg,
        items: [{ loc: ['query', 'after'], msg, type: 'value_error' }],
      });
    }
    const uncount = this.#count(personId, request.project);
    const stop = new AbortController();
    this.#open.add(stop);
    const pieces = streamLogs(request, { store, hub: this.#hub, clock }, stop.signal);
    return {
      pieces,
      signal: stop.signal,
      begin: () => this.#begin(request),
      close: () => {
        if (this.#open.delete(stop)) uncount();
        stop.abort();
      },
    };
  }

  /** Counts the stream; returns the function that uncounts it. */
  #count(personId: string, project: string): () => void {
    const { perPerson, perProject } = this.#options.limits;
    const [person, followed] = [`person ${personId}`, `project ${project}`];
    if ((this.#counts.get(person) ?? 0) >= perPerson) throw tooMany('You have', perPerson, 'person');
    if ((this.#counts.get(followed) ?? 0) >= perProject) {
      throw tooMany(`The project ${project} has`, perProject, 'project');
    }
    this.#add(person, 1);
    this.#add(followed, 1);
    return () => {
      this.#add(person, -1);
      this.#add(followed, -1);
    };
  }

  #add(id: string, change: 1 | -1): void {
    const count = (this.#counts.get(id) ?? 0) + change;
    if (count === 0) this.#counts.delete(id);
    else this.#counts.set(id, count);
  }

  /** Closes every stream without `{"last":true}`, so that clients reconnect to another process. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const stop of this.#open) stop.abort();
    this.#open.clear();
    await this.#hub.stop();
    await this.#options.store.close();
  }

  /** Starts the feed of a followed project before the response starts. */
  async #begin({ follow, project }: LogRequest): Promise<void> {
    if (!follow) return;
    try {
      await this.#hub.take(project);
      this.#hub.release(project);
    } catch (error) {
      if (error instanceof Problem) throw error;
      this.#options.onTrouble(error);
      throw new Problem('service_unavailable', {
        detail: 'The logs cannot be read right now. Try again later.',
        cause: error,
      });
    }
  }
}

function tooMany(whose: string, max: number, of: 'person' | 'project'): Problem {
  return new Problem('rate_limit_exceeded', {
    detail: `${whose} ${max} log streams open, which is the limit. Close one first.`,
    retryAfterMs: RETRY_AFTER_MS,
    facts: { limit: `log_streams_${of}`, max: String(max) },
  });
}
