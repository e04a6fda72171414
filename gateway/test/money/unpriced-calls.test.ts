/**
 * What a provider uses unasked may have no price. Such a call has an unknown cost, and counts against units and limits at the
 * standard price until an operator prices or forgives it. It is never charged.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { exactAnswer } from '../prices/wire-answers.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 };
/** By the sheet of the tests: 1,000 × 2.5 and 500 × 10 per million. */
const STANDARD = '0.0075';

describe.each(engines)('calls without a price on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine });
    const tier = { wire: 'chat', answer: { usage, service_tier: 'turbo' } };
    const tool = {
      wire: 'chat',
      answer: { usage: { ...usage, server_tool_use: { web_search_requests: 3 } } },
    };
    for (const [name, answer] of Object.entries({ tier, tool }))
      gateway.simulator.answers.set(name, exactAnswer(answer as never));
  });
  afterAll(() => gateway.stop());

  async function spaceWith(name: string, units: string | null): Promise<string> {
    await gateway.admin('spaces.create', { name, overage: units === null });
    if (units !== null) await gateway.admin('grants.add', { space: name, amount: units, kind: 'paid' });
    return (await gateway.admin('keys.create', { name, space: name, kind: 'shared' })).key;
  }

  function call(key: string, name = 'tier'): Promise<Response> {
    const messages = [{ role: 'user', content: `[[say ${name}]]` }];
    return gateway.chat({ model: 'sim-chat', messages }, { authorization: `Bearer ${key}` });
  }

  /** Calls until one is rejected; returns the ids of those that were answered, and the rejection. */
  async function callAll(
    key: string,
    times: number,
  ): Promise<{ answered: string[]; refused: Response | null }> {
    const answered: string[] = [];
    for (let i = 0; i < times; i++) {
      const reply = await call(key);
      if (reply.status !== 200) return { answered, refused: reply };
      expect(((await reply.json()) as { estimated_cost: unknown }).estimated_cost).toBeNull();
      answered.push(reply.headers.get('x-request-id') as string);
    }
    return { answered, refused: null };
  }

  const reserved = async (space: string): Promise<string> =>
    (await gateway.admin('spaces.get', { space })).reserved;
  const soundBooks = async () => expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);

  test('a space is stopped by them when its units are gone, and nothing is charged', async () => {
    const key = await spaceWith('stopped', '0.02');
    const { answered, refused } = await callAll(key, 60);
    // 0.0075 each: the third reaches 0.02.
    expect([answered.length, refused?.status]).toEqual([3, 402]);
    // Also after the next reading of the database, and for other processes.
    expect(await reserved('stopped')).toBe('0.0225');
    const space = await gateway.admin('spaces.get', { space: 'stopped' });
    expect(space).toMatchObject({ held: '0.02', spent: '0', can_spend: false, blocked: false });
    await soundBooks();
  });

  test('a tool that ran unasked counts with its tokens', async () => {
    const key = await spaceWith('tools', null);
    const reply = await call(key, 'tool');
    expect(reply.status).toBe(200);
    const receipt = await fetch(`${gateway.url}/v1/receipts/${reply.headers.get('x-request-id')}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await receipt.json()).toMatchObject({
      ...{ cost: null, current_cost: null, provisional: STANDARD },
      usage: { details: { tools: { web_search: 3 }, missing: ['tool.web_search'] } },
    });
  });

  test('a price ends it: the call is charged, and no longer counts twice', async () => {
    const key = await spaceWith('priced', '0.02');
    const { answered } = await callAll(key, 60);
    const [first, ...others] = answered as [string, ...string[]];
    expect((await gateway.admin('why', { ref: first })).call).toMatchObject({
      cost: null,
      provisional: STANDARD,
    });
    await gateway.admin('ledger.correct', { call: first, amount: '0.001', note: 'price of the tier' });
    expect((await gateway.admin('why', { ref: first })).call).toMatchObject({ provisional: null });
    expect(await gateway.admin('spaces.get', { space: 'priced' })).toMatchObject({
      ...{ reserved: '0.015', held: '0.019', spent: '0.001', can_spend: true },
    });
    expect((await call(key)).status).toBe(200);
    // Corrected again, it moves only its cost.
    await gateway.admin('ledger.correct', { call: first, amount: '0.002' });
    expect(await reserved('priced')).toBe('0.0225');
    expect(others).toHaveLength(2);
    await soundBooks();
  });

  test('an operator forgives one, those of a model, or all, and the books say that they cost nothing', async () => {
    const key = await spaceWith('forgiven', '0.02');
    const { answered } = await callAll(key, 60);
    const forgive = (more: object) =>
      gateway.admin('ledger.forgive', { space: 'forgiven', note: 'nobody asked for it', ...more });
    expect(await forgive({ model: 'other' })).toMatchObject({ requests: 0, units: '0', complete: true });
    expect(await forgive({ ref: answered[0] })).toMatchObject({ requests: 1, units: STANDARD });
    await expect(forgive({ ref: answered[0] })).rejects.toThrow(/has no request .* without a price/);
    expect((await gateway.admin('why', { ref: answered[0] as string })).call).toMatchObject({
      ...{ cost: null, provisional: null },
      corrections: [{ cost_before: null, cost: '0', note: 'nobody asked for it' }],
    });
    expect(await forgive({})).toMatchObject({ requests: 2, units: '0.015' });
    expect(await reserved('forgiven')).toBe('0');
    expect((await call(key)).status).toBe(200);
    const usage = await gateway.admin('spaces.overview', { space: 'forgiven' });
    expect(usage.month).toMatchObject({ requests: 4, unpriced: 1, cost: '0' });
    await soundBooks();
  });

  test("they count against the key's monthly limit, which says so", async () => {
    const key = await spaceWith('limited', null);
    await gateway.admin('keys.limit', { space: 'limited', name: 'limited', month_limit: '0.02' });
    const { answered, refused } = await callAll(key, 60);
    expect([answered.length, refused?.status]).toEqual([3, 429]);
    // Charges of this process count at once; after a reading of the database they are known as what they are.
    await vi.waitFor(async () => {
      const { detail } = (await (await call(key)).json()) as { detail: string };
      expect(detail).toMatch(
        /0 of 0\.02 units are spent\. 0\.0225 units are reserved for .* calls without a price/,
      );
    }, PATIENCE);
    const own = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });
    expect(await own.json()).toMatchObject({ spent: '0', reserved: '0.0225', month_limit: '0.02' });
    await soundBooks();
  });
});
