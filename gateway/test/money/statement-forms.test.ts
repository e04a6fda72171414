/** The statement and the FOCUS export of a running gateway: the same digits as JSON, as CSV and on the command line. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResultOf } from '../../src/contract/administration/admin-endpoints.ts';
import { newId } from '../../src/kernel/ids.ts';
import { monthOf, monthStart, systemClock } from '../../src/kernel/time.ts';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { chargeCalls } from '../support/charged-calls.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readCsv } from '../support/read-csv.ts';
import { runCli } from '../support/run-cli.ts';

type FocusRow = ResultOf<'reports.focus'>['data'][number];

const ODD = '=a "quoted", key';
const NOW = systemClock.now();
const MONTH = monthOf(NOW);

/** Columns that the specification wants in every dataset, and of these the ones that must have a value. */
const MANDATORY = [
  ...['BilledCost', 'BillingAccountId', 'BillingAccountName', 'BillingCurrency', 'BillingPeriodEnd'],
  ...['BillingPeriodStart', 'ChargeCategory', 'ChargeClass', 'ChargeDescription', 'ChargePeriodEnd'],
  ...['ChargePeriodStart', 'ContractedCost', 'EffectiveCost', 'InvoiceIssuerName', 'ListCost'],
  ...['PricingQuantity', 'PricingUnit', 'ProviderName', 'PublisherName', 'ServiceCategory', 'ServiceName'],
];
const NULLABLE = ['ChargeClass', 'PricingQuantity', 'PricingUnit'];
const UTC = /^\d{4}-\d{2}-\d{2}T15:00:00Z$/;

