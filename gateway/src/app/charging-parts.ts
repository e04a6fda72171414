/** Builds what records calls and decides whether callers may still spend. */
import { DatabaseUnavailable } from '../database/database.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Clock } from '../kernel/time.ts';
import { ZERO } from '../kernel/units.ts';
import { Settler } from '../ledger/settler.ts';
import { Admission } from '../metering/admission.ts';
import { Attributions } from '../metering/attribution/attributions.ts';
import { CallRecorder, type CallRecorderOptions } from '../metering/call-recorder.ts';
import { LeftCalls } from '../metering/left-calls.ts';
import { LeftRows } from '../metering/left-rows.ts';
import { PurseBook } from '../metering/purses/purse-book.ts';
import { oldestHoldMs } from '../metering/purses/purse-figures.ts';
import { PurseNotices } from '../metering/purses/purse-notices.ts';
import { DatabasePurses, readMeanCost } from '../metering/purses/purses.store.ts';
import { OwnProcess } from '../processes/own-process.ts';
import type { ProcessActivity } from '../processes/processes.store.ts';
import { attributionBounds, callMsMax } from './call-limits.ts';
import type { Limits } from './limits.ts';
import type { Stores } from './open-stores.ts';
import type { Reports } from './reporting-parts.ts';
import type { Part } from './running-parts.ts';
import { flushMs, type StopPlan } from './stop-plan.ts';
import { version } from './version.ts';

export interface ChargingParts {
  readonly recorder: CallRecorder;
  readonly admission: Admission;
  readonly leftCalls: LeftCalls;
  readonly attributions: Attributions;
  readonly book: PurseBook;
  /** What calls hold, and what this process has exchanged with others. */
  readonly activity: () => ProcessActivity;
  /** What also runs when somebody asks for it. */
  readonly sweepers: ReadonlyArray<{ runOnce(): Promise<unknown> }>;
  /** In the order in which they are started: first the calls that a crash left in the file. */
  readonly parts: ReadonlyArray<Part<StopPlan>>;
}

interface Tools extends Reports {
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly roles: ReadonlySet<string>;
  readonly limits: Limits;
  readonly publicUrl: string | null;
}

export function createCharging(stores: Stores, tools: Tools): ChargingParts {
  const { db, outage } = stores;
  const { clock, background, log, roles, limits } = tools;
  const own = new OwnProcess({
    db,
    clock,
    version,
    roles: [...roles].join(','),
    journal: outage.outage !== null,
    activity: () => activity(),
    onTrouble: (error) => log.warn('the lease of this process could not be renewed', { error }),
  });
  const [settler, leftRows] = [new Settler({ db, clock }), new LeftRows({ db, clock })];
  const recorder: CallRecorder = createRecorder(stores, tools, {
    process: own,
    onCharged: (spaces) => settler.charged(spaces),
    onForeignRow: (charge) => admission.charged(charge),
  });
  const book = new PurseBook({
    clock,
    store: new DatabasePurses({ db, clock, process: () => own.id }),
    unapplied: ({ id, window }) => recorder.unappliedCosts(window ?? '').get(id) ?? ZERO,
    onEnded: () => own.runOnce(),
    isOutage: () => outage.outage?.isSuspected ?? false,
    isLeased: () => own.isLeased,
    onTrouble: (error) => log.warn('slices of units and limits could not be changed', { error }),
  });
  own.onRegistered(() => book.loseAll());
  const admission: Admission = new Admission({
    clock,
    book,
    process: () => own.id,
    callMsMax: callMsMax(limits),
    meanCost: (of) => readMeanCost(db, of),
    publicUrl: tools.publicUrl,
  });
  const activity = (): ProcessActivity => ({
    holds: book.holds.size,
    oldestHoldMs: oldestHoldMs(book, clock.elapsedMs()),
    recallsSent: book.recalls.sent,
    recallsAnswered: book.recalls.answered,
    slicesFolded: leftRows.slicesFolded,
  });
  const onTrouble = (error: unknown): void =>
    log.warn('calls that their callers left could not be renewed or charged', { error });
  const leftCalls = new LeftCalls({ db, clock, recorder, background, process: () => own.id, onTrouble });
  const calls: Part<StopPlan>['running'] = {
    start: () => recorder.start(),
    stop: (plan) => recorder.stop(flushMs(plan, clock)),
  };
  return {
    recorder,
    admission,
    leftCalls,
    attributions: new Attributions({ db, clock, background, bounds: attributionBounds(limits) }),
    book,
    activity,
    sweepers: [settler, leftRows],
    parts: [
      { name: 'this process', stopsAt: 'connections', running: own },
      { name: 'calls', stopsAt: 'calls', running: calls },
      { name: 'units and limits', stopsAt: 'stores', running: book },
      {
        name: 'notices about purses',
        stopsAt: 'followers',
        running: new PurseNotices({ db, book, process: () => own.id }),
      },
      { name: 'left calls', stopsAt: 'stores', running: leftCalls },
      { name: 'settlement of calls', stopsAt: 'followers', running: settler },
      { name: 'rows of ended processes', stopsAt: 'followers', running: leftRows },
    ],
  };
}

function createRecorder(
  { db, file, outage }: Stores,
  { clock, log, metrics }: Tools,
  of: Required<Pick<CallRecorderOptions, 'onCharged' | 'onForeignRow'>> & { process: OwnProcess },
): CallRecorder {
  const onGroup: CallRecorderOptions['onGroup'] = (group) => metrics.groupCommitted(group);
  const onTrouble: CallRecorderOptions['onTrouble'] = (error, group) => {
    metrics.commitTrouble();
    log.error('calls could not be recorded', { error, ...group });
  };
  // Its groups were counted when they became durable.
  const journal = outage.openJournal({
    writer: () => of.process.journalWriter(),
    // While the database does not answer, this is no trouble for stored calls: they are retried.
    onTrouble: (error, group) => error instanceof DatabaseUnavailable || onTrouble(error, group),
  });
  const { outage: known } = outage;
  return new CallRecorder({ db, clock, file, journal, onGroup, onTrouble, outage: known, ...of });
}
