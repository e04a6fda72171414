/**
 * Runs work that no caller waits for. Its failures are handled here and nowhere else: they are reported, and the process
 * continues. Work that must succeed is awaited instead.
 */
export class BackgroundTasks {
  readonly #onFailure: (error: unknown, task: string) => void;

  constructor(onFailure: (error: unknown, task: string) => void) {
    this.#onFailure = onFailure;
  }

  /** `task` names the work in logs and metrics, so it must be one of a few fixed words. */
  run(task: string, work: () => Promise<unknown>): void {
    try {
      work().catch((error: unknown) => this.#onFailure(error, task));
    } catch (error) {
      // A function that is not async may throw before it returns a promise.
      this.#onFailure(error, task);
    }
  }
}
