/**
 * Cancels a piece of work. It has one listener at a time, because a call runs its steps one after the other. That makes it
 * far cheaper than an AbortSignal, and every call has one.
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

  /** Replaces the previous listener; calls the new one at once if it is already cancelled. */
  onCancel(listener: (() => void) | null): void {
    this.#listener = listener;
    if (this.#cancelled) listener?.();
  }
}
