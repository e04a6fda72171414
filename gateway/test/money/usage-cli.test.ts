/** `tollgate usage` and `tollgate balance`: the same digits as the platform API, in every form. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usageDimensions } from '../../src/contract/administration/words.ts';
import type { BalanceRecord, UsageRecord } from '../../src/contract/platform.ts';
import { isoOf, monthOf, systemClock } from '../../src/kernel/time.ts';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import type { UsageBreakdown, UsageDimension } from '../../src/reports/usage-breakdown.ts';
import { chargeCalls } from '../support/charged-calls.ts';
import { CommandProcess } from '../support/command-process.ts';
import { type Engine, engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const PAST = '2024-02';
const FUTURE = '2999-12';
const ODD = 'a "quoted", key; 한글';
const header = (by: string): string[] => [by, 'requests', 'unpriced', 'cost'];

interface Books {
  readonly gateway: TestGateway;
  readonly usage: (month: string) => Promise<UsageRecord>;
  readonly balance: () => Promise<BalanceRecord>;
}

/** A space with calls of several keys, members, models and days; one call is corrected. */
async function openBooks(engine: Engine): Promise<Books> {
  const gateway = await startGateway({ engine });
  const { admin } = gateway;
  await admin('members.add', { email: 'ann@acme.test', nickname: 'Ann', role: 'member' });
  await admin('keys.create', { name: 'anns', kind: 'personal', email: 'ann@acme.test' });
  await admin('keys.create', { name: ODD, kind: 'shared' });
  await admin('grants.add', { amount: '0.000000000003', kind: 'promo' });
  const { key } = await admin('keys.create', { name: 'reports', kind: 'management' });
  const now = isoOf(systemClock.now());
  const [corrected = ''] = await chargeCalls(gateway, [
    { key: 'test', cost: '0.1', at: now },
    { key: 'test', cost: '0.000000000001', at: now, model: 'sim-chat-classic' },
    { key: 'anns', cost: '12.345678901234', at: now },
    { key: 'anns', cost: null, at: now, model: 'unpriced' },
    { key: ODD, cost: '0', at: now },
    { key: ODD, cost: '999', at: now, outcome: 'failed', charge: null },
    { key: 'test', cost: '0.7', at: `${PAST}-01T00:00:00+09:00` },
    { key: ODD, cost: '0.000000000009', at: `${PAST}-29T23:59:59.999+09:00`, model: 'gone' },
    { key: ODD, cost: '3', at: `${PAST}-29T12:00:00+09:00` },
  ]);
  await admin('ledger.correct', { call: corrected, amount: '0.250000000007', note: 'wrong price' });
  const ask = async <Answer>(path: string): Promise<Answer> => {
    const reply = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    expect(reply.status).toBe(200);
    return (await reply.json()) as Answer;
  };
  return {
    gateway,
    usage: (month) => ask<UsageRecord>(`/v1/usage?month=${month}`),
    balance: () => ask<BalanceRecord>('/v1/balance'),
  };
}

type Row = [name: string, requests: number, cost: string];

function ofApi(report: UsageRecord, by: 'model' | 'key'): Row[] {
  return by === 'model'
    ? report.costsByModel.map(({ model, requestCount, cost }) => [model, requestCount, cost])
    : report.costsByVirtualKey.map((row) => [row.virtualKeyName, row.requestCount, row.cost]);
}

