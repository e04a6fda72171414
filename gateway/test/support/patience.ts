/**
 * How long a test waits for what must happen. It goes on as soon as it does, so this only says when to give up, and is
 * far longer than any wait on a busy machine.
 */
export const PATIENCE_MS = 90_000;

/** For `vi.waitFor` and `expect.poll`. */
export const PATIENCE = { timeout: PATIENCE_MS, interval: 20 };

/** For work in the background that takes a second or more: asking every 20 ms costs more than the work itself. */
export const BACKGROUND_PATIENCE = { timeout: PATIENCE_MS, interval: 150 };

/**
 * For a test, or what is done before one, whose own work takes many seconds: a machine on which fifty programs want the
 * processor needs twenty times as long.
 */
export const WORK_MS_MAX = 30 * 60_000;
