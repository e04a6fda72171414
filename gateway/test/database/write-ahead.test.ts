/** The write-ahead file of the embedded engine: what is durable there is charged, whatever happens before the database has it. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Database, DatabaseUnavailable } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { SEGMENT_MS_MAX } from '../../src/database/write-ahead-file.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { parseUnits } from '../../src/kernel/units.ts';
import { CallRecorder } from '../../src/metering/call-recorder.ts';
import { openWriteAhead, recoverCalls, WRITE_AHEAD_FOLDER } from '../../src/metering/recover-calls.ts';
import { callOf, makeSpace, readBooks } from '../chaos/books.ts';
import { imbalances, readLedger } from '../chaos/ledger.ts';
import { hastyClock } from '../chaos/trouble.ts';
import { makePlace, type TestPlace } from '../support/engines.ts';
import { FaultyDatabase } from '../support/faulty-database.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const unavailable = { code: 'service_unavailable' };
/** Nothing is applied by itself. */
const still: Clock = { ...systemClock, after: () => () => undefined };

describe('the write-ahead file of a folder', () => {
  let place: TestPlace;
  let db: Database;
  const faulty = new FaultyDatabase();

  async function open(): Promise<void> {
    db = await openDatabase({ url: null, folder: place.folder, clock: systemClock });
    await migrate(db, systemClock);
  }
  function segments(): string[] {
    const folder = join(place.folder, WRITE_AHEAD_FOLDER);
    return existsSync(folder) ? readdirSync(folder) : [];
  }
  function recorderOf(clock: Clock, onTrouble?: () => void): CallRecorder {
    const file = openWriteAhead({ folder: place.folder, clock });
    return new CallRecorder({ db: faulty.wrap(db), clock, file, ...(onTrouble && { onTrouble }) });
  }

  beforeAll(async () => {
    place = await makePlace('embedded');
    await open();
  });
  afterAll(async () => {
    await db.close();
    await place.remove();
  });
  // The books balance after every test.
  afterEach(async () => expect(imbalances(await readLedger(db))).toEqual([]));

  test('calls that a crash left only in the file are charged once when the folder is opened again', async () => {
    const spaceId = await makeSpace(db);
    const recorder = recorderOf(still);
    await Promise.all(['0.1', '0.2', '0.3'].map((cost) => recorder.record(callOf(spaceId, cost))));
    await db.close();
    await open();
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 0 });
    expect(segments()).toHaveLength(1);
    for (let again = 0; again < 2; again++) {
      await recoverCalls(db, { folder: place.folder, clock: systemClock });
      expect(await readBooks(db, spaceId)).toMatchObject({ requests: 3, overage: parseUnits('0.6') });
      expect(segments()).toEqual([]);
    }
  });

  test('a statement sees every call that is durable, and an orderly stop leaves no file', async () => {
    const spaceId = await makeSpace(db);
    const recorder = recorderOf(still);
    for (let calls = 1; calls <= 3; calls++) {
      await recorder.record(callOf(spaceId, '0.5'));
      expect(await readBooks(db, spaceId)).toMatchObject({ requests: calls });
    }
    await recorder.record(callOf(spaceId, '0.5'));
    await recorder.stop(5_000);
    expect(segments()).toEqual([]);
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 4, overage: parseUnits('2') });
  });

  test('a row that the database rejects is reported, and the others are charged', async () => {
    const spaceId = await makeSpace(db);
    let troubles = 0;
    const recorder = recorderOf(systemClock, () => troubles++);
    await Promise.all(['0.5', '-1', '0.25'].map((cost) => recorder.record(callOf(spaceId, cost))));
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 2, overage: parseUnits('0.75') });
    expect(troubles).toBeGreaterThan(0);
    await recorder.stop(5_000);
    expect(segments()).toEqual([]);
  });

  test('while the database accepts nothing, calls stay in the file, statements fail, and new calls are rejected after 2 s', async () => {
    const spaceId = await makeSpace(db);
    let elapsedMs = 0;
    const clock: Clock = { ...still, elapsedMs: () => elapsedMs };
    const recorder = recorderOf(clock);
    faulty.before = ({ text }) => (text.includes('charge_calls') ? new DatabaseUnavailable('away') : null);
    await recorder.record(callOf(spaceId, '0.5'));
    await expect(readBooks(db, spaceId)).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect(() => recorder.checkCanRecord()).not.toThrow();
    elapsedMs = 2_001;
    expect(() => recorder.checkCanRecord()).toThrow(expect.objectContaining(unavailable));
    faulty.before = () => null;
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 1, overage: parseUnits('0.5') });
    expect(() => recorder.checkCanRecord()).not.toThrow();
    await recorder.stop(5_000);
  });

  test('while the database is silent, new calls are rejected after 10 s', async () => {
    const spaceId = await makeSpace(db);
    let elapsedMs = 0;
    const recorder = recorderOf({ ...still, elapsedMs: () => elapsedMs });
    await recorder.record(callOf(spaceId, '0.5'));
    elapsedMs = 9_999;
    expect(() => recorder.checkCanRecord()).not.toThrow();
    elapsedMs = 10_001;
    expect(() => recorder.checkCanRecord()).toThrow(expect.objectContaining(unavailable));
    await recorder.stop(5_000);
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 1, overage: parseUnits('0.5') });
  });

  test('ten minutes after the last call nothing is left in the file that a crash could bring back', async () => {
    const spaceId = await makeSpace(db);
    const timers = new Map<number, () => void>();
    const clock: Clock = {
      ...still,
      after(delayMs, work) {
        timers.set(delayMs, work);
        return () => void timers.delete(delayMs);
      },
    };
    const recorder = recorderOf(clock);
    await recorder.record(callOf(spaceId, '0.5'));
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 1 });
    expect(segments()).toHaveLength(1);
    timers.get(SEGMENT_MS_MAX)?.();
    await vi.waitFor(() => expect(segments()).toEqual([]), PATIENCE);
    await recorder.record(callOf(spaceId, '0.25'));
    await recorder.stop(5_000);
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 2, overage: parseUnits('0.75') });
  });

  test('a caller whose call the disk does not take gets service_unavailable, and the call is charged when it does', async () => {
    const spaceId = await makeSpace(db);
    const folder = join(place.folder, WRITE_AHEAD_FOLDER);
    rmSync(folder, { recursive: true, force: true });
    const hasty = hastyClock();
    // Half a minute in a few retries.
    const recorder = recorderOf({ ...hasty, elapsedMs: () => hasty.elapsedMs() * 20 });
    await recorder.start();
    // A file where the folder should be.
    writeFileSync(folder, '');
    await expect(recorder.record(callOf(spaceId, '0.5'))).rejects.toMatchObject(unavailable);
    rmSync(folder);
    mkdirSync(folder);
    await recorder.flush();
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 1, overage: parseUnits('0.5') });
    await recorder.stop(5_000);
  });
});

describe('a gateway on the embedded engine', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway({ engine: 'embedded' });
  });
  afterAll(() => gateway.stop());

  test('the balance has every charge whose reply was delivered, at once', async () => {
    let spent = 0n;
    for (let call = 0; call < 5; call++) {
      const reply = await gateway.chat({ model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] });
      const { estimated_cost } = (await reply.json()) as { estimated_cost: { amount: string } };
      spent += parseUnits(estimated_cost.amount);
      const { held } = await gateway.admin('reports.balance', {});
      expect(parseUnits(held.total)).toBe(parseUnits('1000') - spent);
    }
  });
});
