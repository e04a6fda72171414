/** When a client has to have sent the head of a request, and its body. Bytes that belong to no head gain it no time. */
import type { ConnectionHost } from './connection-host.ts';

export class RequestDeadlines {
  readonly #host: Pick<ConnectionHost, 'clock' | 'headMs' | 'requestMs' | 'keepAliveMs'>;
  /** When bytes were received, or received bytes were looked at again. */
  #readMs: number;
  /** Since when a head is awaited: the client connected, or sent the beginning of a head. Null on an idle connection. */
  #headSinceMs: number | null;
  /** When the request that is being received began. */
  #sinceMs: number;
  /** Since when nothing is answered. */
  quietSinceMs: number;

  constructor(host: ConnectionHost) {
    this.#host = host;
    this.#readMs = this.#sinceMs = this.quietSinceMs = host.clock.elapsedMs();
    this.#headSinceMs = this.#readMs;
  }

  bytesRead(): void {
    this.#readMs = this.#host.clock.elapsedMs();
  }

  headBegan(): void {
    this.#headSinceMs ??= this.#readMs;
  }

  requestBegan(): void {
    this.#sinceMs = this.#headSinceMs ?? this.#readMs;
    this.#headSinceMs = null;
  }

  answered(): void {
    this.quietSinceMs = this.#host.clock.elapsedMs();
  }

  isBodyLate(nowMs: number): boolean {
    return nowMs - this.#sinceMs > this.#host.requestMs;
  }

  /** Without a request. `idle`: nothing of the next one was received. */
  missed(nowMs: number): 'head' | 'idle' | null {
    const { headMs, keepAliveMs } = this.#host;
    if (this.#headSinceMs !== null) return nowMs - this.#headSinceMs > headMs ? 'head' : null;
    return nowMs - this.quietSinceMs > keepAliveMs ? 'idle' : null;
  }
}
