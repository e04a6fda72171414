/** The worked example of docs/statements.md: its history leads to its statement, to the last digit. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { adminEndpoints } from '../../src/contract/administration/admin-endpoints.ts';
import { csvOf } from '../../src/contract/administration/csv.ts';
import type { Database } from '../../src/database/database.ts';
import { newId } from '../../src/kernel/ids.ts';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { giveUnits } from '../../src/ledger/grants.store.ts';
import { invoiceOverage } from '../../src/ledger/invoices.store.ts';
import { expireUnits } from '../../src/ledger/settle.store.ts';
import { callRow, joinRows } from '../../src/metering/call-record.ts';
import { recordCalls } from '../../src/metering/calls.store.ts';
import { correctCall } from '../../src/metering/corrections.store.ts';
import { focusRow } from '../../src/reports/focus-row.ts';
import { readFocusPage } from '../../src/reports/lists/focus-page.store.ts';
import { monthStatement } from '../../src/reports/statement.ts';
import { callOf } from '../chaos/books.ts';
import { engines } from '../support/engines.ts';
import { makeListSpace, useDatabase } from '../support/list-stage.ts';

const page = readFileSync(new URL('../../../docs/statements.md', import.meta.url), 'utf8');
const between = (name: string): string =>
  new RegExp(`<!-- ${name}:begin -->\n([\\s\\S]*?)\n<!--`).exec(page)?.[1] ?? '';
const history = between('history')
  .split('\n')
  .slice(2)
  .map((row) => row.split('|').map((cell) => cell.trim()))
  .map(([, time = '', event = '']) => ({ at: Date.parse(`${time}:00+09:00`), event }));
const month = '2026-10';
const now = Date.parse('2026-12-01T00:00:00+09:00');

/** Runs one event of the page; the first call is the one that is corrected. */
async function run(db: Database, spaceId: string, { at, event }: (typeof history)[number], calls: string[]) {
  const given = /^grant of (\S+) (paid|promo) units(?: until (\S+))?$/.exec(event);
  const called = /^call of `(\w+)` with the key `(\w+)` for (\S+)$/.exec(event);
  const corrected = /^correction of the first call to (\S+)$/.exec(event);
  if (given !== null) {
    const [, amount = '', kind = '', until] = given;
    const grant = {
      id: newId('grt', at),
      spaceId,
      kind: kind as 'paid',
      amount: parseUnits(amount),
      note: '',
    };
    const expiresAt = until === undefined ? null : Date.parse(`${until}:00+09:00`);
    await db.transaction((tx) => giveUnits(tx, { ...grant, expiresAt, createdAt: at }));
  } else if (called !== null) {
    const [, model = '', keyId = '', cost = ''] = called;
    const call = callOf(spaceId, cost, { id: newId('req', at), startedAt: at, chargedAt: at, model, keyId });
    await recordCalls(db, { rows: joinRows([callRow(call)]), spaces: [spaceId], at });
    calls.push(call.id);
  } else if (corrected !== null) {
    const to = { callId: calls[0] as string, cost: parseUnits(corrected[1] as string), note: '', at };
    await db.transaction((tx) => correctCall(tx, to));
  } else if (event === 'expiry') await expireUnits(db, at);
  else if (event === 'invoice')
    await db.transaction((tx) => invoiceOverage(tx, { id: newId('inv', at), spaceId, note: '', at }));
  else throw new Error(`not an event: ${event}`);
}

describe.each(engines)('the worked example of a statement on %s', (engine) => {
  const stage = useDatabase(engine);

  test('leads to the file on the page, and its export to the sum on the page', async () => {
    const { db } = stage;
    const spaceId = await makeListSpace(db);
    const calls: string[] = [];
    for (const one of history) await run(db, spaceId, one, calls);
    expect(history).toHaveLength(10);
    const statement = await monthStatement(db, { spaceId, month, now });
    const csv = csvOf(adminEndpoints['statements.get'], { space: 'any', ...statement });
    expect(`\`\`\`csv\n${csv.replaceAll('\r\n', '\n')}\`\`\``).toBe(between('statement'));
    const { rows } = await readFocusPage(db, { spaceId, month, limit: 100, after: null });
    const focus = rows.map((row) => focusRow(row, { space: { id: spaceId, name: 'any' }, month }));
    const sum = printUnits(sumUnits(focus.map(({ BilledCost }) => parseUnits(BilledCost))));
    expect(page).toContain(`13.25 − 1 = ${sum}.`);
    expect(
      focus.map((row) => [row.x_Movement, row.ChargeCategory, row.ChargeClass, row.BilledCost, row.x_Units]),
    ).toEqual([
      ['grant', 'Credit', null, '0', '5'],
      ['charge', 'Usage', null, '3.5', '3.5'],
      ['charge', 'Usage', null, '0.25', '0.25'],
      ['correction', 'Usage', 'Correction', '-1', '-1'],
      ['expiry', 'Adjustment', null, '0', '1.25'],
      ['charge', 'Usage', null, '9', '9'],
      ['invoice', 'Adjustment', null, '0', '2'],
      ['charge', 'Usage', null, '0.5', '0.5'],
    ]);
    const september = await monthStatement(db, { spaceId, month: '2026-09', now });
    expect(september.usage).toMatchObject({
      corrected_in: [{ month, entries: 1, amount: '-1' }],
      corrections_of: [],
    });
  });
});
