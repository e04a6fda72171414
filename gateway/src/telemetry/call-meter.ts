/** What is reported of model calls: the port between the calls and their metrics. */
import type { ProblemCode } from '../kernel/problem-codes.ts';
import type { Units } from '../kernel/units.ts';
import type { ObservedTrace, UnitsSeries } from './series.ts';

/** `prepaid`: may spend only the units that it holds. `postpaid`: may use more, which is invoiced. */
export type SpaceClass = 'prepaid' | 'postpaid';

/** A call that has ended. The record of a call has this form. */
export interface MeteredCall {
  readonly endpoint: string;
  readonly model: string;
  readonly provider: string | null;
  readonly outcome: 'completed' | 'partial' | 'failed';
  readonly problem: ProblemCode | null;
  readonly usage: MeteredTokens | null;
  readonly charge: { readonly total: Units } | null;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  readonly chargedAt: number;
}

export interface MeteredTokens {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** A route as it is labelled. */
export interface MeteredRoute {
  readonly id: string;
  readonly provider: string;
}

export type QueueResult = 'served' | 'too_long' | 'full';

/** Called by every call. The lines of batches have a meter of their own. */
export interface CallMeter {
  /** Returns where its charge is counted, once that is durable; null if it is not charged by itself. */
  called(
    call: MeteredCall,
    route: MeteredRoute | null,
    spaceClass: SpaceClass,
    trace: ObservedTrace | null,
  ): UnitsSeries | null;
  /** `outcome`: `answered`, or why there was no answer. */
  attempted(route: MeteredRoute, model: string, outcome: string): void;
  /** A call was sent to this route because another one failed. */
  fellBack(route: MeteredRoute, model: string): void;
  /** A call found the route full: it waited and was `served`, waited `too_long`, or found the queue `full`. */
  queued(route: MeteredRoute, model: string, result: QueueResult): void;
  /** The provider reported counts that cannot be true; they were counted here instead. */
  implausible(route: MeteredRoute, model: string): void;
  /** A call was sent to another model. Models and reasons are those of the configuration. */
  changedModel(from: string, to: string, reason: string): void;
}
