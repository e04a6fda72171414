/**
 * What the background parts of a process look like, so that one list can start and stop them all
 * (app/gateway-app.ts).
 */

/** Holds a timer, a thread, a connection or unfinished work, which must end before the process does. */
export interface Stoppable {
  /** Resolves when nothing of it runs any more. May be called twice, and without a start. */
  stop(): void | Promise<void>;
}

export interface Running extends Stoppable {
  start(): void | Promise<void>;
  /** One round of its work, now. Throws what goes wrong. */
  runOnce?(signal?: AbortSignal): unknown;
}
