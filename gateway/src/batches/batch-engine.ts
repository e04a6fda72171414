/** Where the lines of a batch run: in our own workers, or in a batch of the provider's. Callers never know. */
import type { Readable } from 'node:stream';
import type { Principal } from '../access/principal.ts';
import type { HeldJob } from '../jobs/jobs.store.ts';
import type { Instant } from '../kernel/time.ts';
import type { Batch, BatchError } from './batches.store.ts';

export interface EngineRun {
  readonly batch: Batch;
  readonly job: HeldJob;
  readonly principal: Principal;
  /** Opens the input file, from its start. */
  input(): Promise<Readable>;
}

/**
 * `all`: every line is written. `cancelled` and `expired`: those that could be are. `stopped`: this process
 * must let go of it. `again`: nothing to do before then. `failed`: nothing of it can be run.
 */
export type EngineEnd =
  | 'all'
  | 'cancelled'
  | 'expired'
  | 'stopped'
  | { readonly again: Instant }
  | { readonly failed: readonly BatchError[] };

export interface BatchEngine {
  /** Takes up a batch in progress, or one that is being cancelled, and writes its lines. */
  run(run: EngineRun, signal: AbortSignal): Promise<EngineEnd>;
  /** Reads what is in doubt once more, before it is settled or held back. */
  readAgain?(run: EngineRun, signal: AbortSignal): Promise<void>;
  /** The batch is settled: what is left of it elsewhere can go. It need not succeed. */
  forget?(batch: Batch, signal: AbortSignal): Promise<void>;
}
