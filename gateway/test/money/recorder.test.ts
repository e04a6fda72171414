/** Recording calls: how one commit changes rows, totals and units, on a real database. */
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Database, DatabaseUnavailable } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { wasUndone } from '../../src/database/postgres-connection.ts';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { parseUnits } from '../../src/kernel/units.ts';
import { type CallRecord, callColumns, callRow, joinRows } from '../../src/metering/call-record.ts';
import { CATCH_UP_MS, CallRecorder, UNHEALTHY_AFTER_MS } from '../../src/metering/call-recorder.ts';
import { GROUP_CALLS_MAX } from '../../src/metering/call-writer.ts';
import { recordCalls } from '../../src/metering/calls.store.ts';
import { callOf, makeSpace, readBooks } from '../chaos/books.ts';
import { imbalances, readLedger } from '../chaos/ledger.ts';
import { type ModelGrant, spend } from '../chaos/spend-model.ts';
import { hastyClock, troubledRecorder, wrap } from '../chaos/trouble.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';
import { PATIENCE } from '../support/patience.ts';

const refused = { code: 'service_unavailable' };

function grant(kind: 'promo' | 'paid', amount: string, days: number | null = null): ModelGrant {
  return {
    kind,
    amount: parseUnits(amount),
    expiresAt: days === null ? null : systemClock.now() + days * DAY_MS,
  };
}

function groupOf(calls: readonly CallRecord[]) {
  const spaces = [...new Set(calls.map((call) => call.spaceId))];
  return { rows: joinRows(calls.map(callRow)), spaces, at: systemClock.now() };
}

