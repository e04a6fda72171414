/** Budgets: what they count, what they refuse, and what refusals say. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InputOf } from '../../src/contract/administration/admin-endpoints.ts';
import { sql } from '../../src/database/sql.ts';
import { periods, windowOf } from '../../src/kernel/period.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { simulated, testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** Every call costs one unit. */
const one = { input: 0, output: 0, request: '1' };
const config = testConfig({
  models: {
    unit: simulated('sim-chat'),
    other: simulated('sim-chat'),
    failing: { ...simulated('sim-fault-error-500'), fallbacks: [{ model: 'unit', on: ['outage'] }] },
  },
  prices: { unit: one, other: one, failing: one },
});

describe.each(engines)('budgets on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
  });
  afterAll(() => gateway.stop());

  interface Asked {
    readonly tags?: string;
    readonly user?: string;
    readonly session?: string;
    readonly model?: string;
    readonly key?: string;
  }

  async function call({ tags, user, session, model = 'unit', key = gateway.key }: Asked = {}) {
    const reply = await gateway.chat(
      {
        model,
        messages: [{ role: 'user', content: 'hi' }],
        max_completion_tokens: 50,
        ...(user && { user }),
      },
      {
        authorization: `Bearer ${key}`,
        ...(tags && { 'x-tollgate-tags': tags }),
        ...(session && { 'x-session-id': session }),
      },
    );
    const body = (await reply.json()) as { type?: string; detail?: string };
    return { status: reply.status, headers: reply.headers, code: body.type, detail: body.detail ?? '' };
  }

  async function add(budget: { amount: string } & Partial<InputOf<'budgets.add'>>): Promise<string> {
    const name = `b-${randomUUID().slice(0, 8)}`;
    await gateway.admin('budgets.add', { space: 'acme', name, window: 'month', hard: true, ...budget });
    return name;
  }

  const get = (name: string) => gateway.admin('budgets.get', { space: 'acme', budget: name });

  test('a hard budget by tag refuses what it selects, to the last unit, and nothing else', async () => {
    const team = randomUUID();
    const name = await add({ tags: `team=${team}`, amount: '2' });
    expect((await call({ tags: `team=${team}` })).status).toBe(200);
    expect((await call({ tags: `team=${team},feature=a` })).status).toBe(200);
    const sent = gateway.simulator.calls.length;
    const refused = await call({ tags: `team=${team}` });
    expect([refused.status, refused.code]).toEqual([429, 'budget_exceeded']);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(gateway.simulator.calls.length).toBe(sent);
    for (const said of [
      name,
      '2 of 2 units',
      'is reset at',
      'administrator of acme',
      `budgets request "${name}"`,
    ])
      expect(refused.detail).toContain(said);
    expect((await call({ tags: `team=${randomUUID()}` })).status).toBe(200);
    expect((await call()).status).toBe(200);
    expect(await get(name)).toMatchObject({ spent: '2', requests: 2, amount: '2' });
  });

  test('a soft budget counts and refuses nothing', async () => {
    const team = randomUUID();
    const name = await add({ tags: `team=${team}`, amount: '1', hard: false });
    for (let calls = 0; calls < 3; calls++) expect((await call({ tags: `team=${team}` })).status).toBe(200);
    expect(await get(name)).toMatchObject({ spent: '3', requests: 3 });
  });

  test('each end user has a budget of their own, and calls without one have none', async () => {
    const [ann, bob] = [randomUUID(), randomUUID()];
    const name = await add({ per: 'end_user', amount: '1' });
    try {
      expect((await call({ user: ann })).status).toBe(200);
      const refused = await call({ user: ann });
      expect(refused.code).toBe('budget_exceeded');
      expect(refused.detail).toContain(`for ${ann}`);
      expect((await call({ user: bob })).status).toBe(200);
      expect((await call()).status).toBe(200);
      const { data } = await gateway.admin('budgets.values', { space: 'acme', budget: name });
      expect(data).toContainEqual({ value: ann, spent: '1', amount: '1', requests: 1 });
      expect(await get(name)).toMatchObject({ spent: '2', values: 2 });
    } finally {
      await gateway.admin('budgets.remove', { space: 'acme', budget: name });
    }
    expect((await call({ user: ann })).status).toBe(200);
  });

  test('a budget for each session stops an agent that runs away', async () => {
    const session = randomUUID();
    const name = await add({ per: 'session', window: 'lifetime', amount: '3' });
    try {
      const statuses = [];
      for (let calls = 0; calls < 5; calls++) statuses.push((await call({ session })).status);
      expect(statuses).toEqual([200, 200, 200, 429, 429]);
      expect((await call({ session: randomUUID() })).status).toBe(200);
      expect((await call({ session })).detail).toContain('It is not reset.');
    } finally {
      await gateway.admin('budgets.remove', { space: 'acme', budget: name });
    }
  });

  test('parallel calls do not pass a hard budget together, and what running calls hold has its own code', async () => {
    const team = randomUUID();
    const name = await add({ tags: `team=${team}`, amount: '4' });
    const ends = await Promise.all(Array.from({ length: 20 }, () => call({ tags: `team=${team}` })));
    expect(ends.filter(({ status }) => status === 200)).toHaveLength(4);
    for (const { status, code, headers } of ends.filter((end) => end.status !== 200)) {
      expect(status).toBe(429);
      expect(['budget_held', 'budget_exceeded']).toContain(code);
      expect(headers.get('x-should-retry')).toBe(code === 'budget_held' ? 'true' : 'false');
      if (code === 'budget_held') expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(await get(name)).toMatchObject({ spent: '4' });
  });

  test('several budgets of one call have to suffice together, and the one that does not is named', async () => {
    const [team, user] = [randomUUID(), randomUUID()];
    await add({ tags: `team=${team}`, amount: '10' });
    const small = await add({ tags: `team=${team}`, end_user: user, amount: '1' });
    expect((await call({ tags: `team=${team}`, user })).status).toBe(200);
    expect((await call({ tags: `team=${team}`, user })).detail).toContain(small);
    expect((await call({ tags: `team=${team}` })).status).toBe(200);
  });

  test('a budget of a key and a model counts only calls that have both', async () => {
    const mine = randomUUID();
    const { key } = await gateway.admin('keys.create', { space: 'acme', name: mine, kind: 'shared' });
    const name = await add({ key: mine, model: 'other', amount: '1' });
    expect((await call({ key })).status).toBe(200);
    expect((await call({ key, model: 'other' })).status).toBe(200);
    expect((await call({ key, model: 'other' })).code).toBe('budget_exceeded');
    expect((await call({ key })).status).toBe(200);
    expect((await call({ model: 'other' })).status).toBe(200);
    expect(await get(name)).toMatchObject({ key: mine, model: 'other', spent: '1' });
  });

  test('a fallback counts for the model that answered, and is refused by a budget of either', async () => {
    const tags = `team=${randomUUID()}`;
    const asked = await add({ model: 'failing', tags, amount: '5' });
    const answered = await add({ model: 'unit', tags, amount: '1' });
    expect((await call({ model: 'failing', tags })).status).toBe(200);
    expect(await get(asked)).toMatchObject({ spent: '0' });
    expect(await get(answered)).toMatchObject({ spent: '1' });
    expect((await call({ model: 'failing', tags })).detail).toContain(answered);
  });

  test('a new budget counts what its window has cost before', async () => {
    const [team, user] = [randomUUID(), randomUUID()];
    const tags = `team=${team}`;
    await call({ tags, user });
    await call({ tags, user });
    for (const window of periods) {
      const name = await add({ tags, window, amount: '3' });
      expect(await get(name)).toMatchObject({ spent: '2', requests: 2 });
      await gateway.admin('budgets.remove', { space: 'acme', budget: name });
    }
    const each = await add({ per: 'end_user', tags, amount: '3' });
    const { data } = await gateway.admin('budgets.values', { space: 'acme', budget: each });
    expect(data).toEqual([{ value: user, spent: '2', amount: '3', requests: 2 }]);
    expect((await call({ tags, user })).status).toBe(200);
    expect((await call({ tags, user })).code).toBe('budget_exceeded');
  });

  test('a budget that is raised admits at once, and one that is lowered refuses at once', async () => {
    const tags = `team=${randomUUID()}`;
    const name = await add({ tags, amount: '1' });
    expect((await call({ tags })).status).toBe(200);
    expect((await call({ tags })).status).toBe(429);
    await gateway.admin('budgets.change', { space: 'acme', budget: name, amount: '3' });
    expect((await call({ tags })).status).toBe(200);
    await gateway.admin('budgets.change', { space: 'acme', budget: name, amount: '2' });
    expect((await call({ tags })).status).toBe(429);
    await gateway.admin('budgets.change', { space: 'acme', budget: name, hard: false });
    expect((await call({ tags })).status).toBe(200);
  });

  test('somebody asks for more; approved once it holds for the window, approved for good it stays', async () => {
    const tags = `team=${randomUUID()}`;
    const name = await add({ tags, amount: '1' });
    await call({ tags });
    const ask = { space: 'acme', budget: name, amount: '1', note: 'a demo' };
    const asked = await gateway.admin('budgets.ask', ask);
    await expect(gateway.admin('budgets.ask', ask)).rejects.toThrow('already');
    const pending = await gateway.admin('budgetRequests.list', { space: 'acme', state: 'pending' });
    expect(pending.data).toContainEqual(expect.objectContaining({ id: asked.id, note: 'a demo' }));
    const decide = { space: 'acme', budget_request: asked.id };
    await gateway.admin('budgetRequests.decide', { ...decide, decision: 'once' });
    expect(await get(name)).toMatchObject({ amount: '1', raised: '1', spent: '1' });
    expect((await call({ tags })).status).toBe(200);
    expect((await call({ tags })).code).toBe('budget_exceeded');
    await expect(gateway.admin('budgetRequests.decide', { ...decide, decision: 'once' })).rejects.toThrow(
      'decided',
    );
    const again = await gateway.admin('budgets.ask', { ...ask, amount: '2' });
    await gateway.admin('budgetRequests.decide', {
      space: 'acme',
      budget_request: again.id,
      decision: 'always',
    });
    expect(await get(name)).toMatchObject({ amount: '3', raised: '1' });
    const audited = await gateway.admin('audit.list', { space: 'acme', subject: name, limit: 100 });
    const actions = audited.data.map(({ action }: { action: string }) => action);
    expect(actions.filter((action: string) => action === 'budgetRequests.decide')).toHaveLength(2);
  });

  test('what is spent before a window does not count in it', async () => {
    const tags = `team=${randomUUID()}`;
    const name = await add({ tags, window: 'day', amount: '1' });
    await call({ tags });
    expect((await call({ tags })).status).toBe(429);
    // As if it had been spent a day ago.
    const yesterday = windowOf('day', systemClock.now() - 86_400_000);
    await gateway.query(sql`
      update budget_parts set starts = ${yesterday}
      where budget_id = (select id from budgets where name = ${name})`);
    // Asks again.
    await gateway.admin('budgets.change', { space: 'acme', budget: name, hard: true });
    expect((await call({ tags })).status).toBe(200);
  });

  test('a corrected call counts in its budgets for what it costs now', async () => {
    const tags = `team=${randomUUID()}`;
    const name = await add({ tags, amount: '5' });
    await call({ tags });
    const listed = await gateway.admin('requests.list', { space: 'acme', limit: 1 });
    await gateway.admin('ledger.correct', { call: listed.data[0]?.id ?? '', amount: '0.25' });
    expect(await get(name)).toMatchObject({ spent: '0.25', requests: 1 });
  });

  test('wrong budgets are rejected with a sentence that names the field', async () => {
    await expect(add({ tags: 'team', amount: '1' })).rejects.toThrow('tags must be pairs');
    await expect(add({ per: 'end_user', end_user: 'ann', amount: '1' })).rejects.toThrow(
      'per cannot be end_user',
    );
    await expect(add({ amount: '0' })).rejects.toThrow('above 0');
    await expect(add({ amount: '1', key: 'nobody' })).rejects.toThrow('no key nobody');
    const name = await add({ amount: '1000000', tags: 'never=used' });
    await expect(add({ name, amount: '1' })).rejects.toThrow('already has a budget');
    await expect(
      gateway.admin('budgets.ask', { space: 'acme', budget: name, amount: '1', value: 'x' }),
    ).rejects.toThrow('one budget for all');
  });
});
