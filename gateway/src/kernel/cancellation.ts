/**
 * Says, once, that a piece of work is cancelled. It has one listener at a time, because a call
 * goes through its steps one after the other; that makes it far cheaper than an AbortSignal, and every
 * call has one.
 */
export class Cancellation {
  #cancelled = false;
  #listener: (() => void) | null = null;

  get cancelled(): boolean {
    return this.#cancelled;
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#listener?.();
  }

  /** Takes the place of the listener before it; called at once when it is already cancelled. */
  onCancel(listener: (() => void) | null): void {
    this.#listener = listener;
    if (this.#cancelled) listener?.();
  }
}
