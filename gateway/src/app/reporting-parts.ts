/** Builds the parts that report failures to the log and the metrics instead of throwing them. */
import { DatabaseUnavailable } from '../database/database.ts';
import { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Clock } from '../kernel/time.ts';
import { CallRecorder, type CallRecorderOptions } from '../metering/call-recorder.ts';
import { LeftCalls, type LeftCallsOptions } from '../metering/left-calls.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Stores } from './open-stores.ts';

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

export function createLeftCalls(
  options: Omit<LeftCallsOptions, 'onTrouble'>,
  { log }: Pick<Reports, 'log'>,
): LeftCalls {
  const onTrouble = (error: unknown): void =>
    log.warn('calls that their callers left could not be renewed or charged', { error });
  return new LeftCalls({ ...options, onTrouble });
}

export function createRecorder(
  { db, file, outage }: Stores,
  { clock, log, metrics }: Reports & { readonly clock: Clock },
): CallRecorder {
  const onGroup: CallRecorderOptions['onGroup'] = (group) => metrics.groupCommitted(group);
  const onTrouble: CallRecorderOptions['onTrouble'] = (error, group) => {
    metrics.commitTrouble();
    log.error('calls could not be recorded', { error, ...group });
  };
  // Its groups were counted when they became durable.
  const journal = outage.openJournal({
    // While the database does not answer, this is no trouble for stored calls: they are retried.
    onTrouble: (error, group) => error instanceof DatabaseUnavailable || onTrouble(error, group),
  });
  const { outage: known } = outage;
  return new CallRecorder({ db, clock, file, journal, onGroup, onTrouble, outage: known });
}
