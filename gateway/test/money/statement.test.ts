/** The monthly statement: it follows from the journal, and agrees with the balance and the usage to the last digit. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entryKinds } from '../../src/contract/administration/words.ts';
import type { Database } from '../../src/database/database.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { newId } from '../../src/kernel/ids.ts';
import { monthOf, monthStart, nextMonth, systemClock } from '../../src/kernel/time.ts';
import { parseUnits, printUnits, sumUnits, type Units } from '../../src/kernel/units.ts';
import { expireUnits } from '../../src/ledger/settle.store.ts';
import { CallRecorder } from '../../src/metering/call-recorder.ts';
import { focusRow } from '../../src/reports/focus-row.ts';
import { readFocusPage } from '../../src/reports/lists/focus-page.store.ts';
import { balanceRecord } from '../../src/reports/platform-reports.ts';
import { type MonthStatement, monthStatement } from '../../src/reports/statement.ts';
import { usageBreakdown } from '../../src/reports/usage-breakdown.ts';
import { callOf } from '../chaos/books.ts';
import { engines } from '../support/engines.ts';
import { makeListSpace, readAll, useDatabase } from '../support/list-stage.ts';
import { anyStep, LedgerModel, type ModelLine, runStep } from '../support/statement-history.ts';

const START = monthStart('2026-03');
const MONTHS = ['2026-03', '2026-04', '2026-05', '2026-06'];

const units = (text: string): bigint => parseUnits(text);
const nonZero = (sums: Map<string, bigint>) => new Map([...sums].filter(([, sum]) => sum !== 0n));
const moveOf = ({ promo, paid, overage }: { promo: string; paid: string; overage: string }): ModelLine => {
  return { promo: units(promo), paid: units(paid), overage: units(overage) };
};

describe.each(engines)('the statement on %s', (engine) => {
  const stage = useDatabase(engine);

  test('of any history equals a simple model, and agrees with the balance and the usage of every month', async () => {
    const { db } = stage;
    const history = fc.array(fc.tuple(fc.integer({ min: 1, max: 4 * DAY_MS }), anyStep), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const spaceId = await makeListSpace(db);
        const model = new LedgerModel();
        let at = START;
        for (const [pauseMs, one] of steps) {
          at += pauseMs;
          await runStep(db, model, { spaceId, step: one, at });
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
  function checkLines(statement: MonthStatement, model: LedgerModel, now: number): ModelLine {
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

  function checkParts({ month, charged, models, keys }: MonthStatement, model: LedgerModel): void {
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
    { spaceId, model }: { spaceId: string; model: LedgerModel },
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
    await runStep(db, new LedgerModel(), { spaceId, step: give, at });
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
    const model = new LedgerModel();
    const at = monthStart('2026-04');
    const give = { do: 'grant', promo: false, amount: units('3'), days: null } as const;
    await runStep(db, model, { spaceId, step: give, at });
    await runStep(db, model, {
      spaceId,
      step: { do: 'call', amount: units('5'), model: 'large', key: 'key_1' },
      at: at + 1,
    });
    await runStep(db, model, { spaceId, step: { do: 'correct', pick: 0, amount: units('1') }, at: at + 2 });
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
