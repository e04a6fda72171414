/** Builds what records calls and decides whether callers may still spend. */
import { DatabaseUnavailable } from '../database/database.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import { randomBase62 } from '../kernel/ids.ts';
import type { Clock } from '../kernel/time.ts';
import { Settler } from '../ledger/settler.ts';
import { Admission } from '../metering/admission.ts';
import { CallRecorder, type CallRecorderOptions } from '../metering/call-recorder.ts';
import { LeftCalls } from '../metering/left-calls.ts';
import { LeftRows } from '../metering/left-rows.ts';
import { OwnProcess } from '../processes/own-process.ts';
import type { Stores } from './open-stores.ts';
import type { Reports } from './reporting-parts.ts';
import type { Part } from './running-parts.ts';
import { flushMs, type StopPlan } from './stop-plan.ts';
import { version } from './version.ts';

export interface ChargingParts {
  readonly recorder: CallRecorder;
  readonly admission: Admission;
  readonly leftCalls: LeftCalls;
  /** What also runs when somebody asks for it. */
  readonly sweepers: ReadonlyArray<{ runOnce(): Promise<unknown> }>;
  /** In the order in which they are started: first the calls that a crash left in the file. */
  readonly parts: ReadonlyArray<Part<StopPlan>>;
}

interface Tools extends Reports {
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly roles: ReadonlySet<string>;
}

export function createCharging(stores: Stores, tools: Tools): ChargingParts {
  const { db, outage } = stores;
  const { clock, background, log, roles } = tools;
  const own = new OwnProcess({
    ...{ db, clock, version, roles: [...roles].join(','), journal: outage.outage !== null },
    onTrouble: (error) => log.warn('the lease of this process could not be renewed', { error }),
  });
  const [settler, leftRows] = [new Settler({ db, clock }), new LeftRows({ db, clock })];
  const recorder = createRecorder(stores, tools, {
    process: own,
    onCharged: (spaces) => settler.charged(spaces),
  });
  const shared = { db, clock, recorder, process: randomBase62(16) };
  const admission = new Admission({ ...shared, viewMsMax: outage.viewMsMax });
  const onTrouble = (error: unknown): void =>
    log.warn('calls that their callers left could not be renewed or charged', { error });
  const leftCalls = new LeftCalls({ ...shared, admission, background, onTrouble });
  const calls: Part<StopPlan>['running'] = {
    start: () => recorder.start(),
    stop: (plan) => recorder.stop(flushMs(plan, clock)),
  };
  return {
    ...{ recorder, admission, leftCalls, sweepers: [settler, leftRows] },
    parts: [
      { name: 'this process', stopsAt: 'connections', running: own },
      { name: 'calls', stopsAt: 'calls', running: calls },
      { name: 'spending limits', stopsAt: 'followers', running: admission },
      { name: 'left calls', stopsAt: 'stores', running: leftCalls },
      { name: 'settlement of calls', stopsAt: 'followers', running: settler },
      { name: 'rows of ended processes', stopsAt: 'followers', running: leftRows },
    ],
  };
}

function createRecorder(
  { db, file, outage }: Stores,
  { clock, log, metrics }: Tools,
  of: Required<Pick<CallRecorderOptions, 'process' | 'onCharged'>>,
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
