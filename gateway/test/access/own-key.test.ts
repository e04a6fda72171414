/** `GET /v1/key`: a key reports itself, exactly, in every state of its space. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { KeyObject } from '../../src/contract/key.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { monthOf, nextMonth } from '../../src/kernel/time.ts';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

describe.each(engines)('the own key on %s', (engine) => {
  const clock = shiftedClock();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, clock });
    await gateway.admin('members.add', { space: 'acme', email: 'ann@example.com', role: 'member' });
    await gateway.admin('spaces.create', { name: 'poor', overage: false });
  });
  afterAll(() => gateway.stop());

  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  async function own(key: string): Promise<KeyObject> {
    const reply = await fetch(`${gateway.url}/v1/key`, { headers: bearer(key) });
    const body = (await reply.json()) as KeyObject;
    expect(reply.status, JSON.stringify(body)).toBe(200);
    expect(new Shape(KeyObject).error(body)).toBeNull();
    return body;
  }

  async function call(key: string, model = 'sim-chat'): Promise<string> {
    const messages = [{ role: 'user', content: 'Reply with exactly: one two' }];
    const reply = await gateway.chat({ model, messages }, bearer(key));
    expect(reply.status).toBe(200);
    const { estimated_cost: cost } = (await reply.json()) as { estimated_cost: { amount: string } | null };
    return cost?.amount ?? '0';
  }

  const sum = (costs: readonly string[]): string => printUnits(sumUnits(costs.map(parseUnits)));

  async function make(name: string, input: object = {}): Promise<string> {
    return (await gateway.admin('keys.create', { name, space: 'acme', kind: 'shared', ...input })).key;
  }

  test('a shared key without limits says so, and spends to the last decimal', async () => {
    const key = await make('plain');
    const fresh = await own(key);
    const month = monthOf(clock.now());
    expect(fresh).toEqual({
      ...{ object: 'key', id: expect.stringMatching(/^key_/), name: 'plain', kind: 'shared' },
      ...{ hint: expect.stringMatching(/^sk_/), month, spent: '0', month_limit: null, member: null },
      ...{ resets_at: `${nextMonth(month)}-01T00:00:00+09:00`, models: null, disabled: false },
      ...{ requests_per_minute: null, tokens_per_minute: null },
      space: { name: 'acme', requests_per_minute: null, tokens_per_minute: null },
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00$/),
    });
    expect(key).not.toContain(fresh.hint);
    expect(fresh.hint.length).toBeLessThan(key.length / 2);
    expect(Date.parse(fresh.expires_at) - clock.now()).toBeGreaterThan(89 * DAY_MS);
    const costs = [await call(key), await call(key), await call(key, 'unpriced')];
    expect((await own(key)).spent).toBe(sum(costs));
  });

  test('a personal key also shows its member, with the spending of all their keys', async () => {
    const personal = { kind: 'personal', email: 'ann@example.com' };
    const [one, two] = [await make('laptop', personal), await make('desk', personal)];
    await gateway.admin('keys.limit', { space: 'acme', name: 'laptop', month_limit: '12.5' });
    await gateway.admin('members.limit', { space: 'acme', email: 'ann@example.com', month_limit: '20' });
    const costs = [await call(one), await call(two)];
    const none = { requests_per_minute: null, tokens_per_minute: null, expires_at: null };
    const member = { email: 'ann@example.com', spent: sum(costs), month_limit: '20', ...none };
    expect(await own(one)).toMatchObject({ kind: 'personal', spent: costs[0], month_limit: '12.5', member });
    expect(await own(two)).toMatchObject({ kind: 'personal', spent: costs[1], month_limit: null, member });
    await gateway.admin('keys.revoke', { space: 'acme', name: 'desk' });
    expect((await own(one)).member).toEqual(member);
  });

  test('models and per-minute limits of the key and of its space are shown', async () => {
    const key = await make('narrow');
    const name = { space: 'acme', name: 'narrow' };
    await gateway.admin('keys.models', { ...name, models: ['sim-chat', 'unpriced'] });
    await gateway.admin('keys.rate', { ...name, requests_per_minute: 60, tokens_per_minute: 5_000 });
    await gateway.admin('spaces.rate', { space: 'acme', tokens_per_minute: 90_000 });
    expect(await own(key)).toMatchObject({
      ...{ models: ['sim-chat', 'unpriced'], requests_per_minute: 60, tokens_per_minute: 5_000 },
      space: { name: 'acme', requests_per_minute: null, tokens_per_minute: 90_000 },
    });
    await gateway.admin('spaces.rate', { space: 'acme', tokens_per_minute: null });
  });

  test('a key can be read when its limit is reached and when its space has no units', async () => {
    const key = await make('spent');
    const cost = await call(key);
    await gateway.admin('keys.limit', { space: 'acme', name: 'spent', month_limit: cost });
    const messages = [{ role: 'user', content: 'Hello' }];
    expect((await gateway.chat({ model: 'sim-chat', messages }, bearer(key))).status).toBe(429);
    expect(await own(key)).toMatchObject({ spent: cost, month_limit: cost });
    const poor = await make('poor', { space: 'poor' });
    expect((await gateway.chat({ model: 'sim-chat', messages }, bearer(poor))).status).toBe(402);
    expect((await own(poor)).space.name).toBe('poor');
  });

  test('the old secret of a rotated key ends earlier, and both show the same spending', async () => {
    const former = await make('rotated');
    const cost = await call(former);
    const { key, former_until } = await gateway.admin('keys.rotate', {
      ...{ space: 'acme', name: 'rotated', grace_hours: 2 },
    });
    const [old, current] = [await own(former), await own(key)];
    expect(old.expires_at).toBe(former_until);
    expect({ ...old, expires_at: '' }).toEqual({ ...current, expires_at: '', spent: cost });
  });

  test('management keys, disabled keys and requests without a key are rejected', async () => {
    const management = await make('mk', { kind: 'management' });
    const disabled = await make('off');
    await gateway.admin('keys.disable', { space: 'acme', name: 'off' });
    for (const headers of [bearer(management), bearer(disabled), {}])
      expect((await fetch(`${gateway.url}/v1/key`, { headers })).status).toBe(401);
  });

  test('a new month (KST) begins at zero', async () => {
    const key = await make('monthly');
    await call(key);
    const before = await own(key);
    clock.shift(Date.parse(before.resets_at) - clock.now() - 10_000);
    expect(await own(key)).toMatchObject({ month: before.month, spent: before.spent });
    clock.shift(10_001);
    const month = nextMonth(before.month);
    expect(await own(key)).toMatchObject({
      ...{ month, spent: '0', resets_at: `${nextMonth(month)}-01T00:00:00+09:00` },
    });
    const cost = await call(key);
    expect((await own(key)).spent).toBe(cost);
  });
});
