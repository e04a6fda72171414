/**
 * Follows something that runs on a server until it ends: polls it, and shows its progress on standard error, as one
 * line that changes on a terminal and as lines elsewhere. Ctrl-C leaves it running.
 */

const POLL_MS = { first: 500, most: 5_000 };
const SLOWER = 1.5;
const BAR_CHARACTERS = 30;

export interface Watched<State> {
  poll(): Promise<State>;
  isOver(state: State): boolean;
  /** Its progress in one line; null when there is nothing to show. */
  line(state: State): string | null;
  /** What to say on Ctrl-C. */
  readonly onLeave: string;
}

/** Resolves with the last state. Polls less often while nothing changes. */
export async function watch<State>(watched: Watched<State>): Promise<State> {
  const leave = (): void => {
    process.stderr.write(`\n${watched.onLeave}\n`);
    process.exit(0);
  };
  process.once('SIGINT', leave);
  try {
    let shown: string | null = null;
    for (let delayMs = POLL_MS.first; ; ) {
      const state = await watched.poll();
      const line = watched.line(state);
      delayMs = line === shown ? Math.min(delayMs * SLOWER, POLL_MS.most) : POLL_MS.first;
      if (line !== null && line !== shown) show(line);
      shown = line ?? shown;
      if (watched.isOver(state)) {
        if (shown !== null && process.stderr.isTTY) process.stderr.write('\n');
        return state;
      }
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  } finally {
    process.off('SIGINT', leave);
  }
}

/** `share` is between 0 and 1. */
export function progressBar(share: number): string {
  const filled = Math.floor(share * BAR_CHARACTERS);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_CHARACTERS - filled)}`;
}

/** On standard error, so that the result on standard output can be piped. */
function show(line: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
}
