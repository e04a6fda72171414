/** The books: every movement of units is a journal entry, and all balances and totals follow from the journal. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database, Transaction } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { HOUR_MS } from '../../src/kernel/durations.ts';
import { newId } from '../../src/kernel/ids.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../../src/kernel/units.ts';
import { lockAccount } from '../../src/ledger/accounts.store.ts';
import { readBalance } from '../../src/ledger/balance.store.ts';
import { giveUnits } from '../../src/ledger/grants.store.ts';
import { invoiceOverage } from '../../src/ledger/invoices.store.ts';
import { insertEntry } from '../../src/ledger/journal.store.ts';
import { accounts, type NewEntry } from '../../src/ledger/postings.ts';
import { expireUnits, settleSpaces } from '../../src/ledger/settle.store.ts';
import { attributionOf } from '../../src/metering/attribution/attribution.ts';
import { callRow, joinRows } from '../../src/metering/call-record.ts';
import { recordCalls } from '../../src/metering/calls.store.ts';
import { chargeJob } from '../../src/metering/charge-job.ts';
import { correctCall } from '../../src/metering/corrections.store.ts';
import { forgiveCalls } from '../../src/metering/forgive.store.ts';
import { removeCalls } from '../../src/metering/remove-calls.store.ts';
import { foldTotals } from '../../src/metering/totals.store.ts';
import { verifyBooks } from '../../src/reports/verify-books.store.ts';
import { callOf, makeSpace } from '../chaos/books.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';
import { listEntries } from '../support/journal-entries.ts';
import { WORK_MS_MAX } from '../support/patience.ts';

const ATTRIBUTED = 'what is attributed in a month is what its calls cost';
const ATTRIBUTED_DAYS = 'the attributed days of a month add up to it';

describe.each(engines)('the books on %s', (engine) => {
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

  /** Charges calls in one group; returns their ids. */
  async function charge(spaceId: string, costs: ReadonlyArray<string | null>, at = systemClock.now()) {
    const calls = costs.map((cost) => callOf(spaceId, cost, { chargedAt: at }));
    await recordCalls(db, { rows: joinRows(calls.map(callRow)), spaces: [spaceId], at });
    return calls.map(({ id }) => id);
  }
  function give(spaceId: string, kind: 'promo' | 'paid', amount: string, expiresAt: number | null = null) {
    const now = systemClock.now();
    const grant = { id: newId('grt', now), spaceId, kind, amount: parseUnits(amount), expiresAt, note: '' };
    return db.transaction((tx) => giveUnits(tx, { ...grant, createdAt: now }));
  }
  function invoice(spaceId: string): Promise<Units> {
    const at = systemClock.now();
    return db.transaction((tx) => invoiceOverage(tx, { id: newId('inv', at), spaceId, note: '', at }));
  }
  function correct(callId: string, cost: string, at = systemClock.now()) {
    return db.transaction((tx) => correctCall(tx, { callId, cost: parseUnits(cost), note: 'wrong', at }));
  }
  async function settle(spaceId: string, at = systemClock.now()): Promise<void> {
    expect(await settleSpaces(db, [spaceId], at)).toEqual([]);
  }
  async function balance(spaceId: string, at = systemClock.now()) {
    const { promo, paid, overageAccrued } = await readBalance(db, spaceId, at);
    return { promo: printUnits(promo), paid: printUnits(paid), overage: printUnits(overageAccrued) };
  }
  /** The newest entry, with the accounts that moved. */
  async function newest(spaceId: string): Promise<Record<string, string>> {
    const [entry] = await listEntries(db, { spaceId, limit: 1 });
    const moved = accounts.flatMap((account) => {
      const amount = entry?.moves[account] ?? 0n;
      return amount === 0n ? [] : [[account, printUnits(amount as Units)]];
    });
    return { kind: entry?.kind ?? 'none', ...Object.fromEntries(moved) };
  }
  const findings = async () => (await verifyBooks(db)).disagreements;
  /** Runs work in a transaction and rolls it back. */
  async function rolledBack(work: (tx: Transaction) => Promise<void>): Promise<void> {
    const done = Symbol('roll back');
    const running = db.transaction(async (tx) => {
      await work(tx);
      throw done;
    });
    await expect(running).rejects.toBe(done);
  }

  test('a charge is one entry, and its payment another: promo units, then paid units, then overage', async () => {
    const space = await makeSpace(db);
    await give(space, 'paid', '1');
    await give(space, 'promo', '0.5');
    expect(await newest(space)).toEqual({ kind: 'grant', issued: '-0.5', promo: '0.5' });
    await charge(space, ['0.4', '1.6', null, '0']);
    expect(await newest(space)).toEqual({ kind: 'charge', due: '-2', spent: '2' });
    const paid = { promo: '0', paid: '0', overage: '0.5' };
    expect(await balance(space)).toEqual(paid);
    expect(await findings()).toEqual([]);
    await settle(space);
    expect(await newest(space)).toEqual({
      ...{ kind: 'payment', promo: '-0.5', paid: '-1', overage: '-0.5' },
      due: '2',
    });
    expect(await balance(space)).toEqual(paid);
    await settle(space);
    expect(await newest(space)).toMatchObject({ kind: 'payment', due: '2' });
    expect(await findings()).toEqual([]);
  });

  test('a batch or video takes the same units as a call of the same cost, in one entry with its id', async () => {
    const amount = fc.bigInt({ min: 1n, max: 2_000_000_000_000n }).map((units) => units as Units);
    const grants = fc.array(fc.record({ kind: fc.constantFrom('promo', 'paid'), amount }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(grants, amount, async (given, cost) => {
        const held = given.map((grant) => ({ ...grant, expiresAt: null }));
        const [calling, working] = [await makeSpace(db, held), await makeSpace(db, held)];
        await charge(calling, [printUnits(cost)]);
        // Rolled back, because there is no batch behind the entry and the books would not agree.
        await rolledBack(async (tx) => {
          const at = systemClock.now();
          const counted = { requests: 3, unpriced: 1, cost };
          const job = { id: 'batch_1', spaceId: working, keyId: 'key_1', model: 'm', ...counted, at };
          const entryId = await chargeJob(tx, job);
          const [entry] = await listEntries(tx, { spaceId: working, limit: 1 });
          expect(entry).toMatchObject({ id: entryId, kind: 'charge', ref: 'batch_1' });
          await settleSpaces(tx, [calling], at);
          const [called] = await listEntries(tx, { spaceId: calling, limit: 1 });
          const { due = 0n, ...moved } = called?.moves ?? {};
          expect(entry?.moves).toEqual({ ...moved, spent: due, due: 0n });
          expect(entry?.grants.map(({ part }) => part)).toEqual(called?.grants.map(({ part }) => part));
          expect(await readBalance(tx, working, at)).toEqual(await readBalance(tx, calling, at));
          const totals = await tx.query(sql`
            select m.requests, m.unpriced, m.cost, d.requests as "dayRequests", d.cost as "dayCost"
            from month_totals m join day_totals d using (space_id, model) where m.space_id = ${working}`);
          const sum = totals[0] as { cost: string; dayCost: string };
          expect(totals).toMatchObject([{ requests: 3, unpriced: 1, dayRequests: 3 }]);
          expect([sum.cost, sum.dayCost].map(parseUnits)).toEqual([cost, cost]);
        });
      }),
      { numRuns: 10 },
    );
  });

  test('a batch or video without a cost writes no entry, and one below zero is rejected', async () => {
    const spaceId = await makeSpace(db);
    const job = { id: 'batch_1', spaceId, keyId: 'key_1', model: 'm', unpriced: 0, at: systemClock.now() };
    await rolledBack(async (tx) => {
      expect(await chargeJob(tx, { ...job, requests: 0, cost: parseUnits('0') })).toBeNull();
      expect(await tx.query(sql`select 1 from month_totals where space_id = ${spaceId}`)).toEqual([]);
      expect(await chargeJob(tx, { ...job, requests: 2, cost: parseUnits('0') })).toBeNull();
      expect(await tx.query(sql`select requests from month_totals where space_id = ${spaceId}`)).toEqual([
        { requests: 2 },
      ]);
      await expect(chargeJob(tx, { ...job, requests: 1, cost: parseUnits('-1') })).rejects.toThrow(
        'batch_1 cannot be charged a negative amount',
      );
    });
    expect(await newest(spaceId)).toEqual({ kind: 'none' });
  });

  test('calls that cost nothing write no entry', async () => {
    const space = await makeSpace(db);
    await charge(space, ['0', null]);
    expect(await newest(space)).toEqual({ kind: 'none' });
  });

  test('expired promo units are removed by one entry, once, after they have paid for the calls before', async () => {
    const space = await makeSpace(db);
    const now = systemClock.now();
    await give(space, 'promo', '3', now + HOUR_MS);
    await give(space, 'promo', '2', now + 2 * HOUR_MS);
    await charge(space, ['1'], now);
    await charge(space, ['0.5'], now + HOUR_MS);
    expect(await expireUnits(db, now + HOUR_MS - 1)).toBe(0);
    expect(await expireUnits(db, now + HOUR_MS)).toBe(1);
    const entries = await listEntries(db, { spaceId: space, limit: 3 });
    expect(entries.map(({ kind, moves }) => [kind, printUnits(moves.promo as Units)])).toEqual([
      ['payment', '-0.5'],
      ['expiry', '-2'],
      ['payment', '-1'],
    ]);
    expect(await expireUnits(db, now + HOUR_MS)).toBe(0);
    expect(await balance(space, now + HOUR_MS)).toEqual({ promo: '1.5', paid: '0', overage: '0' });
    expect(await findings()).toEqual([]);
  });

  test('a balance that is read before expired units are removed is the same as after it', async () => {
    const space = await makeSpace(db);
    const now = systemClock.now();
    await give(space, 'promo', '3', now + HOUR_MS);
    await give(space, 'paid', '2');
    await charge(space, ['1'], now);
    await charge(space, ['0.5'], now + HOUR_MS);
    expect(await balance(space, now + HOUR_MS)).toEqual({ promo: '0', paid: '1.5', overage: '0' });
    expect(await findings()).toEqual([]);
  });

  test('an invoice clears the overage; without overage nothing is written', async () => {
    const space = await makeSpace(db);
    await charge(space, ['0.000000000001', '2']);
    expect(printUnits(await invoice(space))).toBe('2.000000000001');
    expect(await newest(space)).toEqual({
      kind: 'invoice',
      overage: '2.000000000001',
      invoiced: '-2.000000000001',
    });
    expect(await balance(space)).toEqual({ promo: '0', paid: '0', overage: '0' });
    expect(await invoice(space)).toBe(0n);
    expect(await newest(space)).toMatchObject({ kind: 'invoice', overage: '2.000000000001' });
  });

  test('a call corrected to a lower cost lowers the overage first; the rest becomes paid units', async () => {
    const space = await makeSpace(db);
    await give(space, 'promo', '1');
    const [call] = (await charge(space, ['1.25'])) as [string];
    await correct(call, '0.5');
    expect(await newest(space)).toEqual({ kind: 'correction', paid: '0.5', overage: '0.25', spent: '-0.75' });
    expect(await balance(space)).toEqual({ promo: '0', paid: '0.5', overage: '0' });
    expect(await findings()).toEqual([]);
  });

  test('a call corrected to a higher cost, or with an unknown cost, is charged the difference', async () => {
    const space = await makeSpace(db);
    await give(space, 'paid', '10');
    const [priced, unpriced] = (await charge(space, ['1', null])) as [string, string];
    await correct(priced, '3');
    expect(await newest(space)).toEqual({ kind: 'correction', paid: '-2', spent: '2' });
    expect((await correct(unpriced, '4'))?.cost).toBeNull();
    expect((await correct(unpriced, '4'))?.cost).toBe(parseUnits('4'));
    const [total] = await db.query(
      sql`select cost, unpriced, requests from month_totals where space_id = ${space}`,
    );
    expect(total).toEqual({ cost: '7.000000000000', unpriced: 0, requests: 2 });
    expect(await balance(space)).toEqual({ promo: '0', paid: '3', overage: '0' });
    expect(await findings()).toEqual([]);
  });

  test('an unknown or failed call cannot be corrected', async () => {
    const space = await makeSpace(db);
    const failed = callOf(space, null, { outcome: 'failed' });
    await recordCalls(db, { rows: callRow(failed), spaces: [space], at: systemClock.now() });
    expect(await correct(failed.id, '1')).toBeNull();
    expect(await correct('req_nothere', '1')).toBeNull();
  });

  test('the database rejects an entry that does not sum to zero, is of an unknown kind, or has other grants', async () => {
    const spaceId = await makeSpace(db);
    const one = parseUnits('1');
    const [minus, two] = [parseUnits('-1'), parseUnits('2')];
    const base = { spaceId, ref: '', note: '', at: systemClock.now(), grants: [] };
    const bad: NewEntry[] = [
      { ...base, kind: 'invoice', moves: { overage: two, invoiced: minus } },
      { ...base, kind: 'charge', moves: { overage: one, spent: minus } },
      { ...base, kind: 'grant', moves: { issued: minus, paid: one }, grants: [{ id: 'g', part: two }] },
      { ...base, kind: 'expiry', moves: { paid: minus, expired: one }, grants: [{ id: 'g', part: minus }] },
      {
        ...base,
        kind: 'gift' as 'grant',
        moves: { issued: minus, paid: one },
        grants: [{ id: 'g', part: one }],
      },
    ];
    for (const entry of bad) {
      await expect(
        db.transaction((tx) => insertEntry(tx, entry)),
        JSON.stringify(entry.kind),
      ).rejects.toThrow(/journal_(balances|kinds|names_grants)/);
    }
  });

  test('rows of the journal and the audit log cannot be changed or deleted', async () => {
    for (const statement of [
      sql`update journal set note = 'x'`,
      sql`delete from journal`,
      sql`truncate journal cascade`,
      sql`update audit_log set actor = 'x'`,
      sql`delete from audit_log`,
    ]) {
      await expect(db.query(statement), statement.text).rejects.toThrow(/only ever added/);
    }
  });

  test(
    'every rule of the books holds after any sequence of movements, also at the same time',
    async () => {
      const amount = fc
        .bigInt({ min: 1n, max: 3_000_000_000_000n })
        .map((units) => printUnits(units as Units));
      const cost = fc.oneof(amount, fc.constantFrom('0', '0.000000000001', null));
      const operation = fc.oneof(
        {
          weight: 4,
          arbitrary: fc.record({
            do: fc.constant('charge' as const),
            costs: fc.array(cost, { minLength: 1, maxLength: 5 }),
          }),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            do: fc.constant('promo' as const),
            amount,
            hours: fc.integer({ min: 1, max: 8 }),
          }),
        },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('paid' as const), amount }) },
        {
          weight: 2,
          arbitrary: fc.record({
            do: fc.constant('correct' as const),
            which: fc.nat(),
            to: fc.oneof(amount, fc.constant('0')),
          }),
        },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('invoice' as const) }) },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('hour' as const) }) },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('expire' as const) }) },
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(operation, { minLength: 5, maxLength: 25 }),
          fc.integer({ min: 1, max: 4 }),
          async (operations, atOnce) => {
            const spaces = [await makeSpace(db), await makeSpace(db)];
            let now = systemClock.now();
            const calls: string[] = [];
            const run = async (step: (typeof operations)[number], index: number): Promise<void> => {
              const space = spaces[index % spaces.length] as string;
              if (step.do === 'charge') calls.push(...(await charge(space, step.costs, now)));
              else if (step.do === 'promo')
                await give(space, 'promo', step.amount, now + step.hours * HOUR_MS);
              else if (step.do === 'paid') await give(space, 'paid', step.amount);
              else if (step.do === 'invoice') await invoice(space);
              else if (step.do === 'expire') await expireUnits(db, now);
              else if (step.do === 'hour') now += HOUR_MS;
              else if (calls.length > 0)
                await correct(calls[step.which % calls.length] as string, step.to, now);
            };
            // Several at a time, so that on PostgreSQL they run concurrently.
            for (let i = 0; i < operations.length; i += atOnce) {
              await Promise.all(operations.slice(i, i + atOnce).map((step, k) => run(step, i + k)));
            }
            const { disagreements, spaces: books } = await verifyBooks(db);
            expect(disagreements).toEqual([]);
            for (const { given, promo, paid, charged_from_held, expired } of books) {
              const parts = [promo, paid, charged_from_held, expired].map((part) => parseUnits(part));
              expect(parts.reduce((sum, part) => (sum + part) as Units)).toBe(parseUnits(given));
            }
          },
        ),
        { numRuns: Number(process.env.LEDGER_RUNS ?? 12) },
      );
    },
    WORK_MS_MAX,
  );

  /** Charges a call that is attributed to a team. */
  async function chargeAttributed(spaceId: string): Promise<void> {
    const attribution = attributionOf({ 'tag:team': 'search' });
    const at = systemClock.now();
    const call = callOf(spaceId, '0.7', { chargedAt: at, attribution });
    await recordCalls(db, { rows: callRow(call), spaces: [spaceId], at, writer: 1 });
  }

  test('attributed calls that are corrected, forgiven, moved to writer 0 or removed keep the books', async () => {
    const space = await makeSpace(db);
    const at = systemClock.now();
    const attribution = attributionOf({ 'tag:team': 'search', session: 's1' });
    const calls = ['1', '2', '4', null].map((cost) =>
      callOf(space, cost, { chargedAt: at, attribution, startedAt: at }),
    );
    const rows = joinRows(calls.map(callRow));
    await recordCalls(db, { rows, spaces: [space], at, writer: 7 });
    const [corrected, , , unpriced] = calls.map(({ id }) => id) as [string, string, string, string];
    await correct(corrected, '0.5');
    await db.transaction(async (tx) => {
      await lockAccount(tx, space);
      await forgiveCalls(tx, { spaceId: space, ref: unpriced, model: null, note: '', at });
    });
    expect(await findings()).toEqual([]);
    while ((await foldTotals(db, { writers: [7], rowsMax: 1 })) > 0);
    expect(await findings()).toEqual([]);
    expect(await removeCalls(db, { from: at - HOUR_MS, until: at + HOUR_MS })).toBeGreaterThanOrEqual(2);
    expect(await findings()).toEqual([]);
    // What is removed only bounds what may be attributed.
    await rolledBack(async (tx) => {
      await tx.query(sql`update attributed_months set cost = cost + 0.5 where space_id = ${space}`);
      const found = (await verifyBooks(within(tx))).disagreements.map(({ rule }) => rule);
      expect(found).toContain(ATTRIBUTED);
      expect(found).toContain(ATTRIBUTED_DAYS);
    });
  });

  describe('verification finds a broken rule and its place', () => {
    const off = '0.000000000001';
    /** A purse of which a process has a slice. */
    const withSlice = [
      sql`insert into processes values ('prc_1', 'host', 1, '0', '', false, now(), now(), null)`,
      sql`insert into purses select 'space:' || min(id), 5 from spaces`,
      sql`insert into slices select 'space:' || min(id), 'prc_1', 5 from spaces`,
    ];
    const breaks: Array<[string, string, ReturnType<typeof sql>[]]> = [
      [
        'what is left of a grant is what the journal left of it',
        'grant ',
        [sql`update grants set remaining = remaining - ${off} where remaining > 0`],
      ],
      ['a grant was given once, in full', 'grant ', [sql`update grants set amount = amount + ${off}`]],
      [
        'what a space owes is what the journal says it owes',
        'overage',
        [sql`update accounts set overage_accrued = overage_accrued + ${off}`],
      ],
      [
        'an entry charges what its calls cost',
        'entry ',
        [sql`update calls set cost = cost + ${off} where cost > 0`],
      ],
      ['a call that costs something has an entry', 'call ', [sql`update calls set entry_id = null`]],
      ['the total of a month is what its calls cost', '', [sql`update month_parts set cost = cost + ${off}`]],
      ['the requests of a month are its calls', '', [sql`update month_parts set requests = requests + 1`]],
      ...(
        [
          [ATTRIBUTED, 'cost', sql`update attributed_months set cost = cost + ${off}`],
          [ATTRIBUTED, 'requests', sql`update attributed_months set requests = requests - 1`],
          [ATTRIBUTED, 'cost', sql`update calls set attribution = 'other' where attribution is not null`],
          [ATTRIBUTED, 'cost', sql`update attributed_months set key_id = 'key_other'`],
          [ATTRIBUTED, 'cost', sql`delete from attributed_months`],
          [
            'what is attributed in a month is part of its total',
            'cost',
            sql`update attributed_months set cost = cost + 1000`,
          ],
          [
            'what is attributed in a month is part of its total',
            'requests',
            sql`update attributed_months set requests = requests + 1000`,
          ],
          [ATTRIBUTED_DAYS, 'cost', sql`update attributed_days set cost = cost - ${off}`],
          [ATTRIBUTED_DAYS, 'requests', sql`update attributed_days set requests = requests + 1`],
          [ATTRIBUTED_DAYS, 'unpriced', sql`update attributed_days set unpriced = unpriced + 1`],
          [ATTRIBUTED_DAYS, 'cost', sql`delete from attributed_days`],
          ['what is attributed says to what', 'attribution ', sql`delete from attributions`],
          [
            'what is attributed says to what',
            'attribution ',
            sql`insert into attributions select space_id, id, writer + 1000, '{"end_user":"kim"}' from attributions`,
          ],
        ] as const
      ).map(([rule, where, breaking]): (typeof breaks)[number] => [rule, where, [breaking]]),
      [
        'what is settled reserves nothing',
        'batch_gone',
        [
          sql`insert into reserves (space_id, ref, key_id, units, is_cap) select id, 'batch_gone', 'key_1', 1, true from spaces limit 1`,
        ],
      ],
      [
        'what calls say to count in a budget is counted in it',
        '2026-11 ',
        [sql`update calls set budgets = '[["bud_gone", "", null, "2026-11"]]'`],
      ],
      ['the days of a month add up to it', '', [sql`update day_parts set cost = cost - ${off}`]],
      [
        'what is settled reserves nothing',
        'job_gone',
        [
          sql`insert into reserves (space_id, ref, key_id, units, is_cap) select id, 'job_gone', 'key_1', 1, false from spaces limit 1`,
        ],
      ],
      [
        'what calls owe is what the journal says they owe',
        '',
        [sql`update dues set amount = amount + ${off}`],
      ],
      ['a writer owes what its charges add up to', '', [sql`update dues set amount = amount + ${off}`]],
      [
        'nothing is paid that is not owed',
        '',
        [
          sql`insert into settled_dues (space_id, month, writer, amount, entry_id) select space_id, month, writer + 1000, ${off}::numeric, entry_id from dues`,
        ],
      ],
      ...(
        [
          [
            'the slices of a purse add up to what was given of it',
            'space:',
            sql`update slices set granted = granted + ${off}`,
          ],
          [
            'the slices of a purse add up to what was given of it',
            'space:',
            sql`update slices set granted = granted - ${off}`,
          ],
          ['the slices of a purse add up to what was given of it', 'space:', sql`delete from slices`],
          [
            'the slices of a purse add up to what was given of it',
            'space:',
            sql`update purses set given = given + ${off}`,
          ],
          ['the slices of a purse add up to what was given of it', 'space:', sql`delete from purses`],
          ['a slice is of a process', 'prc_gone', sql`update slices set process_id = 'prc_gone'`],
          [
            'a purse is of a space, a key, a member or a budget',
            'space:gone',
            sql`insert into purses values ('space:gone', 0)`,
          ],
          [
            'a purse is of a space, a key, a member or a budget',
            'key:gone',
            sql`insert into purses values ('key:gone:2026-11', 0)`,
          ],
          [
            'a purse is of a space, a key, a member or a budget',
            'member:gone',
            sql`insert into purses values ('member:gone:2026-11', 0)`,
          ],
          [
            'a purse is of a space, a key, a member or a budget',
            'budget:gone',
            sql`insert into purses values ('budget:gone.v:2026-11', 0)`,
          ],
          [
            'a purse is of a space, a key, a member or a budget',
            'project',
            sql`insert into purses values ('project:p:2026-11', 0)`,
          ],
        ] as const
      ).map(([rule, where, breaking]): (typeof breaks)[number] => [rule, where, [...withSlice, breaking]]),
      [
        'an entry corrects a call by the difference',
        'entry ',
        [sql`update corrections set cost_after = cost_after + ${off} where entry_id is not null`],
      ],
      [
        'what is left of a grant is what the journal left of it',
        'grant ',
        [
          sql`alter table journal disable trigger journal_only_appended`,
          sql`delete from journal where kind = 'grant'`,
        ],
      ],
    ];

    test.each(breaks)('%s (%s)', async (rule, where, statements) => {
      const space = await makeSpace(db);
      await give(space, 'paid', '1');
      const [call] = (await charge(space, ['0.3', '2'])) as [string];
      await correct(call, '0.2');
      await chargeAttributed(space);
      expect(await findings()).toEqual([]);
      await rolledBack(async (tx) => {
        for (const statement of statements) await tx.query(statement);
        const found = (await verifyBooks(within(tx))).disagreements;
        expect(found.map((finding) => finding.rule)).toContain(rule);
        expect(found.find((finding) => finding.rule === rule)?.where).toContain(where);
      });
    });
  });
});

/** Verifies inside a transaction that is rolled back afterwards, so its snapshot is that of the transaction. */
function within(tx: Transaction): Database {
  const inside = {
    query: tx.query.bind(tx),
    transaction: (work: (inner: typeof tx) => Promise<unknown>) =>
      work({
        script: tx.script.bind(tx),
        query: (statement) =>
          statement.text.startsWith('set transaction') ? Promise.resolve([]) : tx.query(statement),
      }),
  };
  return inside as unknown as Database;
}
