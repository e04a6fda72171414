/** The monthly statement: it follows from the journal, and agrees with the balance and the usage to the last digit. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entryKinds } from '../../src/contract/administration/words.ts';
import { type Database, timestamp } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { newId } from '../../src/kernel/ids.ts';
import { kstOf, monthOf, monthStart, nextMonth, systemClock } from '../../src/kernel/time.ts';
import { parseUnits, printUnits, sumUnits, type Units } from '../../src/kernel/units.ts';
import { expireUnits } from '../../src/ledger/expiry.store.ts';
import { giveUnits } from '../../src/ledger/grants.store.ts';
import { invoiceOverage } from '../../src/ledger/invoices.store.ts';
import { callRow, joinRows } from '../../src/metering/call-record.ts';
import { CallRecorder } from '../../src/metering/call-recorder.ts';
import { recordCalls } from '../../src/metering/calls.store.ts';
import { chargeJob } from '../../src/metering/charge-job.ts';
import { correctCall } from '../../src/metering/corrections.store.ts';
import { focusRow } from '../../src/reports/focus-row.ts';
import { readFocusPage } from '../../src/reports/lists/focus-page.store.ts';
import { balanceRecord } from '../../src/reports/platform-reports.ts';
import { type MonthStatement, monthStatement } from '../../src/reports/statement.ts';
import { usageBreakdown } from '../../src/reports/usage-breakdown.ts';
import { callOf } from '../chaos/books.ts';
import { engines } from '../support/engines.ts';
import { makeListSpace, readAll, useDatabase } from '../support/list-stage.ts';

const START = monthStart('2026-03');
const MONTHS = ['2026-03', '2026-04', '2026-05', '2026-06'];

type Step =
  | { readonly do: 'grant'; readonly promo: boolean; readonly amount: bigint; readonly days: number | null }
  | {
      readonly do: 'call' | 'batch' | 'video';
      readonly amount: bigint;
      readonly model: string;
      readonly key: string;
    }
  | { readonly do: 'correct'; readonly pick: number; readonly amount: bigint }
  | { readonly do: 'expire' | 'invoice' };

const amount = fc.bigInt({ min: 1n, max: 3_000n });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('grant' as const), promo: fc.boolean(), amount, days: fc.option(fc.nat(60)) }),
  {
    arbitrary: fc.record({
      do: fc.constantFrom('call', 'batch', 'video'),
      amount,
      model: fc.constantFrom('large', 'small'),
      key: fc.constantFrom('key_1', 'key_2', 'key_3'),
    }),
    weight: 4,
  },
  fc.record({
    do: fc.constant('correct' as const),
    pick: fc.nat(),
    amount: fc.bigInt({ min: 0n, max: 4_000n }),
  }),
  fc.record({ do: fc.constantFrom('expire' as const, 'invoice' as const) }),
) as fc.Arbitrary<Step>;

/** What a line of a statement adds up, by the rules of the ledger's README. */
interface ModelLine {
  promo: bigint;
  paid: bigint;
  overage: bigint;
}

/** A simple ledger in memory. */
class Model {
  readonly grants: Array<{ promo: boolean; left: bigint; expiresAt: number | null }> = [];
  readonly calls: Array<{ id: string; month: string; cost: bigint; model: string; key: string }> = [];
  readonly lines = new Map<string, ModelLine>();
  /** Charges and corrections by month and model or key; charges by day, model and key. */
  readonly sums = new Map<string, bigint>();
  readonly usage = new Map<string, bigint>();
  overage = 0n;

  held(promo: boolean): bigint {
    return this.grants.reduce((sum, grant) => (grant.promo === promo ? sum + grant.left : sum), 0n);
  }

  note(month: string, kind: string, moves: Partial<ModelLine>): void {
    const line = this.lines.get(`${month} ${kind}`) ?? { promo: 0n, paid: 0n, overage: 0n };
    line.promo += moves.promo ?? 0n;
    line.paid += moves.paid ?? 0n;
    line.overage += moves.overage ?? 0n;
    this.lines.set(`${month} ${kind}`, line);
  }

