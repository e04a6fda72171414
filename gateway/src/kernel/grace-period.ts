/** A signal that aborts some time after another one: a request already sent may still be answered during a shutdown. */
import type { Clock } from './time.ts';

export class GracePeriod {
  readonly #late = new AbortController();
  #cancel: (() => void) | null = null;
  readonly #begin: () => void;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal, { clock, waitMs }: { clock: Clock; waitMs: number }) {
    this.#signal = signal;
    this.#begin = () => {
      this.#cancel = clock.after(waitMs, () => this.#late.abort());
    };
    if (signal.aborted) this.#begin();
    else signal.addEventListener('abort', this.#begin, { once: true });
  }

  get signal(): AbortSignal {
    return this.#late.signal;
  }

  end(): void {
    this.#cancel?.();
    this.#signal.removeEventListener('abort', this.#begin);
  }
}
