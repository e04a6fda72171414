/**
 * Work that nobody waits for. A failure of it is handled here and nowhere else: it is reported, and the
 * process goes on. What must succeed is awaited instead.
 */
export class BackgroundTasks {
  readonly #onFailure: (error: unknown, task: string) => void;

  constructor(onFailure: (error: unknown, task: string) => void) {
    this.#onFailure = onFailure;
  }

  /** `task` names the work in the log and in the metric, so it is one of a few fixed words. */
  run(task: string, work: () => Promise<unknown>): void {
    try {
      work().catch((error: unknown) => this.#onFailure(error, task));
    } catch (error) {
      // What is not async may throw before it promises anything.
      this.#onFailure(error, task);
    }
  }
}