  charge({ model, key }: { model: string; key: string }, at: number, kind: string, amount: bigint): void {
    const add = (name: string) => this.sums.set(name, (this.sums.get(name) ?? 0n) + amount);
    const month = monthOf(at);
    add(`${month} model ${model} ${kind}`);
    add(`${month} key ${key} ${kind}`);
    if (kind === 'charges') add(`${kstOf(at).slice(0, 10)} ${model} ${key}`);
  }

  used(month: string, cost: bigint): void {
    this.usage.set(month, (this.usage.get(month) ?? 0n) + cost);
  }

  take(due: bigint, now: number): ModelLine {
    const moves = { promo: 0n, paid: 0n, overage: 0n };
    const ends = ({ expiresAt }: { expiresAt: number | null }): number =>
      expiresAt ?? Number.POSITIVE_INFINITY;
    const usable = this.grants.filter((grant) => ends(grant) > now);
    usable.sort((a, b) => Number(b.promo) - Number(a.promo) || (ends(a) === ends(b) ? 0 : ends(a) - ends(b)));
    for (const grant of usable) {
      const part = grant.left < due ? grant.left : due;
      grant.left -= part;
      due -= part;
      moves[grant.promo ? 'promo' : 'paid'] -= part;
    }
    this.overage += due;
    return { ...moves, overage: due };
  }
}

/** Charges a batch or video and stores its row, as its settlement does. */
async function chargeRealJob(
  db: Database,
  to: { spaceId: string; step: Extract<Step, { do: 'call' | 'batch' | 'video' }>; at: number },
): Promise<void> {
  const { spaceId, step: one, at } = to;
  const id = newId(one.do === 'batch' ? 'batch' : 'job', at);
  const cost = one.amount as Units;
  const job = { id, spaceId, keyId: one.key, model: one.model, requests: 1, unpriced: 0, cost, at };
  await db.transaction(async (tx) => {
    const entry = await chargeJob(tx, job);
    const when = timestamp(at);
    if (one.do === 'batch')
      await tx.query(sql`
        insert into batches (id, space_id, owner, key_id, input_file_id, endpoint, model, status, total, created_at,
          expires_at, settlement_status, settled_units, settled_at, settled_month, settled_requests, entry_id)
        values (${id}, ${spaceId}, ${one.key}, ${one.key}, 'file_1', 'chat', ${one.model}, 'completed', 1, ${when},
          ${when}, 'settled', ${printUnits(cost)}, ${when}, ${monthOf(at)}, 1, ${entry})`);
    else
      await tx.query(sql`
        insert into video_jobs (id, space_id, owner, key_id, model, status, created_at, completed_at, expires_at, cost,
          settled_at, settled_month, entry_id)
        values (${id}, ${spaceId}, ${one.key}, ${one.key}, ${one.model}, 'succeeded', ${when}, ${when}, ${when},
          ${printUnits(cost)}, ${when}, ${monthOf(at)}, ${entry})`);
  });
}

