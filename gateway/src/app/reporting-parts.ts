/** Builds the parts that report failures to the log and the metrics instead of throwing them. */
import { DatabaseUnavailable } from '../database/database.ts';
import { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Clock } from '../kernel/time.ts';
import { CallRecorder, type CallRecorderOptions } from '../metering/call-recorder.ts';
import { OwnProcess } from '../processes/own-process.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Stores } from './open-stores.ts';
import { version } from './version.ts';

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
  { db, file, outage }: Stores,
  {
    clock,
    log,
    metrics,
    ...of
  }: Reports & { readonly clock: Clock } & Pick<CallRecorderOptions, 'process' | 'onCharged'>,
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
  return new CallRecorder({ db, clock, file, journal, onGroup, onTrouble, outage: known, ...of });
}

export function createOwnProcess(
  { db, outage }: Stores,
  { clock, log, roles }: { clock: Clock; log: Log; roles: ReadonlySet<string> },
): OwnProcess {
  return new OwnProcess({
    ...{ db, clock, version, roles: [...roles].join(','), journal: outage.outage !== null },
    onTrouble: (error) => log.warn('the lease of this process could not be renewed', { error }),
  });
}
