/**
 * Something that a provider must create at most once, such as a batch or a video. This folder owns the order of the
 * steps (advance-provider-job.ts); the parts that use it own what the steps do.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { Database } from '../database/database.ts';
import type { LeasedJob } from '../jobs/jobs.store.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import type { ProviderJobTable } from './provider-jobs.store.ts';

/** The job as the provider reports it. */
export interface RemoteJob {
  readonly id: string;
}

/** There is nothing to do before this moment. */
export interface Again {
  readonly again: Instant;
}

export interface ProviderJobTools {
  readonly db: Database;
  readonly clock: Clock;
  /** The longest time between two polls. */
  readonly pollMs: number;
  /** How long after it was sent a create request that got no answer may still take effect. */
  readonly unknownMs: number;
}

/** What choosing a route needs. */
export interface RouteTools {
  readonly catalog: () => Catalog;
  readonly providers: Pick<ProviderRegistry, 'get'>;
}

/** One turn at a job. The signal aborts when the process stops or the lease is lost. */
export interface Turn<Tools> {
  readonly signal: AbortSignal;
  readonly tools: Tools;
}

/** What is committed about a job. */
export interface CommittedState {
  readonly provider: string | null;
  /** When the create request was sent, or was about to be. Null: nothing was sent, or it created nothing. */
  readonly sentAt: Instant | null;
  /** Null until the provider's answer is committed. */
  readonly remoteId: string | null;
  readonly expiresAt: Instant;
  /** Polls become less frequent with the time since then. Null: poll as often as allowed. */
  readonly pollingSince: Instant | null;
}

/**
 * What a search at the provider found. `unclear`: a running job may be ours, and can be identified once it is done.
 * `unknowable`: the provider cannot be asked, or its answer does not say which job is ours.
 */
export type Found<Remote extends RemoteJob> = Remote | 'absent' | 'unclear' | 'unknowable';

/** How to find a job whose create request got no answer. */
export interface Search<Remote extends RemoteJob> {
  find(
    sent: { readonly sentAt: Instant; isOther(remoteId: string): Promise<boolean> },
    signal: AbortSignal,
  ): Promise<Found<Remote>>;
  /** Makes a create request that is still on its way fail, however late it arrives. */
  readonly withdraw?: (signal: AbortSignal) => Promise<void>;
}

/** The answer to a create request, or what happens instead. */
export type Creation<Remote extends RemoteJob, Outcome> =
  | { readonly remote: Remote }
  | { readonly instead: Outcome };

export interface ProviderJob<Remote extends RemoteJob, Outcome> {
  readonly lease: LeasedJob;
  readonly table: ProviderJobTable;
  readonly state: CommittedState;
  /** Null when the provider cannot have created anything from what was sent so far. */
  readonly search: Search<Remote> | null;
  /** The same job with what has been committed since. */
  reload(): Promise<ProviderJob<Remote, Outcome>>;
  /** Null when the provider no longer has the job. */
  status(remoteId: string, signal: AbortSignal): Promise<Remote | null>;
  /** Continues from the status that the provider reported. */
  follow(remote: Remote | null, signal: AbortSignal): Promise<Outcome | Again>;
  /** Called while the provider has nothing: ends a job that is cancelled or expired. Null: create it. */
  endBeforeCreate(): Outcome | null;
  create(signal: AbortSignal): Promise<Creation<Remote, Outcome | Again>>;
  /** It may exist at the provider, so it must not be created again; it cannot be found, so it ends. */
  endUnknowable(): Outcome;
  /** Ends a job whose provider has been unreachable until long after its expiry. Absent: keep trying. */
  readonly giveUp?: () => Outcome;
}
