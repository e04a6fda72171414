/** Hard limits: a call is sent only if what it may cost at most fits into units and limits. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { monthOf, monthStart, nextMonth } from '../../src/kernel/time.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

const config = testConfig({
  models: {
    'sim-capped': {
      capabilities: ['streaming', 'vision', 'tools'],
      output_tokens_max: 100_000,
      context_tokens: 200_000,
      routes: [{ provider: 'simulator', model: 'sim-chat' }],
    },
  },
  // 0.0001 units for a token of an answer, so that 10,000 tokens cost one unit.
  prices: { 'sim-capped': { input: 0, output: 100 } },
});

interface Refusal {
  readonly type: string;
  readonly detail: string;
}

describe.each(engines)('hard limits on %s', (engine) => {
  let gateway: TestGateway;
  let made = 0;
  const clock = shiftedClock();
  beforeAll(async () => {
    gateway = await startGateway({ engine, config, clock });
  });
  afterAll(async () => {
    // Whatever the tests did, the books agree.
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
    await gateway.stop();
  });

  async function hardSpace(units: string): Promise<{ space: string; key: string }> {
    const space = `hard-${made++}`;
    await gateway.admin('spaces.create', { name: space, overage: false });
    await gateway.admin('spaces.hard_limits', { space, hard: true });
    await gateway.admin('grants.add', { space, amount: units, kind: 'paid' });
    return { space, key: (await gateway.admin('keys.create', { space, name: space, kind: 'shared' })).key };
  }

  function call(key: string, more: object = {}, content: unknown = '20 words'): Promise<Response> {
    const body = { model: 'sim-capped', messages: [{ role: 'user', content }], ...more };
    return gateway.chat(body, { authorization: `Bearer ${key}` });
  }

  async function spentBy(space: string): Promise<number> {
    const [row] = await gateway.query<{ cost: string }>(sql`
      select coalesce(sum(t.cost), 0) as cost from spaces s left join month_totals t on t.space_id = s.id
      where s.name = ${space}`);
    return Number(row?.cost);
  }

  test('a call whose bound does not fit is refused before it is sent, with what it needs and what is left', async () => {
    const { key } = await hardSpace('0.5');
    const sent = gateway.simulator.calls.length;
    const refused = await call(key, { max_completion_tokens: 6_000 });
    expect(refused.status).toBe(402);
    const { type, detail } = (await refused.json()) as Refusal;
    expect(type).toBe('insufficient_units');
    expect(detail).toMatch(
      /may cost 0\.6\d* units, and the space hard-\d+ has 0\.5 left.* lower output limit/,
    );
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(gateway.simulator.calls.length).toBe(sent);
    expect((await call(key, { max_completion_tokens: 4_000 })).status).toBe(200);
  });

  test('a call without an output limit gets the largest that fits, and a header says so', async () => {
    const { key } = await hardSpace('0.5');
    const reply = await call(key);
    expect(reply.status).toBe(200);
    const limit = Number(reply.headers.get('x-tollgate-output-limit'));
    expect(limit).toBeGreaterThan(4_900);
    expect(limit).toBeLessThanOrEqual(5_000);
    const { body } = gateway.simulator.calls.at(-1) as unknown as {
      body: { max_completion_tokens?: number; max_tokens?: number };
    };
    expect(body.max_completion_tokens ?? body.max_tokens).toBe(limit);
    // Where everything fits, nothing is changed.
    const rich = await hardSpace('1000');
    const free = await call(rich.key);
    expect([free.status, free.headers.get('x-tollgate-output-limit')]).toEqual([200, null]);
  });

  test('what cannot be bounded is rejected by name', async () => {
    const { key } = await hardSpace('1');
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const refused = await call(key, {}, [{ type: 'text', text: 'hi' }, image]);
    expect(refused.status).toBe(400);
    const { type, detail } = (await refused.json()) as Refusal;
    expect(type).toBe('unsupported_parameter');
    expect(detail).toMatch(
      /messages\[0\]\.content\[1\]\S* has no upper bound.*This space has hard limits or a hard budget/,
    );
  });

  test('100 calls at once never spend more than the space holds, and it can be used up', async () => {
    const { space, key } = await hardSpace('0.05');
    const limits = { max_completion_tokens: 100 };
    let [refused, rounds] = [0, 0];
    do {
      const replies = await Promise.all(Array.from({ length: 100 }, () => call(key, limits, '60 words')));
      const statuses = replies.map(({ status }) => status);
      await Promise.all(replies.map((reply) => reply.text()));
      refused = statuses.filter((status) => status === 402).length;
      expect(statuses.every((status) => status === 200 || status === 402)).toBe(true);
    } while (refused < 100 && ++rounds < 20);
    expect(refused).toBe(100);
    const spent = await spentBy(space);
    expect(spent).toBeLessThanOrEqual(0.05);
    // What is left is less than one call may cost: 0.01.
    expect(spent).toBeGreaterThan(0.04);
  });

  test('a monthly limit of a key is hard too, also where the space permits overage', async () => {
    const space = `hard-${made++}`;
    await gateway.admin('spaces.create', { name: space, overage: true });
    await gateway.admin('spaces.hard_limits', { space, hard: true });
    const { key } = await gateway.admin('keys.create', { space, name: 'k', kind: 'shared' });
    await gateway.admin('keys.limit', { space, name: 'k', month_limit: '0.02' });
    const refused = await call(key, { max_completion_tokens: 500 });
    expect(refused.status).toBe(429);
    expect(((await refused.json()) as Refusal).detail).toMatch(
      /may cost 0\.05\d* units, which do not fit into the monthly limit of this key: 0 of 0\.02/,
    );
    expect((await call(key, { max_completion_tokens: 100 })).status).toBe(200);
  });

  // The last test, because it moves the clock.
  test('a call that may end in the next month is held there too', async () => {
    const { key } = await gateway.admin('keys.create', { space: 'acme', name: 'monthly', kind: 'shared' });
    await gateway.admin('spaces.hard_limits', { space: 'acme', hard: true });
    await gateway.admin('keys.limit', { space: 'acme', name: 'monthly', month_limit: '0.01' });
    const lastMonth = monthOf(clock.now());
    clock.shift(monthStart(nextMonth(lastMonth)) - 60_000 - clock.now());
    const limits = { max_completion_tokens: 100 };
    const seen = gateway.simulator.waitFor(({ body }) =>
      `${JSON.stringify(body)}`.includes('over the month'),
    );
    const over = call(key, limits, '[[fault slow-first-byte]] [[delay 1500]] 20 words over the month');
    await seen;
    clock.shift(120_000);
    const refused = await call(key, limits);
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([429, 'true']);
    const reply = await over;
    expect(reply.status).toBe(200);
    const spent = ((await reply.json()) as { estimated_cost: { amount: string } }).estimated_cost.amount;
    const months = await gateway.query(sql`
      select t.month, trim_scale(t.cost)::text as cost from month_totals t join keys k on k.id = t.key_id
      where k.name = 'monthly'`);
    expect(months).toEqual([{ month: nextMonth(lastMonth), cost: spent }]);
  });
});