describe.each(engines)('the statement of a running gateway on %s', (engine) => {
  let gateway: TestGateway;
  let token: string;
  beforeAll(async () => {
    gateway = await startGateway({ engine });
    const { admin } = gateway;
    await admin('members.add', { email: 'ann@acme.test', role: 'member' });
    await admin('keys.create', { name: ODD, kind: 'personal', email: 'ann@acme.test' });
    const call = (key: string, cost: string | null, at = NOW) => ({
      ...{ key, cost, id: newId('req', at), startedAt: at, at: new Date(at).toISOString() },
    });
    const before = monthStart(MONTH) - 1;
    const [old = ''] = await chargeCalls(gateway, [call('test', '3', before)], before);
    const [wrong = ''] = await chargeCalls(gateway, [
      call('test', '0.000000000001'),
      call(ODD, '1.5'),
      call(ODD, null),
    ]);
    await admin('ledger.correct', { call: old, amount: '2.75', note: 'wrong price' });
    await admin('ledger.correct', { call: wrong, amount: '0.000000000003' });
    token = (await admin('tokens.create', { space: 'acme', name: 'finance', access: 'read' })).token;
  });
  afterAll(() => gateway.stop());

  async function csv(path: string): Promise<string[][]> {
    const headers = { authorization: `Bearer ${token}` };
    const reply = await fetch(`${gateway.url}/api/console/spaces/acme/${path}`, { headers });
    expect(reply.status).toBe(200);
    return readCsv(await reply.text());
  }

  const sum = (amounts: readonly string[]): string => printUnits(sumUnits(amounts.map(parseUnits)));

  test('has one row per balance, movement, model and key as CSV, with the digits of the JSON', async () => {
    const { lines, models, keys, charged, usage } = await gateway.admin('statements.get');
    const [head = [], ...rows] = await csv('statement?format=csv');
    const of = (section: string, ...columns: string[]) =>
      rows
        .filter((row) => row[head.indexOf('section')] === section)
        .map((row) => columns.map((column) => row[head.indexOf(column)]));
    expect(of('movement', 'amount', 'promo', 'paid', 'overage')).toEqual(
      lines.map(({ amount, promo, paid, overage }) => [amount, promo, paid, overage]),
    );
    const sums = ['count', 'unpriced', 'charges', 'corrections', 'amount'];
    const shown = (row: (typeof models)[number] | (typeof keys)[number]) => [
      ...[String(row.requests), String(row.unpriced), row.charges, row.corrections, row.amount],
    ];
    expect(of('model', 'name', ...sums)).toEqual(models.map((row) => [row.model, ...shown(row)]));
    // A text that a spreadsheet would run is kept a text.
    const nameOf = (key: string) => (key === ODD ? `'${ODD}` : key);
    expect(of('key', 'name', 'id', ...sums)).toEqual(
      keys.map((row) => [nameOf(row.key), row.id, ...shown(row)]),
    );
    expect(sum(models.map(({ amount }) => amount))).toBe(charged);
    expect([charged, usage.cost]).toEqual(['1.250000000003', '1.500000000003']);
    expect(of('correction of', 'amount')).toEqual([['-0.25']]);
    expect(keys.map(({ key, unpriced }) => [key, unpriced])).toEqual([
      [ODD, 1],
      ['test', 0],
    ]);
  });

  test('exports FOCUS rows that obey the specification and add up to the statement', async () => {
    const { charged } = await gateway.admin('statements.get');
    const { data } = await gateway.admin('reports.focus');
    expect(sum(data.map(({ BilledCost }) => BilledCost))).toBe(charged);
    for (const row of data) {
      const cells: Record<string, unknown> = row;
      for (const column of MANDATORY) expect(cells).toHaveProperty(column);
      for (const column of MANDATORY.filter((name) => !NULLABLE.includes(name)))
        expect(cells[column], column).not.toBeNull();
      expect([row.EffectiveCost, row.ListCost, row.ContractedCost]).toEqual(Array(3).fill(row.BilledCost));
      for (const column of ['Billing', 'Charge'])
        for (const edge of ['Start', 'End']) expect(cells[`${column}Period${edge}`]).toMatch(UTC);
      expect(Date.parse(row.ChargePeriodEnd) - Date.parse(row.ChargePeriodStart)).toBe(86_400_000);
      expect(row.PricingQuantity === null).toBe(row.ChargeCategory !== 'Usage');
      expect(row.PricingQuantity ?? '0').toBe(row.BilledCost);
    }
    const find = (fits: (row: FocusRow) => boolean) => data.filter(fits);
    const corrections = find(({ x_Movement }) => x_Movement === 'correction');
    expect(corrections.map((row) => [row.ChargeClass, row.BilledCost, row.SubAccountName])).toEqual([
      ['Correction', '-0.25', 'test'],
      [null, '0.000000000002', 'test'],
    ]);
    expect(corrections[0]?.ChargeDescription).toMatch(/^Correction of req_\w+ of \d{4}-\d{2}: wrong price$/);
    expect(find(({ SubAccountName }) => SubAccountName === ODD)).toMatchObject([
      {
        ...{ BilledCost: '1.5', ConsumedQuantity: 2, x_UnpricedRequests: 1 },
        Tags: { 'tollgate:member': 'ann@acme.test' },
      },
    ]);
    expect(find(({ ChargeCategory }) => ChargeCategory === 'Credit')).toMatchObject([
      { BilledCost: '0', x_Units: '1000', x_Reference: expect.stringMatching(/^grt_/) },
    ]);
  });

  test('the same rows are exported as CSV, in pages and by the command', async () => {
    const { data } = await gateway.admin('reports.focus');
    const whole = await csv('focus?format=csv&limit=1000');
    expect(whole[0]).toEqual(Object.keys(data[0] ?? {}));
    const at = (column: string) => whole[0]?.indexOf(column) as number;
    expect(whole.slice(1).map((row) => row[at('BilledCost')])).toEqual(data.map((row) => row.BilledCost));
    const paged: FocusRow[] = [];
    for (let cursor: string | undefined, pages = 0; pages < 20; pages++) {
      const page = await gateway.admin('reports.focus', { limit: 1, cursor });
      paged.push(...page.data);
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(data);
    const place = ['--data', gateway.folder, '--config', gateway.configFile];
    const env = gateway.databaseUrl === null ? {} : { DATABASE_URL: gateway.databaseUrl };
    const run = (...args: string[]) => runCli([...args, '--month', MONTH, ...place], { env });
    const [focus, file, text] = await Promise.all([
      run('reports', 'focus', '--all', '--csv'),
      run('statement', '--csv'),
      run('statement'),
    ]);
    expect(focus).toMatchObject({ code: 0, stderr: '' });
    expect(readCsv(focus.stdout)).toEqual(whole);
    expect(readCsv(file.stdout)).toEqual(await csv('statement?format=csv'));
    expect(text.stdout).toContain('Charged: 1.250000000003 units.');
    expect(text.stdout).toMatch(/Includes corrections of calls of \d{4}-\d{2}: -0\.25 units\./);
  });
});
