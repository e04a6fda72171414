/** Builds the parts that report failures to the log and the metrics instead of throwing them. */
import { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Clock } from '../kernel/time.ts';
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

export function createOwnProcess(
  { db, outage }: Stores,
  { clock, log, roles }: { clock: Clock; log: Log; roles: ReadonlySet<string> },
): OwnProcess {
  return new OwnProcess({
    ...{ db, clock, version, roles: [...roles].join(','), journal: outage.outage !== null },
    onTrouble: (error) => log.warn('the lease of this process could not be renewed', { error }),
  });
}
