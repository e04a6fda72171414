/** The port of the engines that run the lines of a batch: our own workers, or a batch at the provider. */
import type { Readable } from 'node:stream';
import type { Principal } from '../access/principal.ts';
import type { LeasedJob } from '../jobs/jobs.store.ts';
import type { Instant } from '../kernel/time.ts';
import type { Units } from '../kernel/units.ts';
import type { Batch, BatchError } from './batches.store.ts';

export interface EngineRun {
  readonly batch: Batch;
  readonly job: LeasedJob;
  readonly principal: Principal;
  /** When the lines have cost as much, no more of them run. Null: they all run. */
  readonly cap: Units | null;
  /** Opens the input file, from its start. */
  input(): Promise<Readable>;
}

/**
 * `all`: every line has a result. `cancelled` and `expired`: some lines may have none. `stopped`: this process is
 * stopping. `again`: there is nothing to do before then. `failed`: no line can run.
 */
export type EngineEnd =
  | 'all'
  | 'cancelled'
  | 'expired'
  | 'stopped'
  | { readonly again: Instant }
  | { readonly failed: readonly BatchError[] };

export interface BatchEngine {
  /** Starts or resumes a batch that is in progress or being cancelled, and stores the results of its lines. */
  run(run: EngineRun, signal: AbortSignal): Promise<EngineEnd>;
  /** Reads results that failed verification once more, before the batch is settled or quarantined. */
  readAgain?(run: EngineRun, signal: AbortSignal): Promise<void>;
  /** Removes what is left of a settled batch at the provider. Best effort. */
  forget?(batch: Batch, signal: AbortSignal): Promise<void>;
}
