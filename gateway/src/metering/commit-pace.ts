/**
 * How often a process commits. A commit costs the database more than the calls in it, so many processes that commit all the
 * time leave it little for calls. The more there are, the longer a busy one waits between two commits, and the more calls
 * share each. The first call after a pause never waits.
 */
import type { Clock } from '../kernel/time.ts';

/** Between the commits of all processes together, when all are busy. */
const BETWEEN_COMMITS_MS = 2.5;
const PAUSE_MS_MAX = 20;

/** Returns a function that starts a commit, and says how long it has to wait. */
export function pauseBetweenCommits(clock: Clock, processes: () => number): () => number {
  let startsMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = clock.elapsedMs();
    const gapMs = processes() <= 1 ? 0 : Math.min(processes() * BETWEEN_COMMITS_MS, PAUSE_MS_MAX);
    startsMs = Math.max(nowMs, startsMs + gapMs);
    return startsMs - nowMs;
  };
}
