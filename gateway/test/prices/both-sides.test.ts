/** Two sides of each request: what is charged, with markup, and what the provider will bill. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ReceiptObject } from '../../src/contract/receipt.ts';
import { sql } from '../../src/database/sql.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Ran, runCli } from '../support/run-cli.ts';

const config = `
providers:
  first: { dialect: openai, base_url: FAKE/v1, api_key: k }
  second: { dialect: openai, base_url: FAKE/v1, api_key: k }
models:
  plain: { batch: own, routes: [{ provider: first, model: gpt-5 }] }
  marked: { routes: [{ provider: first, model: gpt-5 }] }
  passed: { routes: [{ provider: second, model: gpt-5 }] }
  unbilled: { routes: [{ provider: second, model: other }] }
prices:
  version: both
  units_per_currency: 100
  markup:
    - { factor: 1.5, model: marked }
    - { factor: 1.2, space: lab }
    - { factor: 2, space: lab, model: marked }
  models:
    plain: { input: 10, output: 20, batch_input: 5, batch_output: 10 }
    marked: { input: 10, output: 20, request: 0.1, tools: { web_search: 10 } }
    passed: { from_provider: true }
    unbilled: { input: 1, output: 1 }
provider_prices:
  version: bill-1
  currency: USD
  models:
    first/gpt-5: { input: 2.5, cached_input: 0.25, output: 10, when: [{ tier: flex, factor: 0.5 }] }
    second/gpt-5: { input: 0.000003, output: 3 }
`;

const messages = [{ role: 'user', content: 'Hi' }];

interface Sides {
  readonly cost: string | null;
  readonly provider_cost: string | null;
  readonly provider_currency: string | null;
  readonly provider_price_version: string | null;
}

describe.each(engines)('both sides of prices on %s', (engine) => {
  let gateway: TestGateway;
  let server: Server;
  let more: object = {};

  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      request.on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({
            ...{ id: 'c', object: 'chat.completion', created: 1, model: 'gpt', ...more },
            choices: [{ index: 0, message: { role: 'assistant', content: 'Yes' }, finish_reason: 'stop' }],
            usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
          }),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const fake = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    gateway = await startGateway({ engine, config: config.replaceAll('FAKE', fake) });
    await gateway.admin('spaces.create', { name: 'lab', overage: true });
  });
  afterAll(async () => {
    await gateway.stop();
    server.close();
  });

  async function call(model: string, key = gateway.key): Promise<string> {
    const reply = await gateway.chat({ model, messages }, { authorization: `Bearer ${key}` });
    expect(reply.status).toBe(200);
    await reply.text();
    return reply.headers.get('x-request-id') as string;
  }
  async function sidesOf(id: string): Promise<Sides> {
    const [row] = await gateway.query<Sides>(sql`
      select trim_scale(cost)::text as cost, trim_scale(provider_cost)::text as provider_cost, provider_currency,
        provider_price_version from calls where id = ${id}`);
    return row as Sides;
  }
  async function receiptOf(id: string, key = gateway.key): Promise<ReceiptObject> {
    const reply = await fetch(`${gateway.url}/v1/receipts/${id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return (await reply.json()) as ReceiptObject;
  }
  const cli = (...args: string[]): Promise<Ran> =>
    runCli(args, {
      env: {
        TOLLGATE_DATA: gateway.folder,
        TOLLGATE_CONFIG: gateway.configFile,
        ...(gateway.databaseUrl !== null && { DATABASE_URL: gateway.databaseUrl }),
      },
    });

  test('a call keeps what the provider will bill, with its currency and version, beside the charge', async () => {
    expect(await sidesOf(await call('plain'))).toEqual({
      ...{ cost: '0.012', provider_cost: '0.0035' },
      ...{ provider_currency: 'USD', provider_price_version: 'bill-1' },
    });
    more = { service_tier: 'flex' };
    expect(await sidesOf(await call('plain'))).toMatchObject({ cost: null, provider_cost: '0.00175' });
    more = {};
    expect(await sidesOf(await call('unbilled'))).toEqual({
      ...{ cost: '0.0011', provider_cost: null, provider_currency: null, provider_price_version: null },
    });
  });

  test('the most specific markup multiplies each price, and the lines still add up', async () => {
    const lines = ({ lines: all }: ReceiptObject): string[] =>
      all.map(({ component, price, amount }) => `${component} ${price} ${amount}`);
    const own = await receiptOf(await call('marked'));
    expect(lines(own)).toEqual(['input 15 0.015', 'output 30 0.003', 'request 0.15 0.15']);
    expect(own.cost).toBe('0.168');
    const { key } = await gateway.admin('keys.create', { space: 'lab', name: 'k', kind: 'shared' });
    expect((await receiptOf(await call('plain', key), key)).cost).toBe('0.0144');
    expect((await receiptOf(await call('marked', key), key)).cost).toBe('0.224');
    const shown = await fetch(`${gateway.url}/v1/models/marked`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { pricing } = (await shown.json()) as { pricing: object };
    expect(pricing).toMatchObject({ input: '20', output: '40', request: '0.2', tools: { web_search: '20' } });
  });

  test('a model may be charged at the price of its provider, converted into units', async () => {
    const id = await call('passed');
    expect(await sidesOf(id)).toMatchObject({ cost: '0.0300003', provider_cost: '0.000300003' });
    expect((await receiptOf(id)).lines[0]).toMatchObject({ price: '0.0003', amount: '0.0000003' });
  });

  test('a batch keeps the bill of its lines, which are single calls for the provider', async () => {
    const lines = ['a', 'b'].map((id) => chatLine(id, 'Hi', { model: 'plain' }));
    const { id } = await new BatchStage(gateway).submitted(lines);
    const bills = await vi.waitFor(async () => {
      const [row] = await gateway.query<{ bills: object; units: string }>(sql`
        select provider_bills as bills, trim_scale(settled_units)::text as units from batches
        where id = ${id} and settlement_status = 'settled'`);
      if (row === undefined) throw new Error('not settled');
      return row;
    }, PATIENCE);
    expect(bills).toEqual({
      units: '0.012',
      bills: [
        {
          ...{ provider: 'first', upstream_model: 'gpt-5', currency: 'USD', version: 'bill-1' },
          ...{ lines: 2, unknown: 0, cost: '0.007', charge: '0.012' },
        },
      ],
    });
  });

  test('the margin counts unknown amounts apart, as JSON and CSV', async () => {
    const report = await gateway.admin('reports.margin', { by: 'model' });
    expect(report.units_per_currency).toBe('100');
    const row = (name: string): object | undefined => report.rows.find((one) => one.name === name);
    expect(row('unbilled')).toEqual({
      ...{ name: 'unbilled', requests: 1, charge: '0.0011', charge_unknown: 0 },
      ...{ cost: null, currency: null, cost_unknown: 1, margin: null },
    });
    // Three calls, of which the one in the tier flex has no charge, and a batch: 0.0384 - 100 × 0.014.
    expect(row('plain')).toEqual({
      ...{ name: 'plain', requests: 5, charge: '0.0384', charge_unknown: 1 },
      ...{ cost: '0.01575', currency: 'USD', cost_unknown: 0, margin: '-1.3616' },
    });
    const csv = await cli('reports', 'margin', '--by', 'space', '--csv');
    expect(csv.stdout.split('\r\n')[0]).toBe(
      'space,requests,charge,charge_unknown,cost,currency,cost_unknown,margin',
    );
    expect(csv.stdout).toContain('\r\nlab,2,0.2384,0,0.007,USD,0,-0.4616\r\n');
  });

  test('the margin has one total where there is one currency, and else totals that name theirs', async () => {
    const totals = async () => {
      const { stdout } = await cli('reports', 'margin', '--by', 'model');
      return stdout.split('\n').filter((line) => line.startsWith('total'));
    };
    const [model, space] = [
      await gateway.admin('reports.margin', { by: 'model' }),
      await gateway.admin('reports.margin', { by: 'space' }),
    ];
    expect(model.totals).toEqual(space.totals);
    expect(model.totals).toMatchObject([{ currency: 'USD', cost_unknown: 1 }]);
    expect(await totals()).toEqual([expect.stringMatching(/^total +\d/)]);
    const other = await call('plain');
    await gateway.query(sql`update calls set provider_currency = 'EUR' where id = ${other}`);
    expect(await totals()).toEqual([
      expect.stringMatching(/^total in EUR /),
      expect.stringMatching(/^total in USD /),
      expect.stringMatching(/^total without a known cost /),
    ]);
  });

  test('neither members nor administrators see what providers bill', async () => {
    const id = await call('plain');
    const why = await gateway.admin('requests.get', { space: 'acme', request: id });
    const shown = [
      await receiptOf(id),
      why,
      await gateway.admin('reports.usage', { space: 'acme', by: 'model' }),
    ];
    const listed = await gateway.admin('requests.list', { space: 'acme' });
    const models = await gateway.admin('models.list', { space: 'acme' });
    expect(JSON.stringify([...shown, listed, models])).not.toMatch(
      /provider_(cost|price|currency|bills)|bill-1|0\.0035\b/,
    );
  });

  describe('reconcile', () => {
    let file: string;
    const day = new Date().toISOString().slice(0, 10);
    const start = Date.parse(day) / 1_000;
    const costs = (items: Array<[item: string, value: string]>): string =>
      `{"object":"page","has_more":false,"next_page":null,"data":[{"object":"bucket","start_time":${start},` +
      `"end_time":${start + 86_400},"results":[${items
        .map(
          ([item, value]) =>
            `{"object":"organization.costs.result","amount":{"value":${value},"currency":"usd"},"line_item":"${item}","project_id":"proj_1"}`,
        )
        .join(',')}]}]}`;

    beforeAll(() => {
      file = join(gateway.folder, 'costs.json');
    });

    test('rejects a provider that does not exist, and suggests one', async () => {
      writeFileSync(file, costs([['gpt-5, input', '1']]));
      const ran = await cli('reconcile', file, '--provider', 'secnd');
      expect([ran.code, ran.stdout]).toEqual([1, '']);
      expect(ran.stderr).toContain('There is no provider secnd in the configuration');
      expect(ran.stderr).toContain('Did you mean second?');
      const period = { from: `${day}T00:00:00Z`, until: '2126-01-01T00:00:00Z' };
      await expect(
        gateway.admin('reports.providerWork', { provider: 'third', model: 'gpt-5', ...period }),
      ).rejects.toThrow('The configuration has: first, second.');
    });

    test('finds no difference in an export that agrees', async () => {
      await call('passed');
      const { rows } = await gateway.admin('reports.providerDays', {
        ...{ provider: 'second', from: `${day}T00:00:00Z`, until: '2126-01-01T00:00:00Z' },
      });
      expect(rows.map(({ model, cost, unknown }) => [model, cost, unknown])).toEqual([
        ['gpt-5', '0.000600006', 0],
        ['other', '0', 1],
      ]);
      writeFileSync(
        file,
        costs([
          ['gpt-5-2026-08-07, input', '6e-9'],
          ['gpt-5-2026-08-07, output', '0.0006'],
        ]),
      );
      const ran = await cli('reconcile', file, '--provider', 'second', '--json');
      expect(JSON.parse(ran.stdout).differences).toMatchObject([{ model: 'other', unknown: 1 }]);
    });

    test('finds and names a drift of a millionth, down to the calls', async () => {
      writeFileSync(
        file,
        costs([
          ['gpt-5, input', '0.000001006'],
          ['gpt-5, output', '0.0006'],
        ]),
      );
      const ran = await cli('reconcile', file, '--provider', 'second', '--json');
      expect(ran.code).toBe(1);
      const [drift] = JSON.parse(ran.stdout).differences;
      expect(drift).toMatchObject({ day, model: 'gpt-5', project: 'proj_1', exported: '0.000601006' });
      expect([drift.ours, drift.difference, drift.calls.length]).toEqual(['0.000600006', '0.000001', 2]);
      expect(drift.calls[0]).toMatchObject({
        ...{ id: expect.stringMatching(/^req_/), input_tokens: 1_000, output_tokens: 100 },
        cost: '0.000300003',
      });
      const text = await cli('reconcile', file, '--provider', 'second');
      expect(text.stdout).toContain(
        `${day} gpt-5 (proj_1): export 0.000601006, ours 0.000600006, difference 0.000001; 2 requests`,
      );
    });
  });

  test('a sheet that changes a markup or a provider price under its version is rejected', async () => {
    const before = readFileSync(gateway.configFile, 'utf8');
    for (const [from, to, sheet] of [
      ['factor: 1.5', 'factor: 1.6', 'prices.version'],
      ['input: 2.5', 'input: 2.6', 'provider_prices.version'],
    ] as const) {
      writeFileSync(gateway.configFile, before.replace(from, to));
      await vi.waitFor(() => {
        expect(
          gateway.logged.some((line) => line.includes(`${sheet} `) && line.includes('already used')),
        ).toBe(true);
      }, PATIENCE);
    }
    writeFileSync(gateway.configFile, before);
  });
});
