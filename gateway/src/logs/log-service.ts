/** The logs of a running gateway: one store, the feeds over it, and everybody who reads. */

import { Problem } from '../kernel/problem.ts';
import type { Stoppable } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';
import { FeedHub } from './feed-hub.ts';
import { isOwnPlace, type LogRequest } from './log-request.ts';
import type { LogStore } from './source.ts';
import { streamLogs } from './stream-logs.ts';

export interface LogServiceOptions {
  readonly store: LogStore;
  readonly clock: Clock;
  readonly onTrouble: (error: unknown) => void;
  /** How many streams one person, and one project, may have open. */
  readonly limits: { readonly perPerson: number; readonly perProject: number };
}

export interface OpenStream {
  readonly pieces: AsyncGenerator<string>;
  readonly signal: AbortSignal;
  /** Fails while it can still be told by a status. */
  begin(): Promise<void>;
  /** Ends it without its last line. */
  close(): void;
}

/** Streams at one time in one process. */
const STREAMS_MAX = 5_000;
const AFTER_RETRY_MS = 5_000;

export class LogService implements Stoppable {
  readonly #options: LogServiceOptions;
  readonly #hub: FeedHub;
  readonly #open = new Set<AbortController>();
  /** Open streams of each person and project, by their ids. */
  readonly #counts = new Map<string, number>();
  #stopped = false;

  constructor(options: LogServiceOptions) {
    this.#options = options;
    this.#hub = new FeedHub(options);
  }

  get streams(): number {
    return this.#open.size;
  }

  /** `personId` is who reads. */
  open(request: LogRequest, personId: string): OpenStream {
    if (this.#stopped) throw new Problem('service_unavailable', { detail: 'The gateway is stopping.' });
    if (this.#open.size >= STREAMS_MAX) {
      throw new Problem('rate_limit_exceeded', {
        detail: 'Too many log streams are open here.',
        retryAfterMs: AFTER_RETRY_MS,
      });
    }
    const { store, clock } = this.#options;
    for (const position of request.after?.values() ?? []) {
      if (isOwnPlace(position) || store.knows(position)) continue;
      const msg = 'after must be the id of a line, as ids=true gives it';
      throw new Problem('validation_error', {
        detail: msg,
        items: [{ loc: ['query', 'after'], msg, type: 'value_error' }],
      });
    }
    const leave = this.#enter(personId, request.project);
    const stop = new AbortController();
    this.#open.add(stop);
    const pieces = streamLogs(request, { store, hub: this.#hub, clock }, stop.signal);
    return {
      pieces,
      signal: stop.signal,
      begin: () => this.#begin(request),
      close: () => {
        if (this.#open.delete(stop)) leave();
        stop.abort();
      },
    };
  }

  /** Answers what gives the places back. */
  #enter(personId: string, project: string): () => void {
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

  /** Closes every stream without its last line, so that clients come back to somebody else. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const stop of this.#open) stop.abort();
    this.#open.clear();
    await this.#hub.stop();
    await this.#options.store.close();
  }

  /** A project that is followed has its feed running before the answer begins. */
  async #begin({ follow, project }: LogRequest): Promise<void> {
    if (!follow) return;
    try {
      await this.#hub.take(project);
      this.#hub.release(project);
    } catch (error) {
      if (error instanceof Problem) throw error;
      this.#options.onTrouble(error);
      throw new Problem('service_unavailable', {
        detail: 'The logs cannot be read at the moment.',
        cause: error,
      });
    }
  }
}

function tooMany(whose: string, max: number, of: 'person' | 'project'): Problem {
  return new Problem('rate_limit_exceeded', {
    detail: `${whose} ${max} log streams open, which is the limit. Close one first.`,
    retryAfterMs: AFTER_RETRY_MS,
    facts: { limit: `log_streams_${of}`, max: String(max) },
  });
}
