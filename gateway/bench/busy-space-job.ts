/** What a process of `bench:busy` is asked to do, and what it answers. */
import type { Caller } from './commit-call.ts';

export interface BusyJob {
  readonly caller: Caller;
  /** Calls that wait for their commit at any time. */
  readonly callers: number;
  readonly windowMs: number;
}

export interface BusyResult {
  readonly calls: number;
  readonly commits: number;
  readonly elapsedMs: number;
  readonly cpuUs: number;
  /** From the end of a call to its durable charge. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}
