/**
 * The table of paid endpoints, walked: what each promises about money is asked of every one, with the first example of its
 * documentation. A new endpoint is tested here as soon as it is declared.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docsOf } from '../../src/contract/documentation/documentation.ts';
import { callKinds, type PricedCount, paidEndpoints } from '../../src/contract/paid-endpoints.ts';
import type { ReceiptObject } from '../../src/contract/receipt.ts';
import { sql } from '../../src/database/sql.ts';
import { changeConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { newKey, setRate } from '../support/rates-stage.ts';

type Body = Readonly<Record<string, unknown>> & { readonly model: string };

const demo = readFileSync(new URL('../../demo/tollgate.yaml', import.meta.url), 'utf8');
const config = changeConfig(demo, {
  providers: {
    simulator: { base_url: 'SIMULATOR', api_key: 'simulator-key' },
    'simulator-anthropic': { base_url: 'SIMULATOR_ORIGIN', api_key: 'simulator-key' },
    'simulator-google': { base_url: 'SIMULATOR_ORIGIN/v1beta', api_key: 'simulator-key' },
    'simulator-video': { base_url: 'SIMULATOR_ORIGIN/generic', api_key: 'simulator-key' },
  },
  // Nothing that a call of these is charged for has a price.
  models: Object.fromEntries(
    Object.entries(callKinds).map(([kind, { makes }]) => [
      `without-price-${kind}`,
      {
        endpoints: [kind],
        capabilities: makes === 'vectors' ? ['dimensions'] : [],
        routes: [{ provider: 'simulator', model: 'sim-chat' }],
      },
    ]),
  ),
  prices: {
    models: Object.fromEntries(
      Object.keys(callKinds).map((kind) => [`without-price-${kind}`, { per_second: 1 }]),
    ),
  },
});

/** The lines that a receipt may have for what a kind counts. */
const lines: Readonly<Record<PricedCount, RegExp>> = {
  input: /^(?:image_|audio_)?input$/,
  output: /^(?:(?:image_|audio_)?output|reasoning)$/,
  cache: /^(?:cached_|cache_write)/,
  images: /^(?:image|(?:image_)?(?:in|out)put)$/,
  seconds: /^second$/,
};

describe.each(engines)('paid endpoints on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
  });
  afterAll(() => gateway.stop());

  describe.each(paidEndpoints)('$name', ({ name, path, kind, repeats }) => {
    const example = docsOf(name)?.docs.examples.find(({ body }) => body !== undefined);
    const body = example?.body as Body;

    async function send(
      key: string,
      more: { model?: string; headers?: Record<string, string> } = {},
    ): Promise<Response> {
      const { model = body.model, headers } = more;
      const own = { authorization: `Bearer ${key}`, ...(example?.headers as object), ...headers };
      return await gateway.post(path, { ...body, model }, own);
    }

    async function expectRefused(sending: Promise<Response>, status: number, code: string): Promise<void> {
      const asked = gateway.simulator.calls.length;
      const reply = await sending;
      expect([reply.status, gateway.simulator.calls.length]).toEqual([status, asked]);
      expect(await reply.text()).toContain(`"${code}"`);
    }

    test('is answered, charged, and has a receipt with what its kind counts', async () => {
      const asked = gateway.simulator.calls.length;
      const reply = await send(gateway.key);
      expect([reply.status, gateway.simulator.calls.length]).toEqual([200, asked + 1]);
      const id = reply.headers.get('x-request-id');
      const found = await fetch(`${gateway.url}/v1/receipts/${id}`, {
        headers: { authorization: `Bearer ${gateway.key}` },
      });
      const receipt = (await found.json()) as ReceiptObject;
      expect(receipt).toMatchObject({ endpoint: kind, outcome: 'completed' });
      expect(Number(receipt.cost)).toBeGreaterThan(0);
      expect(reply.headers.get('x-tollgate-cost-units')).toBe(receipt.cost);
      const known = callKinds[kind].counts.map((counted) => lines[counted]);
      const unknown = receipt.lines.filter(({ component }) => !known.some((one) => one.test(component)));
      expect([receipt.lines.length > 0, unknown]).toEqual([true, []]);
      expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
    });

    test('is repeated for its key, charged once and without asking the provider again', async () => {
      const asked = gateway.simulator.calls.length;
      const headers = { 'idempotency-key': `walk-${name}` };
      const [first, second] = [await send(gateway.key, { headers }), await send(gateway.key, { headers })];
      expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([
        200,
        200,
        'true',
      ]);
      expect(await second.text()).toBe(await first.text());
      expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
      expect(gateway.simulator.calls.length).toBe(asked + 1);
      const kept = await gateway.query<{ operation: string }>(
        sql`select operation from repeatable_calls where key = ${`walk-${name}`}`,
      );
      expect(kept).toEqual([{ operation: repeats }]);
    });

    test('is not sent if it may cost more than a space with hard limits has', async () => {
      const space = `hard-${name.toLowerCase()}`;
      await gateway.admin('spaces.create', { name: space, overage: false });
      await gateway.admin('spaces.hard_limits', { space, hard: true });
      await gateway.admin('grants.add', { space, amount: '0.000000000001', kind: 'paid' });
      await expectRefused(send(await newKey(gateway, space, space)), 402, 'insufficient_units');
    });

    test('is refused by every limit of a key, before the provider is asked', async () => {
      const key = (made: string): Promise<string> => newKey(gateway, `${made}-${name.toLowerCase()}`);
      const named = { space: 'acme', name: `limited-${name.toLowerCase()}` };
      const limited = await key('limited');
      expect((await send(limited)).status).toBe(200);
      await gateway.admin('keys.limit', { ...named, month_limit: '0.000000000001' });
      await expectRefused(send(limited), 429, 'policy_limit_exceeded');
      await gateway.admin('keys.limit', { ...named, month_limit: null });

      await setRate(gateway, 'keys', named.name, { requests: 1 });
      await send(limited);
      await expectRefused(send(limited), 429, 'rate_limit_exceeded');

      const restricted = await key('restricted');
      const other = { space: 'acme', name: `restricted-${name.toLowerCase()}`, models: ['sim-video'] };
      await gateway.admin('keys.models', other);
      await expectRefused(send(restricted), 404, 'model_not_found');
    });

    test('counts in the budgets of its key, and is refused by one that is hard before the provider is asked', async () => {
      const of = `budget-${name.toLowerCase()}`;
      const key = await newKey(gateway, of);
      const add = { space: 'acme', key: of, window: 'month' } as const;
      await gateway.admin('budgets.add', { ...add, name: of, amount: '1000', hard: true });
      const reply = await send(key);
      expect(reply.status).toBe(200);
      await reply.text();
      const { spent } = await gateway.admin('budgets.get', { space: 'acme', budget: of });
      expect(spent).toBe(reply.headers.get('x-tollgate-cost-units'));
      const small = { space: 'acme', budget: of, amount: '0.000000000001' };
      await gateway.admin('budgets.change', small);
      await expectRefused(send(key), 429, 'budget_exceeded');
    });

    test('is refused if what it uses has no price', async () => {
      const model = `without-price-${kind}`;
      await expectRefused(send(gateway.key, { model }), 400, 'price_missing');
    });
  });
});
