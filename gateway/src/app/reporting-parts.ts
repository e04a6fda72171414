/** Builds the parts that report failures to the log and the metrics instead of throwing them. */
import { BackgroundTasks } from '../kernel/background-tasks.ts';
import { CallRecorder, type CallRecorderOptions } from '../metering/call-recorder.ts';
import { KeptResponses } from '../responses/kept-responses.ts';
import type { MediaKeeperTools } from '../responses/media-keeper.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Limits } from './limits.ts';

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

export function createRecorder(
  tools: Pick<CallRecorderOptions, 'db' | 'clock' | 'file'>,
  { log, metrics }: Reports,
): CallRecorder {
  return new CallRecorder({
    ...tools,
    onGroup: (group) => metrics.groupCommitted(group),
    onTrouble: (error, group) => {
      metrics.commitTrouble();
      log.error('calls could not be recorded', { error, ...group });
    },
  });
}

export function createKeptResponses(
  tools: MediaKeeperTools,
  { limits, log, metrics }: Reports & { readonly limits: Limits },
): KeptResponses {
  return new KeptResponses({
    ...tools,
    limits: { responseBytesMax: limits.keptResponseBytes, spaceBytesMax: limits.keptSpaceBytes },
    onNotKept: (reason, error) => {
      metrics.responseNotKept(reason);
      log.warn('a response is not kept', { reason, error });
    },
    onSweepFailed: (error) => log.warn('expired responses could not be removed', { error }),
  });
}
