/** Builds the parts that report failures to the log and the metrics instead of throwing them. */
import { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export interface Reports {
  readonly log: Log;
  readonly metrics: Metrics;
}

export function createBackground({ log, metrics }: Reports): BackgroundTasks {
  return new BackgroundTasks((error, task) => {
    metrics.backgroundFailed(task);
    log.warn('background work failed', { task, error });
  });
}
