/** Builds what records calls and decides whether callers may still spend. */
import { DatabaseUnavailable } from '../database/database.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Clock } from '../kernel/time.ts';
import { Admission } from '../metering/admission.ts';
import { CallRecorder, type CallRecorderOptions } from '../metering/call-recorder.ts';
import { LeftCalls } from '../metering/left-calls.ts';
import type { OwnProcess } from '../processes/own-process.ts';
import type { Stores } from './open-stores.ts';
import type { Reports } from './reporting-parts.ts';

export interface ChargingParts {
  readonly recorder: CallRecorder;
  readonly admission: Admission;
  readonly leftCalls: LeftCalls;
}

type Tools = Reports & {
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly process: OwnProcess;
  readonly onCharged: (spaces: readonly string[]) => void;
};

export function createCharging(stores: Stores, tools: Tools): ChargingParts {
  const { clock, background, log } = tools;
  const recorder = createRecorder(stores, tools);
  const shared = { db: stores.db, clock, recorder, process: tools.process.id };
  const admission = new Admission({ ...shared, viewMsMax: stores.outage.viewMsMax });
  const onTrouble = (error: unknown): void =>
    log.warn('calls that their callers left could not be renewed or charged', { error });
  const leftCalls = new LeftCalls({ ...shared, admission, background, onTrouble });
  return { recorder, admission, leftCalls };
}

function createRecorder({ db, file, outage }: Stores, { clock, log, metrics, process, onCharged }: Tools): CallRecorder {
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
  return new CallRecorder({ db, clock, file, journal, onGroup, onTrouble, outage: known, process, onCharged });
}
