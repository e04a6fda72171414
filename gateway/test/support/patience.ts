/**
 * How long a test waits for what must happen. It goes on as soon as it does, so this only says when to give up, and is
 * far longer than any wait on a busy machine.
 */
export const PATIENCE_MS = 90_000;

/** For `vi.waitFor` and `expect.poll`. */
export const PATIENCE = { timeout: PATIENCE_MS, interval: 20 };
