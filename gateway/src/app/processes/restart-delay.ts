/** How long to wait before a process that ended unexpectedly is started again. */

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** A process that was ready this long has no lasting problem. */
const HEALTHY_MS = 60_000;

export class RestartDelay {
  #nextMs = FIRST_MS;

  /** `readyMs`: how long the process that ended was ready. */
  after(readyMs: number): number {
    if (readyMs >= HEALTHY_MS) this.#nextMs = FIRST_MS;
    const delayMs = this.#nextMs;
    this.#nextMs = Math.min(delayMs * 2, LONGEST_MS);
    return delayMs;
  }
}
