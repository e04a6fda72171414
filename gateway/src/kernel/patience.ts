/** A signal that follows another one after a while: what was sent is waited for when the process is to stop. */
import type { Clock } from './time.ts';

export class Patience {
  readonly #late = new AbortController();
  #cancel: (() => void) | null = null;
  readonly #follow: () => void;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal, { clock, waitMs }: { clock: Clock; waitMs: number }) {
    this.#signal = signal;
    this.#follow = () => {
      this.#cancel = clock.after(waitMs, () => this.#late.abort());
    };
    if (signal.aborted) this.#follow();
    else signal.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#late.signal;
  }

  end(): void {
    this.#cancel?.();
    this.#signal.removeEventListener('abort', this.#follow);
  }
}