describe.each(engines)('recording on %s', (engine) => {
  let place: TestPlace;
  let db: Database;

  beforeAll(async () => {
    place = await makePlace(engine);
    db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
    await migrate(db, systemClock);
  });
  afterAll(async () => {
    await db.close();
    await place.remove();
  });
  // The books balance after every test.
  afterEach(async () => expect(imbalances(await readLedger(db))).toEqual([]));

  test('a row has its fields in the order of the columns; the database adds the entry', async () => {
    const columns = await db.query<{ column_name: string }>(sql`
      select column_name from information_schema.columns where table_name = 'calls' order by ordinal_position`);
    const names = columns.map((column) => column.column_name);
    // The function itself adds the entry, and stores the values of the attribution elsewhere.
    expect(names.toSpliced(names.indexOf('entry_id'), 1)).toEqual(
      callColumns.filter((name) => name !== 'dimensions'),
    );
    expect(callColumns.slice(-2)).toEqual(['dimensions', 'budgets']);
  });

  test('calls that finish together share one commit; those that finish during it share the next', async () => {
    const groups: number[] = [];
    const sent = Promise.withResolvers<void>();
    const watched = wrap(db, (statement) => {
      sent.resolve();
      return db.query(statement);
    });
    const onGroup = (group: { calls: number }): void => void groups.push(group.calls);
    const recorder = new CallRecorder({ db: watched, clock: systemClock, onGroup });
    const spaceId = await makeSpace(db);
    const record = (count: number): Promise<void>[] =>
      Array.from({ length: count }, () => recorder.record(callOf(spaceId, '0.1')));
    const first = record(60);
    await sent.promise;
    await Promise.all([...first, ...record(40)]);
    expect(groups).toEqual([60, 40]);
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 100, overage: parseUnits('10') });
  });

  test('a group never exceeds its limit', async () => {
    const groups: number[] = [];
    const onGroup = (group: { calls: number }): void => void groups.push(group.calls);
    const recorder = new CallRecorder({ db, clock: systemClock, onGroup });
    const spaceId = await makeSpace(db);
    const calls = Array.from({ length: GROUP_CALLS_MAX * 2 + 7 }, () => callOf(spaceId, 1n));
    await Promise.all(calls.map((call) => recorder.record(call)));
    expect(groups).toEqual([GROUP_CALLS_MAX, GROUP_CALLS_MAX, 7]);
  });

  test.runIf(engine === 'postgres')(
    'a commit that hangs with its locks delays only the calls in it, and no process rejects calls because of it',
    async () => {
      const spaceId = await makeSpace(db);
      const process = { writers: 2, writer: (place: number) => 1_000 + place, alive: () => 1 };
      let aheadMs = 0;
      const clock = { ...systemClock, elapsedMs: () => systemClock.elapsedMs() + aheadMs };
      const [recorder, other] = [new CallRecorder({ db, clock, process }), new CallRecorder({ db, clock })];
      const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = db.transaction(async (tx) => {
        await recordCalls(tx, { ...groupOf([callOf(spaceId, '0.1')]), writer: 1_000 });
        held.resolve();
        await release.promise;
      });
      await held.promise;
      const hung = Promise.withResolvers<string>();
      const first = recorder.record(callOf(spaceId, '0.1')).then(() => hung.resolve('committed'));
      await other.record(callOf(spaceId, '0.1'));
      await vi.waitFor(async () => {
        const waits = await db.query(sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'`);
        expect(waits).not.toEqual([]);
      }, PATIENCE);
      // These wait behind the group in flight until it is late, and are then taken by the next writer.
      await Promise.all([1, 2, 3].map(() => recorder.record(callOf(spaceId, '0.1'))));
      await recorder.record(callOf(spaceId, '0.1'));
      aheadMs = UNHEALTHY_AFTER_MS + CATCH_UP_MS + 1;
      expect(() => recorder.checkCanRecord()).not.toThrow();
      hung.resolve('not yet');
      expect(await hung.promise).toBe('not yet');
      release.resolve();
      await Promise.all([holding, first]);
      expect(await readBooks(db, spaceId)).toMatchObject({ requests: 7, overage: parseUnits('0.7') });
    },
  );

  test('a group that is sent twice, or has the same id twice, is charged once', async () => {
    const spaceId = await makeSpace(db, [grant('promo', '1', 1), grant('paid', '1')]);
    const call = callOf(spaceId, '0.7');
    const group = groupOf([call, callOf(spaceId, '0.6'), call]);
    expect(await recordCalls(db, group)).toBe(2);
    const books = await readBooks(db, spaceId);
    expect(books).toMatchObject({ remaining: [0n, parseUnits('0.7')], overage: 0n, requests: 2 });
    expect(await recordCalls(db, group)).toBe(0);
    expect(await readBooks(db, spaceId)).toEqual(books);
  });

  test('a repeated call in a group of new ones is not charged again, and the new ones are', async () => {
    const spaceId = await makeSpace(db);
    const old = callOf(spaceId, '0.25');
    await recordCalls(db, groupOf([old]));
    expect(await recordCalls(db, groupOf([callOf(spaceId, '1'), old]))).toBe(1);
    expect(await readBooks(db, spaceId)).toMatchObject({ overage: parseUnits('1.25'), requests: 2 });
  });

  const mixed = (): ModelGrant[] => [
    grant('paid', '0.400000000001'),
    grant('promo', '0.2', 9),
    grant('promo', '0.1', 3),
    grant('promo', '50', -1),
    grant('promo', '0.05'),
  ];
  // What remains of each grant above, then the overage, after each charge. What has expired is gone.
  const steps: Array<[string, string[]]> = [
    ['0.099999999999', ['0.400000000001', '0.2', '0.000000000001', '0', '0.05', '0']],
    ['0.000000000002', ['0.400000000001', '0.199999999999', '0', '0', '0.05', '0']],
    ['0.209999999999', ['0.400000000001', '0', '0', '0', '0.04', '0']],
    ['0.44', ['0.000000000001', '0', '0', '0', '0', '0']],
    ['0.000000000002', ['0', '0', '0', '0', '0', '0.000000000001']],
    ['2.5', ['0', '0', '0', '0', '0', '2.500000000001']],
  ];

  test('promo units are taken first, the earliest to expire first, then paid units, then overage; never expired units', async () => {
    const spaceId = await makeSpace(db, mixed());
    for (const [cost, expected] of steps) {
      await recordCalls(db, groupOf([callOf(spaceId, cost)]));
      const { remaining, overage } = await readBooks(db, spaceId);
      expect([...remaining, overage]).toEqual(expected.map(parseUnits));
    }
  });

  test('a group takes the same units as its calls one at a time', async () => {
    const spaceId = await makeSpace(db, mixed());
    await recordCalls(db, groupOf(steps.map(([cost]) => callOf(spaceId, cost))));
    const { remaining, overage } = await readBooks(db, spaceId);
    expect([...remaining, overage]).toEqual(steps.at(-1)?.[1].map(parseUnits));
  });

  test('a call with an unknown price counts as unpriced and moves no units; a failed call is not counted', async () => {
    const spaceId = await makeSpace(db, [grant('paid', '1')]);
    const failed = callOf(spaceId, null, { outcome: 'failed', usage: null, usageSource: 'none' });
    await recordCalls(db, groupOf([callOf(spaceId, null), callOf(spaceId, 0n), failed]));
    const books = { remaining: [parseUnits('1')], overage: 0n, requests: 2, unpriced: 1 };
    expect(await readBooks(db, spaceId)).toEqual(books);
  });

  test('for any groups, every space holds what a simple model calculates', async () => {
    // Amounts may have 26 digits; the interesting ones are the smallest and those that nearly match.
    const amount = fc.bigInt({ min: 1n, max: 3_000n });
    const days = fc.option(fc.constantFrom(-2, 1, 2, 3));
    const promo = fc.record({ kind: fc.constant('promo' as const), amount, days });
    const paid = fc.record({ kind: fc.constant('paid' as const), amount, days: fc.constant(null) });
    const spaces = fc.array(fc.array(fc.oneof(promo, paid), { maxLength: 4 }), {
      minLength: 3,
      maxLength: 3,
    });
    const cost = fc.option(fc.bigInt({ min: 0n, max: 2_000n }), { freq: 6 });
    const group = fc.array(fc.tuple(fc.nat({ max: 2 }), cost), { minLength: 1, maxLength: 12 });
    const groups = fc.array(group, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(spaces, groups, async (plan, charges) => {
        const grants = plan.map((list) =>
          list.map((one) => ({ ...grant(one.kind, '1', one.days), amount: one.amount })),
        );
        const ids = await Promise.all(grants.map((list) => makeSpace(db, list)));
        for (const calls of charges) {
          await recordCalls(db, groupOf(calls.map(([index, paid]) => callOf(ids[index] as string, paid))));
        }
        for (const [index, id] of ids.entries()) {
          const own = charges.flat().filter(([to]) => to === index);
          const debt = own.reduce((sum, [, paid]) => sum + (paid ?? 0n), 0n);
          const unpriced = own.filter(([, paid]) => paid === null).length;
          const expected = spend(grants[index] ?? [], debt, systemClock.now());
          expect(await readBooks(db, id)).toEqual({ ...expected, requests: own.length, unpriced });
        }
      }),
      { numRuns: 20 },
    );
  });

  test('a row that the database rejects does not affect the other rows of its group', async () => {
    const spaceId = await makeSpace(db);
    const recorder = new CallRecorder({ db, clock: systemClock });
    const costs = Array.from({ length: 20 }, (_, i) => (i === 13 ? '-1' : '0.5'));
    const ends = await Promise.allSettled(costs.map((cost) => recorder.record(callOf(spaceId, cost))));
    expect(ends.flatMap((end, i) => (end.status === 'rejected' ? [i] : []))).toEqual([13]);
    expect(ends[13]).toMatchObject({ reason: refused });
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 19, overage: parseUnits('9.5') });
  });

  test('a commit whose reply was lost is sent again and charges once', async () => {
    let lost = 0;
    const troubles: number[] = [];
    const forgetful = wrap(db, async <Row extends object>(statement: Parameters<Database['query']>[0]) => {
      const rows = await db.query<Row>(statement);
      if (lost++ === 0) throw new DatabaseUnavailable('cut between the commit and its answer');
      return rows;
    });
    const onTrouble = (_: unknown, group: { calls: number }): void => void troubles.push(group.calls);
    const recorder = new CallRecorder({ db: forgetful, clock: hastyClock(), onTrouble });
    const spaceId = await makeSpace(db, [grant('paid', '1')]);
    await Promise.all(['0.4', '0.7'].map((cost) => recorder.record(callOf(spaceId, cost))));
    expect(troubles).toEqual([2]);
    const books = { remaining: [0n], overage: parseUnits('0.1'), requests: 2, unpriced: 0 };
    expect(await readBooks(db, spaceId)).toEqual(books);
  });

  test('while the database is unavailable new calls are rejected after 2 s, and admitted again when it is back', async () => {
    const { recorder, heal, failures } = troubledRecorder(db);
    const spaceId = await makeSpace(db);
    const recorded = recorder.record(callOf(spaceId, '0.5'));
    await failures(1);
    expect(() => recorder.checkCanRecord()).not.toThrow();
    await failures(30);
    expect(() => recorder.checkCanRecord()).toThrow(expect.objectContaining(refused));
    heal();
    await recorded;
    expect(() => recorder.checkCanRecord()).not.toThrow();
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 1, overage: parseUnits('0.5') });
  });

  test('a commit that gets no answer rejects new calls as well, half a second after it was found late', async () => {
    const clock = hastyClock();
    const sent = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<never[]>();
    const silent = wrap(db, async () => {
      sent.resolve();
      return await answer.promise;
    });
    const recorder = new CallRecorder({ db: silent, clock });
    const recorded = recorder.record(callOf('spc_none', '0.5'));
    await sent.promise;
    expect(() => recorder.checkCanRecord()).not.toThrow();
    await new Promise<void>((resolve) => clock.after(3_000, resolve));
    // A process that was paused reads requests before the answer.
    expect(() => recorder.checkCanRecord()).not.toThrow();
    await new Promise<void>((resolve) => clock.after(2 * CATCH_UP_MS, resolve));
    expect(() => recorder.checkCanRecord()).toThrow(expect.objectContaining(refused));
    answer.resolve([]);
    await recorded;
    expect(() => recorder.checkCanRecord()).not.toThrow();
  });

  test('a caller that waits too long for a commit gets an error, and the row is still written, once', async () => {
    const { recorder, heal, failures } = troubledRecorder(db);
    const spaceId = await makeSpace(db);
    const recorded = recorder.record(callOf(spaceId, '0.5'));
    await failures(1);
    const behind = recorder.record(callOf(spaceId, '0.25'));
    await expect(Promise.all([recorded, behind])).rejects.toMatchObject(refused);
    await expect(behind).rejects.toMatchObject(refused);
    heal();
    await recorder.flush();
    expect(await readBooks(db, spaceId)).toMatchObject({ requests: 2, overage: parseUnits('0.75') });
  });

  test('a row that is rejected right after an outage does not block new calls', async () => {
    const { recorder, heal, failures, clock } = troubledRecorder(db);
    const spaceId = await makeSpace(db);
    const recorded = recorder.record(callOf(spaceId, '-1'));
    await failures(1);
    heal();
    await expect(recorded).rejects.toMatchObject(refused);
    await new Promise<void>((resolve) => clock.after(60_000, resolve));
    expect(() => recorder.checkCanRecord()).not.toThrow();
  });

  test.runIf(engine === 'postgres')(
    'two processes that charge the same spaces never deadlock, and every sum is right',
    async () => {
      // Long before a statement misses its deadline, which on a busy machine is no broken promise: it is sent again.
      const name = new URL(place.databaseUrl as string).pathname.slice(1);
      await db.query({ text: `alter database ${name} set deadlock_timeout = '10ms'`, values: [] });
      const { databaseUrl: url, folder } = place;
      const open = () => openDatabase({ url, folder, clock: systemClock });
      const handles = await Promise.all([open(), open()]);
      const troubles: unknown[] = [];
      const onTrouble = (error: unknown): void => {
        if (wasUndone(error) || !(error instanceof DatabaseUnavailable)) troubles.push(error);
      };
      const ids = await Promise.all([1, 2, 3, 4].map(() => makeSpace(db, [grant('paid', '3')])));
      const orders = [ids, [...ids].reverse()];
      await Promise.all(
        handles.map(async (handle, at) => {
          const recorder = new CallRecorder({ db: handle, clock: systemClock, onTrouble });
          for (let round = 0; round < 50; round++) {
            await Promise.all((orders[at] ?? []).map((id) => recorder.record(callOf(id, '0.040000000001'))));
          }
        }),
      );
      await Promise.all(handles.map((handle) => handle.close()));
      expect(troubles).toEqual([]);
      for (const id of ids) {
        const books = { remaining: [0n], overage: parseUnits('1.0000000001'), requests: 100, unpriced: 0 };
        expect(await readBooks(db, id)).toEqual(books);
      }
    },
  );
});