/** RFC 4180, as any spreadsheet reads it. */
function readCsv(text: string): string[][] {
  expect(text.endsWith('\r\n')).toBe(true);
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(field)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

describe.each(engines)('the usage of a month on %s', (engine) => {
  let books: Books;
  beforeAll(async () => {
    books = await openBooks(engine);
  });
  afterAll(() => books.gateway.stop());

  const breakdown = (by: UsageDimension, month: string): Promise<UsageBreakdown> =>
    books.gateway.admin('reports.usage', { by, month });

  test.each(usageDimensions)(
    'by %s the rows add up to the total of the API, to the last digit',
    async (by) => {
      for (const month of [monthOf(systemClock.now()), PAST, FUTURE]) {
        const [{ rows, total, ...period }, report] = [await breakdown(by, month), await books.usage(month)];
        expect(period).toMatchObject({ period_start: report.periodStart, period_end: report.periodEnd });
        expect(printUnits(sumUnits(rows.map(({ cost }) => parseUnits(cost))))).toBe(report.totalCostUsage);
        expect(total.cost).toBe(report.totalCostUsage);
        expect(total.requests).toBe(report.totalRequestCount);
        expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(report.totalRequestCount);
        if (by === 'model' || by === 'key') {
          expect(rows.map(({ name, requests, cost }) => [name, requests, cost])).toEqual(ofApi(report, by));
        }
      }
    },
  );

  test('it includes corrections and unpriced calls, and no failed calls', async () => {
    const { rows, total } = await breakdown('key', monthOf(systemClock.now()));
    expect(
      rows.map(({ key_id: id, name, requests, unpriced, cost }) => [
        { name, requests, unpriced, cost },
        /^key_/.test(id ?? ''),
      ]),
    ).toEqual(
      [
        { name: 'anns', requests: 2, unpriced: 1, cost: '12.345678901234' },
        { name: 'test', requests: 2, unpriced: 0, cost: '0.250000000008' },
        { name: ODD, requests: 1, unpriced: 0, cost: '0' },
      ].map((row) => [row, true]),
    );
    expect(total).toEqual({ requests: 5, unpriced: 1, cost: '12.595678901242' });
  });

  test('members are listed by e-mail, and shared keys together', async () => {
    expect((await breakdown('member', monthOf(systemClock.now()))).rows).toMatchObject([
      { name: 'ann@acme.test', requests: 2 },
      { name: '(shared keys)', requests: 3 },
    ]);
  });

  test('days are calendar days in KST', async () => {
    expect((await breakdown('day', PAST)).rows).toMatchObject([
      { name: '2024-02-01', requests: 1, unpriced: 0, cost: '0.7', key_id: null },
      { name: '2024-02-29', requests: 2, unpriced: 0, cost: '3.000000000009', key_id: null },
    ]);
  });

  test.each([
    [{ by: 'colour' }, /by "colour" is not valid/],
    [{ by: 'day', month: '2026-13' }, /month "2026-13" is not valid/],
    [{ by: 'model', space: 'nope' }, /no space nope/],
  ])('%j is rejected, naming the field', async (input, message) => {
    await expect(books.gateway.admin('reports.usage', input as never)).rejects.toThrow(message);
  });
});

describe('on the command line', () => {
  const commands = new CommandProcess();
  let books: Books;
  beforeAll(async () => {
    books = await openBooks(engines.at(-1) as Engine);
  });
  afterAll(async () => {
    await commands.stop();
    await books.gateway.stop();
  });

  async function run(...args: string[]): Promise<string> {
    const { gateway } = books;
    const ran = await commands.run([...args, '--data', gateway.folder, '--config', gateway.configFile]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    return ran.stdout;
  }

  test('CSV and JSON have the strings of the API, names with commas and quotes included', async () => {
    const month = monthOf(systemClock.now());
    const [models, keys, past, json, report, pastReport] = await Promise.all([
      run('usage', '--csv'),
      run('usage', '--by', 'key', '--csv'),
      run('usage', '--by', 'key', '--month', PAST, '--csv'),
      run('usage', '--by', 'key', '--json'),
      books.usage(month),
      books.usage(PAST),
    ]);
    const cells = (csv: string): unknown[] =>
      readCsv(csv)
        .slice(1)
        .map(([name, requests, , cost]) => [name, Number(requests), cost]);
    expect(readCsv(models)[0]).toEqual(header('model'));
    expect(cells(models)).toEqual(ofApi(report, 'model'));
    expect(readCsv(keys)[0]).toEqual([...header('key'), 'key_id']);
    expect(cells(keys)).toEqual(ofApi(report, 'key'));
    expect(keys).toContain('"a ""quoted"", key; 한글",');
    expect(cells(past)).toEqual(ofApi(pastReport, 'key'));
    const printed = JSON.parse(json) as UsageBreakdown & { space: string };
    expect(printed).toMatchObject({ space: 'acme', month, by: 'key' });
    expect(printed.rows.map(({ name, requests, cost }) => [name, requests, cost])).toEqual(
      ofApi(report, 'key'),
    );
    expect(printed.total.cost).toBe(report.totalCostUsage);
  });

  test('a month without calls is only a header in CSV, and a sentence in the table', async () => {
    const [csv, days, text] = await Promise.all([
      run('usage', '--month', FUTURE, '--csv'),
      run('usage', '--month', FUTURE, '--by', 'day', '--csv'),
      run('usage', '--month', FUTURE),
    ]);
    expect([readCsv(csv), readCsv(days)]).toEqual([[header('model')], [header('day')]]);
    expect(text).toBe(
      'acme, 2999-12-01T00:00:00+09:00 to 3000-01-01T00:00:00+09:00\n\nNothing was used in this month.\n',
    );
  });

  test('the table has a total and says which calls it does not include', async () => {
    const lines = (await run('usage', '--by', 'member')).split('\n');
    expect(lines[2]).toMatch(/^MEMBER +REQUESTS +UNPRICED +COST$/);
    expect(lines[3]).toMatch(/^ann@acme\.test +2 +1 +12\.345678901234$/);
    expect(lines[5]).toMatch(/^total +5 +1 +12\.595678901242$/);
    expect(lines[7]).toBe('Requests of unknown cost, not included in the sum: 1.');
  });

  test('balance shows the record of the API, as JSON and as a table', async () => {
    const [json, text, balance] = await Promise.all([
      run('balance', '--json'),
      run('balance'),
      books.balance(),
    ]);
    expect(JSON.parse(json)).toEqual({ space: 'acme', ...balance, worth: null });
    expect(text).toContain(`held             ${balance.held.total}\n`);
  });
});