/** Runs a step in the database and in the model. */
async function run(
  db: Database,
  model: Model,
  to: { spaceId: string; step: Step; at: number },
): Promise<void> {
  const { spaceId, step: one, at } = to;
  const month = monthOf(at);
  switch (one.do) {
    case 'grant': {
      const expiresAt = one.promo && one.days !== null ? at + one.days * DAY_MS + 1 : null;
      const grant = { id: newId('grt', at), spaceId, kind: one.promo ? 'promo' : 'paid', note: '' } as const;
      const given = { ...grant, amount: one.amount as Units, expiresAt, createdAt: at };
      await db.transaction((tx) => giveUnits(tx, given));
      model.grants.push({ promo: one.promo, left: one.amount, expiresAt });
      model.note(month, 'grant', { [grant.kind]: one.amount });
      return;
    }
    case 'call': {
      const of = { id: newId('req', at), startedAt: at, chargedAt: at, model: one.model, keyId: one.key };
      const call = callOf(spaceId, one.amount, of);
      await recordCalls(db, { rows: joinRows([callRow(call)]), spaces: [spaceId], at });
      model.calls.push({ id: call.id, month, cost: one.amount, model: one.model, key: one.key });
      model.charge(one, at, 'charges', one.amount);
      model.note(month, 'charge calls', model.take(one.amount, at));
      model.used(month, one.amount);
      return;
    }
    case 'batch':
    case 'video': {
      await chargeRealJob(db, { spaceId, step: one, at });
      model.charge(one, at, 'charges', one.amount);
      model.note(month, one.do === 'batch' ? 'charge batches' : 'charge videos', model.take(one.amount, at));
      model.used(month, one.amount);
      return;
    }
    case 'correct': {
      const call = model.calls[one.pick % Math.max(1, model.calls.length)];
      if (call === undefined) return;
      await db.transaction((tx) =>
        correctCall(tx, { callId: call.id, cost: one.amount as Units, note: '', at }),
      );
      const difference = one.amount - call.cost;
      call.cost = one.amount;
      model.charge(call, at, 'corrections', difference);
      model.used(call.month, difference);
      if (difference > 0n) model.note(month, 'correction', model.take(difference, at));
      if (difference >= 0n) return;
      const back = -difference < model.overage ? -difference : model.overage;
      model.overage -= back;
      model.grants.push({ promo: false, left: -difference - back, expiresAt: null });
      model.note(month, 'correction', { paid: -difference - back, overage: -back });
      return;
    }
    case 'expire': {
      await expireUnits(db, at);
      for (const grant of model.grants.filter(
        ({ expiresAt, left }) => expiresAt !== null && expiresAt <= at && left > 0n,
      )) {
        model.note(month, 'expiry', { promo: -grant.left });
        grant.left = 0n;
      }
      return;
    }
    case 'invoice': {
      await db.transaction((tx) => invoiceOverage(tx, { id: newId('inv', at), spaceId, note: '', at }));
      if (model.overage > 0n) model.note(month, 'invoice', { overage: -model.overage });
      model.overage = 0n;
    }
  }
}

const units = (text: string): bigint => parseUnits(text);
const nonZero = (sums: Map<string, bigint>) => new Map([...sums].filter(([, sum]) => sum !== 0n));
const moveOf = ({ promo, paid, overage }: { promo: string; paid: string; overage: string }): ModelLine => {
  return { promo: units(promo), paid: units(paid), overage: units(overage) };
};

