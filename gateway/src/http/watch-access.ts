/** Checks again and again whether a stream may go on: regularly, and soon after keys, members or spaces have changed. */
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';

/** How long a stream or a download may continue after its person was signed out. */
export const ACCESS_CHECK_MS = 15_000;
/** Changes that follow each other are checked together. */
const CHANGE_CHECK_MS = 500;

export interface AccessWatch {
  readonly clock: Clock;
  /** Calls back when keys, members or spaces have changed, until the returned function is called. */
  readonly onAccessChange: (listener: () => void) => () => void;
}

/**
 * Calls `close` when `check` rejects because access was lost. If the database is briefly unavailable, streams continue.
 * Returns a function that ends the watch.
 */
export function watchAccess(
  { clock, onAccessChange }: AccessWatch,
  check: () => Promise<unknown>,
  close: () => void,
): () => void {
  let cancelSoon: (() => void) | null = null;
  const look = (): void => {
    check().catch((error: unknown) => {
      if (error instanceof Problem && error.status < 500) close();
    });
  };
  const cancel = [
    clock.every(ACCESS_CHECK_MS, look),
    onAccessChange(() => {
      cancelSoon ??= clock.after(CHANGE_CHECK_MS, () => {
        cancelSoon = null;
        look();
      });
    }),
  ];
  return () => {
    for (const each of cancel) each();
    cancelSoon?.();
  };
}
