/**
 * Runs one fault under load: callers call, something breaks for a while and works again, and when calls are answered
 * the gateway is stopped and its books are compared with what the callers and the provider have seen.
 */
import { expect } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { systemClock as clock, pause } from '../../src/kernel/time.ts';
import { verifyBooks } from '../../src/reports/verify-books.store.ts';
import { readLedger } from '../chaos/ledger.ts';
import { type FaultFigures, type FaultRun, figuresOf, printFigures, wrongBooks } from './fault-figures.ts';
import { CALLERS, FaultLoad, type FaultTarget, type OtherRequest } from './fault-load.ts';

/** `npm run test:faults` sets 30 s; the suite is content with less. */
export const OUTAGE_MS = Number(process.env.TOLLGATE_OUTAGE_MS ?? 700);
export const isLongForm = process.env.TOLLGATE_OUTAGE_MS !== undefined;
/** Time for a test that waits through an outage; calls that wait for their commit may take 30 s more. */
export const FAULT_TEST_MS = 180_000 + 2 * OUTAGE_MS;
/** Answers while the database is away: the call is rejected, or it waited too long for its commit. */
export const AWAY = ['200', '503 service_unavailable', '200, ended with an error'];
const CALLS_BEFORE = 5 * CALLERS;
const CALLS_AFTERWARDS = 10 * CALLERS;

export interface Fault {
  readonly name: string;
  /** Breaks it. */
  begin(): Promise<void> | void;
  /** Repairs it; resolves when it works. */
  end(): Promise<void> | void;
  readonly outageMs?: number;
  /** Runs beside the calls. */
  readonly other?: OtherRequest;
}

export interface FaultStage extends FaultTarget {
  /** Orderly, so that everything is recorded. */
  stopGateway(): Promise<void>;
  /** After the gateway has stopped. */
  openBooks(): Promise<Database>;
}

export async function runFault(stage: FaultStage, fault: Fault): Promise<FaultFigures> {
  const load = new FaultLoad(stage, fault.other);
  load.start();
  await load.answered(CALLS_BEFORE, 0);
  const beganMs = clock.elapsedMs();
  await fault.begin();
  await pause(clock, fault.outageMs ?? OUTAGE_MS);
  await fault.end();
  const overMs = clock.elapsedMs();
  await load.answered(CALLS_AFTERWARDS, overMs);
  await load.stop();
  await stage.stopGateway();
  const { notes, others, seen } = load;
  const run: FaultRun = { ...fault, notes, others, seen, beganMs, overMs, ...(await readBooks(stage)) };
  const figures = figuresOf(run);
  process.stderr.write(`${printFigures(fault.name, figures)}\n`);
  expect(wrongBooks(run)).toEqual([]);
  return figures;
}

async function readBooks(stage: FaultStage): Promise<Pick<FaultRun, 'ledger' | 'verdict'>> {
  const db = await stage.openBooks();
  try {
    return { ledger: await readLedger(db), verdict: await verifyBooks(db) };
  } finally {
    await db.close();
  }
}

export function booksAt(place: { folder: string; databaseUrl: string | null }): Promise<Database> {
  return openDatabase({ url: place.databaseUrl, folder: place.folder, clock });
}
