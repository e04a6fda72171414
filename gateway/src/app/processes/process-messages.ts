/** What a supervisor and its processes send each other, as JSON over the IPC channel. */
import type { ReadMetric } from '../../telemetry/write-metrics.ts';
import type { StopWay } from '../stop-plan.ts';

export type ToProcess =
  | { readonly type: 'stop'; readonly way: StopWay }
  /** Asks for the metrics. */
  | { readonly type: 'metrics' };

export type FromProcess =
  | { readonly type: 'ready'; readonly port: number | null; readonly stopMsMax: number }
  /** It could not start; an error cannot be sent as such. */
  | { readonly type: 'failed'; readonly name: string; readonly message: string }
  /** An answer, or the last values before it ends. */
  | { readonly type: 'metrics'; readonly metrics: readonly ReadMetric[] };

/** What a process knows about itself from its start on. */
export interface ProcessFacts {
  /** 1 to the number of processes; a replacement has the number of the process that it replaces. */
  readonly number: number;
  /** The page of the supervisor; null if its port is in use. */
  readonly metricsUrl: string | null;
}

/** The environment variable with the facts. */
export const FACTS_VARIABLE = 'TOLLGATE_PROCESS';
