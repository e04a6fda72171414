/** What every background part of a process looks like. The list of them is in app/gateway-app.ts. */
export interface Running {
  start(): void | Promise<void>;
  /** Resolves when nothing of it is running any more. May be called twice, and without a start. */
  stop(): void | Promise<void>;
  /** One round of its work, now; throws what goes wrong. */
  runOnce?(signal?: AbortSignal): unknown;
}
