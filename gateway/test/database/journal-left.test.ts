/** Journals that processes leave on the disk: each is applied once, by the next start, to the database it belongs to. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { backgroundPrincipal } from '../../src/access/principal.ts';
import { checkJournal } from '../../src/app/doctor/check-journal.ts';
import type { Settings } from '../../src/app/settings.ts';
import { type Database, DatabaseUnavailable } from '../../src/database/database.ts';
import { DatabaseOutage } from '../../src/database/database-outage.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { monthOf, systemClock } from '../../src/kernel/time.ts';
import { parseUnits } from '../../src/kernel/units.ts';
import { attributionOf } from '../../src/metering/attribution/attribution.ts';
import { CallJournal } from '../../src/metering/call-journal.ts';
import type { CallRecord } from '../../src/metering/call-record.ts';
import { CallRecorder } from '../../src/metering/call-recorder.ts';
import { WRITE_AHEAD_FOLDER } from '../../src/metering/recover-calls.ts';
import { callOf, makeSpace, readBooks } from '../chaos/books.ts';
import { imbalances, readLedger } from '../chaos/ledger.ts';
import { openAdmission } from '../support/admission.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';
import { FaultyDatabase } from '../support/faulty-database.ts';
import { PATIENCE } from '../support/patience.ts';

const bounds = { callsMax: 1_000, ageMsMax: 600_000 };
const away = new DatabaseUnavailable('no answer');
const isCommit = ({ text }: { text: string }): boolean => text.includes('charge_calls');

describe.runIf(engines.includes('postgres'))('a folder of journals', () => {
  let place: TestPlace;
  let db: Database;
  let folder: string;
  const faulty = new FaultyDatabase();

  beforeAll(async () => {
    place = await makePlace('postgres');
    folder = join(place.folder, WRITE_AHEAD_FOLDER);
    db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
  });
  afterAll(async () => {
    await db.close();
    await place.remove();
  });
  afterEach(async () => {
    faulty.before = () => null;
    faulty.after = () => null;
    expect(imbalances(await readLedger(db))).toEqual([]);
  });

  interface Started {
    readonly recorder: CallRecorder;
    readonly foreign: string[];
    readonly troubles: unknown[];
  }

  /** A process on the folder. */
  async function start(isOn = true): Promise<Started> {
    const clock = systemClock;
    const [foreign, troubles]: [string[], unknown[]] = [[], []];
    const outage = isOn ? new DatabaseOutage({ db: faulty.wrap(db), clock }) : null;
    const through = outage?.guarded() ?? faulty.wrap(db);
    const journal = new CallJournal({
      ...{ db: outage?.unnoticed() ?? through, clock, folder, bounds: isOn ? bounds : null },
      onForeign: (path) => foreign.push(path),
      onTrouble: (error) => error instanceof DatabaseUnavailable || troubles.push(error),
    });
    const recorder = new CallRecorder({ db: through, clock, journal, outage });
    await recorder.start();
    return { recorder, foreign, troubles };
  }

  /** Leaves one call in a folder without a process, as a killed process does. */
  async function leave(spaceId: string, cost: string, more: Partial<CallRecord> = {}): Promise<void> {
    faulty.before = (statement) => (isCommit(statement) ? away : null);
    const { recorder } = await start();
    await recorder.record(callOf(spaceId, cost, more));
    await recorder.stop(0);
    faulty.before = () => null;
  }

  const folders = (): string[] => (existsSync(folder) ? readdirSync(folder) : []);

  test.each([true, false])(
    'a call that was left is charged by the next start (with a journal: %s)',
    async (isOn) => {
      const spaceId = await makeSpace(db);
      await leave(spaceId, '0.5');
      expect(await readBooks(db, spaceId)).toMatchObject({ requests: 0 });
      expect(await check()).toMatchObject([
        { status: 'warning', detail: expect.stringMatching(/^1 calls wait/) },
      ]);
      const { recorder } = await start(isOn);
      expect(await readBooks(db, spaceId)).toMatchObject({ requests: 1, overage: parseUnits('0.5') });
      await recorder.stop(5_000);
      expect(folders()).toEqual([]);
    },
  );

  test('a call that was left is charged to what it is attributed to', async () => {
    const spaceId = await makeSpace(db);
    const attribution = attributionOf({ 'tag:team': 'search', end_user: 'kim', session: null });
    await leave(spaceId, '0.5', { attribution });
    const { recorder } = await start();
    const months = await db.query(sql`
      select t.requests, trim_scale(t.cost)::text as cost, a.dimensions from attributed_months t
      join attributions a on a.space_id = t.space_id and a.id = t.attribution where t.space_id = ${spaceId}`);
    expect(months).toEqual([{ requests: 1, cost: '0.5', dimensions: attribution.values }]);
    await recorder.stop(5_000);
  });

  test('a commit whose answer is lost, and which happens all the same, charges once', async () => {
    const spaceId = await makeSpace(db);
    const { recorder } = await start();
    let lost = 0;
    faulty.after = (statement) => (isCommit(statement) && lost++ < 2 ? away : null);
    await recorder.record(callOf(spaceId, '0.5'));
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 1 });
    await expect.poll(() => recorder.pending?.size, PATIENCE).toBe(0);
    expect(lost).toBe(3);
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 1, overage: parseUnits('0.5') });
    await recorder.stop(5_000);
  });

  test('a process leaves the folder of another that runs alone, and both charge their own calls', async () => {
    const spaceId = await makeSpace(db);
    faulty.before = (statement) => (isCommit(statement) ? away : null);
    const first = await start();
    await first.recorder.record(callOf(spaceId, '0.1'));
    const second = await start();
    await second.recorder.record(callOf(spaceId, '0.2'));
    expect([first.recorder.pending?.size, second.recorder.pending?.size]).toEqual([1, 1]);
    expect(folders()).toHaveLength(2);
    faulty.before = () => null;
    await Promise.all([first.recorder.stop(5_000), second.recorder.stop(5_000)]);
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 2, overage: parseUnits('0.3') });
    expect(folders()).toEqual([]);
  });

  test('calls of another database stay where they are, and are reported', async () => {
    const spaceId = await makeSpace(db);
    await leave(spaceId, '0.5');
    const path = join(folder, folders()[0] as string);
    writeFileSync(join(path, 'database'), '1/other');
    const { recorder, foreign } = await start();
    expect(foreign).toEqual([path]);
    await recorder.stop(5_000);
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 0 });
    writeFileSync(join(path, 'database'), '');
    const again = await start();
    await again.recorder.stop(5_000);
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 1 });
    expect(folders()).toEqual([]);
  });

  test('a row that the database rejects stays on the disk and is reported, and its neighbours are charged', async () => {
    const spaceId = await makeSpace(db);
    faulty.before = (statement) => (isCommit(statement) ? away : null);
    const { recorder, troubles } = await start();
    const wrong = { ...callOf(spaceId, '0.1'), attempts: 'many' as unknown as number };
    await Promise.all([recorder.record(wrong), recorder.record(callOf(spaceId, '0.2'))]);
    faulty.before = () => null;
    await recorder.stop(5_000);
    expect(troubles).not.toEqual([]);
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 1, overage: parseUnits('0.2') });
    expect(folders()).toHaveLength(1);
    const again = await start();
    expect(again.troubles).not.toEqual([]);
    await again.recorder.stop(5_000);
    expect(folders()).toHaveLength(1);
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 1 });
    rmSync(folder, { recursive: true });
  });

  test('limits count calls that the database does not have yet, each month for itself', async () => {
    const spaceId = await makeSpace(db, [{ kind: 'paid', amount: parseUnits('0.25'), expiresAt: null }]);
    faulty.before = (statement) => (isCommit(statement) ? away : null);
    const { recorder } = await start();
    await recorder.record(callOf(spaceId, '0.25', { keyId: 'key_7', memberId: 'mem_7' }));
    const month = monthOf(systemClock.now());
    const cost = parseUnits('0.25');
    expect(new Map(recorder.unappliedCosts(month))).toEqual(
      new Map([
        [spaceId, cost],
        ['key_7', cost],
        ['mem_7', cost],
      ]),
    );
    expect(new Map(recorder.unappliedCosts('2020-01'))).toEqual(new Map([[spaceId, cost]]));
    const mayCall = await openAdmission(db, { recorder });
    const caller = backgroundPrincipal({ spaceId, keyId: 'key_7', memberId: 'mem_7', spaceName: 'acme' });
    await expect(mayCall({ ...caller, overageAllowed: false })).rejects.toThrow(/has no units left/);
    faulty.before = () => null;
    await recorder.stop(5_000);
    expect(recorder.unappliedCosts(month).size).toBe(0);
  });

  async function check(): Promise<unknown> {
    const databaseUrl = new Secret(place.databaseUrl as string);
    return await checkJournal(
      { databaseUrl, dataFolder: place.folder, journal: null } as Settings,
      systemClock,
    );
  }
});
