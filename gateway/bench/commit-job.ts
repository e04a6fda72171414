/** What a process of `bench:commits` is asked to do, and what it answers. */
import type { Caller } from './commit-call.ts';

export interface CommitJob {
  /** Whose calls are recorded, in turn. */
  readonly callers: readonly Caller[];
  /** Calls that wait for their commit at any time, at most. */
  readonly concurrent: number;
  /** How many processes do the same. */
  readonly processes: number;
  readonly windowMs: number;
}

export interface CommitResult {
  readonly calls: number;
  readonly commits: number;
  readonly elapsedMs: number;
  readonly cpuUs: number;
  /** From the end of a call to its durable charge. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}
