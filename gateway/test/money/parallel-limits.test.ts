/** Calls that run at the same time do not pass units or limits together: each holds what it may cost. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const config = testConfig({
  models: {
    'one-unit': { capabilities: ['streaming'], routes: [{ provider: 'simulator', model: 'sim-chat' }] },
  },
  // A unit for a call, and nothing for its tokens.
  prices: { 'one-unit': { input: 0, output: 0, request: '1' } },
});

/** The answer takes so long that the other calls arrive meanwhile; nothing depends on it if they do not. */
const SLOW = '[[fault slow-first-byte]] [[delay 1500]] Reply with exactly: yes';

interface Refusal {
  readonly type: string;
  readonly detail: string;
  readonly left?: string;
}

describe.each(engines)('parallel calls on %s', (engine) => {
  let gateway: TestGateway;
  let made = 0;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
  });
  afterAll(async () => {
    // Whatever the tests did, the books agree.
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
    await gateway.stop();
  });

  /** A space that may not use overage, and its key. */
  async function spaceWith(units: string): Promise<{ name: string; key: string }> {
    const name = `prepaid-${made++}`;
    await gateway.admin('spaces.create', { name, overage: false });
    await gateway.admin('grants.add', { space: name, amount: units, kind: 'paid' });
    return { name, key: (await gateway.admin('keys.create', { space: name, name, kind: 'shared' })).key };
  }

  function call(key: string, more: object = {}, prompt = 'Reply with exactly: yes'): Promise<Response> {
    const body = { model: 'one-unit', messages: [{ role: 'user', content: prompt }], ...more };
    return gateway.chat(body, { authorization: `Bearer ${key}` });
  }

  async function statusOf(reply: Response): Promise<number> {
    await reply.text();
    return reply.status;
  }

  async function balanceOf(space: string): Promise<{ held: string; overage: string }> {
    const [row] = await gateway.query<{ held: string; overage: string }>(sql`
      select coalesce(sum(g.remaining), 0) - coalesce((select sum(d.amount) from dues d where d.space_id = s.id), 0)
        + coalesce((select sum(d.amount) from settled_dues d where d.space_id = s.id), 0) as held,
        a.overage_accrued as overage
      from spaces s join accounts a on a.space_id = s.id left join grants g on g.space_id = s.id
      where s.name = ${space} group by s.id, a.overage_accrued`);
    return row as { held: string; overage: string };
  }

  test('of 200 calls of 1 unit on a space that holds 1 unit, one is answered; the others are asked to come again', async () => {
    const { name, key } = await spaceWith('1');
    const replies = await Promise.all(Array.from({ length: 200 }, () => call(key, {}, SLOW)));
    const answered = replies.filter(({ status }) => status === 200);
    // 5 is what is promised; in one process it is one.
    expect(answered).toHaveLength(1);
    const refused = replies.find(({ status }) => status === 402) as Response;
    const { type, detail } = (await refused.json()) as Refusal;
    expect(type).toBe('insufficient_units');
    if (refused.headers.get('x-should-retry') === 'true')
      expect(detail).toMatch(/has 1 units left, and 1 are held for running calls\. Send the call again/);
    expect(Number((await balanceOf(name)).held)).toBe(0);
  });

  test('calls one after the other are answered while anything is left, to the last unit and one beyond', async () => {
    const { key } = await spaceWith('2.5');
    const answers: string[] = [];
    for (let i = 0; i < 5; i++) {
      const reply = await call(key);
      answers.push(reply.status === 200 ? 'answered' : ((await reply.json()) as Refusal).detail);
    }
    expect(answers.slice(0, 3)).toEqual(['answered', 'answered', 'answered']);
    for (const refusal of answers.slice(3))
      expect(refusal).toMatch(/has no units left and may not use overage/);
  });

  test('of many calls at once a monthly limit admits as many as it can pay', async () => {
    const { key } = await gateway.admin('keys.create', { space: 'acme', name: 'monthly', kind: 'shared' });
    await gateway.admin('keys.limit', { space: 'acme', name: 'monthly', month_limit: '10' });
    // What a call costs is known from now on.
    expect(await statusOf(await call(key))).toBe(200);
    const replies = await Promise.all(Array.from({ length: 60 }, () => call(key, {}, SLOW)));
    const statuses = await Promise.all(replies.map(statusOf));
    expect(statuses.filter((status) => status === 200)).toHaveLength(9);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });

  test.each([
    ['the provider fails', { model: 'one-unit' }, '[[fault error-500]] hi', [502, 503]],
    ['the provider rejects the request', { model: 'one-unit' }, '[[fault error-400]] hi', [400]],
    [
      'its stream breaks before anything was produced',
      { model: 'one-unit', stream: true },
      '[[fault empty-body]] hi',
      [200, 502, 503],
    ],
  ])('what a call held is free again when %s', async (_, more, prompt, expected) => {
    const { key } = await spaceWith('1');
    expect(expected).toContain(await statusOf(await call(key, more, prompt)));
    expect(await statusOf(await call(key))).toBe(200);
  });

  test('what a call held is free again when its caller leaves before the answer', async () => {
    const { key } = await spaceWith('1');
    const leaving = new AbortController();
    const seen = gateway.simulator.waitFor(({ body }) => JSON.stringify(body).includes('delay 60000'));
    const gone = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'one-unit',
        messages: [{ role: 'user', content: '[[fault slow-first-byte]] [[delay 60000]] hi' }],
      }),
    });
    await seen;
    expect((await call(key)).status).toBe(402);
    leaving.abort();
    await expect(gone).rejects.toThrow();
    await expect.poll(async () => await statusOf(await call(key)), PATIENCE).toBe(200);
  });
});