describe.each(engines)('the statement on %s', (engine) => {
  const stage = useDatabase(engine);

  test('of any history equals a simple model, and agrees with the balance and the usage of every month', async () => {
    const { db } = stage;
    const history = fc.array(fc.tuple(fc.integer({ min: 1, max: 4 * DAY_MS }), step), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const spaceId = await makeListSpace(db);
        const model = new Model();
        let at = START;
        for (const [pauseMs, one] of steps) {
          at += pauseMs;
          await run(db, model, { spaceId, step: one, at });
        }
        const now = at;
        let opening: ModelLine = { promo: 0n, paid: 0n, overage: 0n };
        for (const month of MONTHS.filter((one) => one <= monthOf(now))) {
          const statement = await monthStatement(db, { spaceId, month, now });
          expect(moveOf(statement.opening)).toEqual(opening);
          opening = checkLines(statement, model, now);
          await checkUsage(db, statement, { spaceId, expected: model.usage.get(month) ?? 0n });
          checkParts(statement, model);
          await checkFocus(db, statement, { spaceId, model });
        }
        const { held, overage } = await balanceRecord(db, spaceId, now);
        const expired = model.grants.filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now);
        const lost = expired.reduce((sum, { left }) => sum + left, 0n);
        expect(opening).toEqual({
          promo: units(held.promo),
          paid: units(held.paid),
          overage: units(overage.accrued),
        });
        expect(opening).toEqual({
          promo: model.held(true) - lost,
          paid: model.held(false),
          overage: model.overage,
        });
      }),
      { numRuns: 12 },
    );
  });

  /** Returns the closing balance. */
  function checkLines(statement: MonthStatement, model: Model, now: number): ModelLine {
    const { month, lines } = statement;
    const expected = new Map([...model.lines].filter(([key]) => key.startsWith(month)));
    if (month === monthOf(now)) {
      const due = model.grants
        .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now)
        .reduce((sum, { left }) => sum + left, 0n);
      const expiry = expected.get(`${month} expiry`) ?? { promo: 0n, paid: 0n, overage: 0n };
      if (due > 0n) expected.set(`${month} expiry`, { ...expiry, promo: expiry.promo - due });
    }
    const found = lines.map(({ kind, source, ...line }): [string, ModelLine] => [
      `${month} ${source === null ? kind : `${kind} ${source}`}`,
      moveOf(line),
    ]);
    expect(new Map(found)).toEqual(expected);
    const closing = moveOf(statement.opening);
    for (const [, line] of found)
      for (const account of ['promo', 'paid', 'overage'] as const) closing[account] += line[account];
    expect(moveOf(statement.closing)).toEqual(closing);
    return closing;
  }

  function checkParts({ month, charged, models, keys }: MonthStatement, model: Model): void {
    const found = new Map<string, bigint>();
    for (const { model: name, ...part } of models) {
      found.set(`${month} model ${name} charges`, units(part.charges));
      found.set(`${month} model ${name} corrections`, units(part.corrections));
    }
    for (const { id, ...part } of keys) {
      found.set(`${month} key ${id} charges`, units(part.charges));
      found.set(`${month} key ${id} corrections`, units(part.corrections));
    }
    const isPart = ([name]: [string, bigint]) => / (?:model|key) /.test(name) && name.startsWith(`${month} `);
    expect(nonZero(found)).toEqual(nonZero(new Map([...model.sums].filter(isPart))));
    for (const parts of [models, keys]) {
      expect(printUnits(sumUnits(parts.map(({ amount: moved }) => parseUnits(moved))))).toBe(charged);
      for (const part of parts)
        expect(units(part.amount)).toBe(units(part.charges) + units(part.corrections));
    }
  }

  /** The export has the digits of the statement: by day, model and key, by kind, and in its sum. */
  async function checkFocus(
    db: Database,
    { month, charged, lines }: MonthStatement,
    { spaceId, model }: { spaceId: string; model: Model },
  ): Promise<void> {
    const movements = await readAll((page) => readFocusPage(db, { spaceId, month, ...page }), 7);
    const rows = movements.map((one) => focusRow(one, { space: { id: spaceId, name: 'any' }, month }));
    expect(printUnits(sumUnits(rows.map(({ BilledCost }) => parseUnits(BilledCost))))).toBe(charged);
    const days = movements.filter(({ kind }) => kind === 'charge');
    expect(new Map(days.map((row) => [`${row.day} ${row.model} ${row.keyId}`, units(row.units)]))).toEqual(
      new Map([...model.sums].filter(([name]) => name.startsWith(`${month}-`))),
    );
    for (const kind of entryKinds.filter((one) => one !== 'expiry')) {
      const moved = rows.filter(({ x_Movement }) => x_Movement === kind);
      const stated = lines.filter((line) => line.kind === kind);
      expect(sumUnits(moved.map(({ x_Units }) => parseUnits(x_Units)))).toBe(
        sumUnits(stated.map((line) => parseUnits(line.amount))),
      );
    }
  }

  async function checkUsage(
    db: Database,
    { month, charged, usage }: MonthStatement,
    { spaceId, expected }: { spaceId: string; expected: bigint },
  ): Promise<void> {
    expect(units(usage.cost)).toBe(expected);
    const { total } = await usageBreakdown(db, { spaceId, month, by: 'model' });
    expect(usage.cost).toBe(total.cost);
    const named = (months: MonthStatement['usage']['corrected_in']) =>
      printUnits(sumUnits(months.map(({ amount: moved }) => parseUnits(moved))));
    expect(named(usage.corrected_in)).toBe(usage.corrected_elsewhere);
    expect(named(usage.corrections_of)).toBe(usage.corrections_of_other_months);
    const elsewhere = units(usage.corrections_of_other_months) - units(usage.corrected_elsewhere);
    expect(units(charged)).toBe(expected + elsewhere);
  }

  test('has a call in the month in which it ended, also if it is committed after midnight', async () => {
    const { db } = stage;
    const spaceId = await makeListSpace(db);
    const midnight = monthStart('2026-05');
    const recorder = new CallRecorder({ db, clock: { ...systemClock, now: () => midnight + 2_000 } });
    const record = (cost: string, chargedAt: number) =>
      recorder.record(callOf(spaceId, cost, { id: newId('req', chargedAt), chargedAt }));
    await Promise.all([record('1', midnight - 1), record('0.25', midnight), record('0.5', midnight - 900)]);
    const of = { spaceId, now: midnight + DAY_MS };
    const [april, may] = [
      await monthStatement(db, { ...of, month: '2026-04' }),
      await monthStatement(db, { ...of, month: nextMonth('2026-04') }),
    ];
    expect([april.charged, april.usage.cost, april.closing.overage]).toEqual(['1.5', '1.5', '1.5']);
    expect([may.charged, may.usage.cost, may.closing.overage]).toEqual(['0.25', '0.25', '1.75']);
    expect(april.lines).toMatchObject([{ kind: 'charge', source: 'calls', entries: 1, amount: '1.5' }]);
  });

  test('counts units as expired from the moment they expire, before that is written to the journal', async () => {
    const { db } = stage;
    const spaceId = await makeListSpace(db);
    const at = monthStart('2026-04');
    const give = { do: 'grant', promo: true, amount: units('3'), days: 1 } as const;
    await run(db, new Model(), { spaceId, step: give, at });
    const read = (now: number) => monthStatement(db, { spaceId, month: '2026-04', now });
    const [before, after] = [await read(at + DAY_MS), await read(at + DAY_MS + 1)];
    expect([before.closing.promo, before.lines.length]).toEqual(['3', 1]);
    expect(after).toMatchObject({ closing: { promo: '0' }, lines: [{}, { kind: 'expiry', amount: '3' }] });
    await expireUnits(db, at + DAY_MS + 2);
    const written = await read(at + DAY_MS + 3);
    expect(written.lines).toMatchObject([{ entries: 1 }, { kind: 'expiry', entries: 1, amount: '3' }]);
    expect(written.closing).toEqual(after.closing);
  });

  test('of a month without movements repeats the balance; amounts are positive except for what is given back', async () => {
    const { db } = stage;
    const spaceId = await makeListSpace(db);
    const model = new Model();
    const at = monthStart('2026-04');
    const give = { do: 'grant', promo: false, amount: units('3'), days: null } as const;
    await run(db, model, { spaceId, step: give, at });
    await run(db, model, {
      spaceId,
      step: { do: 'call', amount: units('5'), model: 'large', key: 'key_1' },
      at: at + 1,
    });
    await run(db, model, { spaceId, step: { do: 'correct', pick: 0, amount: units('1') }, at: at + 2 });
    const of = { spaceId, now: monthStart('2026-06') };
    const { lines, closing, period_end } = await monthStatement(db, { ...of, month: '2026-04' });
    expect(lines.map(({ kind, amount: moved }) => [kind, moved])).toEqual([
      ['grant', '3'],
      ['charge', '5'],
      ['correction', '-4'],
    ]);
    expect(period_end).toBe('2026-05-01T00:00:00+09:00');
    expect(closing).toEqual({ promo: '0', paid: '2', total: '2', overage: '0' });
    const quiet = await monthStatement(db, { ...of, month: '2026-05' });
    expect(quiet).toMatchObject({ opening: closing, closing, lines: [], charged: '0' });
    expect(printUnits(model.held(false) as Units)).toBe('2');
  });
});
