/** Follows a difficult log through a proxy that cuts connections, and returns what was received. */
import { LogFollower } from '../../src/client/log-follower.ts';
import type { Clock } from '../../src/kernel/time.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import type { LogServer } from './log-server.ts';
import type { NastyLog } from './nasty-log.ts';

export interface CutsResult {
  readonly cuts: number;
  readonly written: number;
  readonly received: ReadonlyMap<string, readonly string[]>;
  readonly gaps: readonly string[];
}

export interface CutsOptions {
  readonly server: LogServer;
  readonly log: NastyLog;
  readonly random: () => number;
  readonly cuts: number;
  readonly ids: boolean;
  /** Cuts between two restarts of the server; 0: no restarts. */
  readonly restartEvery: number;
  /** Disturbs the server's own connections to its sources. */
  readonly trouble?: () => void;
}

/** Real delays between attempts would make a thousand cuts take hours. */
const ATTEMPT_WAITS = [1_000, 2_000, 4_000, 8_000, 16_000];
const hurried: Clock = {
  ...systemClock,
  after: (delayMs, work) =>
    systemClock.after(ATTEMPT_WAITS.includes(delayMs) ? delayMs / 200 : delayMs, work),
};

const BEHIND_LINES_MAX = 1_500;

export async function followThroughCuts(options: CutsOptions): Promise<CutsResult> {
  const { server, log, random, ids } = options;
  // Without ids a few seconds are read again each time, which must be possible between two cuts.
  const reach = ids ? { bytesMax: 6_000, msMax: 80 } : { bytesMax: 1_000_000, msMax: 400 };
  const proxy = await startCuttingProxy(server.url, { random, ...reach });
  const follower = new LogFollower({
    url: proxy.url,
    project: 'shop',
    follow: true,
    ids,
    headers: {},
    fetch,
    clock: hurried,
  });
  const received = new Map<string, string[]>();
  const gaps: string[] = [];
  let [restarts, finished, count] = [0, false, 0];
  let lastMoment: ReturnType<typeof setTimeout> | undefined;
  let deadline: ReturnType<typeof setTimeout> | undefined;
  /** A line that does not arrive by then is lost. */
  const extendDeadline = (): void => {
    clearTimeout(deadline);
    deadline = setTimeout(() => follower.stop(), 20_000);
  };
  const writing = setInterval(
    () => {
      if (finished) return;
      if (proxy.cuts >= options.cuts) {
        finished = true;
        log.finish();
        proxy.calm();
        extendDeadline();
        return;
      }
      // A client that is always cut must not fall behind forever.
      if (log.total - count < BEHIND_LINES_MAX) log.step();
      options.trouble?.();
      if (options.restartEvery > 0 && proxy.cuts >= (restarts + 1) * options.restartEvery) {
        restarts++;
        void server.restart();
      }
    },
    options.ids ? 2 : 10,
  );
  try {
    for await (const update of follower.updates()) {
      if (update.kind === 'event' && update.event.event === 'gap') gaps.push(JSON.stringify(update.event));
      if (update.kind === 'state' && update.state === 'failed') follower.reconnect();
      if (update.kind !== 'lines') continue;
      for (const line of update.lines) {
        const source = ids ? ((line.id ?? '').split('@')[0] ?? '') : line.podName;
        const lines = received.get(source) ?? [];
        lines.push(line.content);
        received.set(source, lines);
        count++;
      }
      if (!finished) continue;
      extendDeadline();
      if (count > log.total) break;
      // Everything arrived. Wait a moment for repeated lines.
      if (count === log.total) lastMoment ??= setTimeout(() => follower.stop(), 300);
    }
  } finally {
    clearInterval(writing);
    clearTimeout(lastMoment);
    clearTimeout(deadline);
    await proxy.stop();
  }
  return { cuts: proxy.cuts, written: log.total, received, gaps };
}
