/** What the load process is told and what it answers. */
import type { VectorEncoding } from './embeddings-workload.ts';
import type { Wire } from './workload.ts';

export interface LoadJob {
  readonly port: number;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
  /** The protocol in which the target is asked. */
  readonly wire: Wire;
  /** Of embeddings, in which vectors are asked for. */
  readonly encoding: VectorEncoding;
  /** Whether to look for the time in the first frame. */
  readonly stamped: boolean;
  /** Of a long call; 0 for the usual one. */
  readonly bodyBytes: number;
  readonly streams: boolean;
  readonly connections: number;
  /** Null: a closed loop. */
  readonly ratePerSecond: number | null;
  readonly callsMax: number;
  /** No call begins after this. */
  readonly timeMs: number;
  /** How long the calls under way may still take then. */
  readonly graceMs: number;
}

export interface LoadResult {
  /** Replies that were whole and right. */
  readonly calls: number;
  readonly wrong: number;
  readonly faults: readonly string[];
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly inFlightMax: number;
  /** From the provider's first frame to its arrival; 0 where frames tell no time. */
  readonly firstFrameP50Ms: number;
  readonly firstFrameP99Ms: number;
}

export type LoadAnswer = { readonly result: LoadResult } | { readonly error: string };
