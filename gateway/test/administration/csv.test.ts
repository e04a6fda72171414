/** Lists as comma-separated values: the figures of the JSON, well-formed, and safe to open in a spreadsheet. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AdminEndpoint } from '../../src/contract/administration/admin-endpoint.ts';
import {
  adminEndpoints,
  type OperationName,
  operationNames,
} from '../../src/contract/administration/admin-endpoints.ts';
import { acme, inputOf, PASSWORD } from '../support/admin-cases.ts';
import { AdminClient } from '../support/admin-client.ts';
import { type AdminStage, addThings, startAdminStage } from '../support/admin-stage.ts';
import { engines } from '../support/engines.ts';
import { readCsv } from '../support/read-csv.ts';

const OPERATOR = 'olga@tollgate.test';
/** Those with a list. The table of a statement is compared in test/money/statement-forms.test.ts. */
const withCsv = operationNames.filter((name) => (adminEndpoints[name] as AdminEndpoint).csv === true);

/** What a spreadsheet would run, and what it shows instead. */
const formulas = ['=1+1', '=HYPERLINK("http://evil.test","a")', '+1+1', '@SUM(1)', '-1+1', '-x', '＝1+1'];
const texts = ['a,b', 'say "hi"', "'quoted'", '100 % 키', '1-1', 'a=b'];

describe.each(engines)('comma-separated values on %s', (engine) => {
  let stage: AdminStage;
  let operator: AdminClient;

  beforeAll(async () => {
    stage = await startAdminStage({ engine });
    const { gateway } = stage;
    await gateway.admin('operators.add', { email: OPERATOR, password: PASSWORD });
    await addThings(gateway, 'shared');
    await gateway.admin('members.limit', { ...acme, email: 'kim@acme.test', month_limit: '0.000000000001' });
    for (const name of [...formulas, ...texts])
      await gateway.admin('keys.create', { ...acme, name, kind: 'shared' });
    operator = new AdminClient(gateway, await stage.session(OPERATOR));
  });
  afterAll(() => stage.gateway.stop());

  test.each(withCsv)('%s has the figures of the JSON', async (name: OperationName) => {
    const input = inputOf(name);
    const { body } = await operator.call(name, input);
    const csv = await operator.csv(name, input);
    expect(csv.status).toBe(200);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.headers.get('content-disposition')).toBe(
      `attachment; filename="${name.replace('.', '-')}.csv"`,
    );
    const [head = [], ...rows] = readCsv(csv.body);
    const items: Array<Record<string, unknown>> = body.data ?? body.rows;
    expect(rows).toHaveLength(items.length);
    for (const [i, item] of items.entries()) {
      expect(head.toSorted()).toEqual(Object.keys(item).toSorted());
      expect(rows[i]?.map(unmarked)).toEqual(head.map((column) => shown(item[column])));
    }
  });

  test('a name that a spreadsheet would run as a formula is marked as text; numbers are not', async () => {
    const rows = readCsv((await operator.csv('keys.list', acme)).body);
    const names = rows.slice(1).map((row) => row[1]);
    for (const name of formulas) expect(names).toContain(`'${name}`);
    for (const name of texts) expect(names).toContain(name);
    const ledger = (await operator.csv('ledger.list', { space: 'debtor' })).body as string;
    expect(ledger).toMatch(/,-0\.0\d+,/);
  });

  test('a page says where the next one begins, as in the JSON', async () => {
    const first = await operator.csv('keys.list', { ...acme, limit: 3 });
    expect(readCsv(first.body)).toHaveLength(4);
    const cursor = first.headers.get('x-next-cursor') ?? '';
    const { body } = await operator.call('keys.list', { ...acme, limit: 3 });
    expect(cursor).toBe(body.next_cursor);
    const rest = await operator.csv('keys.list', { ...acme, limit: 1000, cursor });
    expect(rest.headers.get('x-next-cursor')).toBeNull();
    const all = await operator.csv('keys.list', { ...acme, limit: 1000 });
    expect([...readCsv(first.body), ...readCsv(rest.body).slice(1)]).toEqual(readCsv(all.body));
  });

  test('an error is answered as JSON', async () => {
    const { status, body } = await operator.csv('keys.list', { space: 'nowhere' });
    expect([status, body.type]).toEqual([404, 'not_found']);
    expect((await operator.send('GET', '/api/console/spaces/acme/models?format=csv')).status).toBe(400);
  });
});

/** The mark of a text that is no formula. */
function unmarked(cell: string): string {
  return /^'[=+@＝＋－＠-]/.test(cell) ? cell.slice(1) : cell;
}

function shown(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
