/** Alerts by webhook: every event once, signed, repeated until it arrives, and nothing at all without a target. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { AlertReceiver, hurryAlerts } from '../support/alert-receiver.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { BACKGROUND_PATIENCE } from '../support/patience.ts';

const config = changeConfig(testConfig(), { alerts: { allow_hosts: ['127.0.0.1'] } });
const acme = { space: 'acme' };
const question = { model: 'sim-chat', messages: [{ role: 'user', content: 'hello' }] };

describe.each(engines)('alerts on %s', (engine) => {
  let gateway: TestGateway;
  let receiver: AlertReceiver;
  let secret = '';
  let target = '';

  beforeAll(async () => {
    [gateway, receiver] = await Promise.all([startGateway({ engine, config }), AlertReceiver.start()]);
  });
  afterAll(async () => {
    await gateway.stop();
    await receiver.stop();
  });

  const rows = async (table: 'events' | 'deliveries' | 'jobs'): Promise<number> => {
    const counts = { events: sql`events`, deliveries: sql`deliveries`, jobs: sql`jobs` };
    const [row] = await gateway.query<{ n: number }>(sql`select count(*) as n from ${counts[table]}`);
    return row?.n ?? 0;
  };
  /** Looks for events until a condition holds. */
  const noticed = (condition: () => void | Promise<void>): Promise<void> =>
    vi.waitFor(async () => {
      await hurryAlerts(gateway);
      await condition();
    }, BACKGROUND_PATIENCE);
  const call = async (key: string, model = 'sim-chat'): Promise<void> => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await gateway.post('/v1/chat/completions', { ...question, model }, headers);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  };
  const stateOf = async (id: string) => {
    const { data } = await gateway.admin('alerts.deliveries', acme);
    return data.find((one) => one.id === id);
  };

  test('without a target nothing is noticed, stored or waiting, whatever happens', async () => {
    await gateway.admin('keys.create', { ...acme, name: 'quiet', kind: 'shared', month_limit: '0.000001' });
    await gateway.admin('alerts.set', { ...acme, balance_units: '5000' });
    expect((await gateway.chat(question)).status).toBe(200);
    expect([await rows('events'), await rows('deliveries'), await rows('jobs')]).toEqual([0, 0, 0]);
    await gateway.admin('alerts.set', { ...acme, balance_units: null, balance_percent: null });
  });

  test('a test arrives with a signature that the public library verifies, and is in the log', async () => {
    const wanted = { name: 'hook', type: 'webhook', address: `${receiver.url}/in?token=a` } as const;
    const added = await gateway.admin('alerts.add', { ...acme, ...wanted });
    expect(added).toMatchObject({ name: 'hook', address: `${receiver.url}/…`, events: null });
    expect(added.secret).toMatch(/^whsec_/);
    secret = added.secret ?? '';
    target = added.id;
    const { id } = await gateway.admin('alerts.test', { ...acme, target });
    await noticed(async () => expect(await stateOf(id)).toMatchObject({ state: 'delivered', status: 204 }));
    expect(receiver.messages(secret)).toEqual([
      { type: 'test', timestamp: expect.stringMatching(/\+09:00$/), data: acme },
    ]);
    expect(receiver.received[0]).toMatchObject({ path: '/in?token=a' });
    expect(receiver.received[0]?.headers['webhook-id']).toBe((await stateOf(id))?.event_id);
    const listed = JSON.stringify(await gateway.admin('alerts.list', acme));
    expect(listed).not.toContain('token=a');
    expect(listed).not.toContain('whsec_');
    const audit = JSON.stringify(await gateway.admin('audit.list', acme));
    expect(audit).toContain('alerts.add');
    expect(audit).not.toContain('token=a');
    expect(audit).not.toContain(secret);
  });

  test('each threshold of a monthly limit happens once, for the key and its member', async () => {
    await gateway.admin('members.add', { ...acme, email: 'kim@acme.test', role: 'member' });
    const probe = await gateway.admin('keys.create', { ...acme, name: 'probe', kind: 'shared' });
    await call(probe.key);
    const { key } = await gateway.admin('keys.create', {
      ...{ ...acme, name: 'limited', kind: 'personal', email: 'kim@acme.test' },
    });
    const cost = await gateway.query<{ cost: string }>(sql`
      select trim_scale(sum(cost) * 1.9)::text as cost from month_parts p join keys k on k.id = p.key_id where k.name = 'probe'`);
    const limit = cost[0]?.cost ?? '';
    await gateway.admin('keys.limit', { ...acme, name: 'limited', month_limit: limit });
    await gateway.admin('members.limit', { ...acme, email: 'kim@acme.test', month_limit: limit });
    const thresholds = (): string[] =>
      receiver
        .messages(secret, 'limit.reached')
        .map(({ data }) => `${data.key ?? data.member} ${data.percent}`)
        .toSorted();
    await call(key);
    await noticed(() => expect(thresholds()).toEqual(['kim@acme.test 50', 'limited 50']));
    await call(key);
    const all = ['kim@acme.test 100', 'kim@acme.test 50', 'kim@acme.test 80'];
    const expected = [...all, 'limited 100', 'limited 50', 'limited 80'];
    await noticed(() => expect(thresholds()).toEqual(expected));
    // Another look finds nothing new.
    const { id } = await gateway.admin('alerts.test', { ...acme, target });
    await noticed(async () => expect((await stateOf(id))?.state).toBe('delivered'));
    expect(thresholds()).toEqual(expected);
    expect(receiver.messages(secret, 'limit.reached')[0]?.data).toMatchObject({ space: 'acme', limit });
  });

  test('low units, units and keys that expire, and calls without a price are noticed once', async () => {
    const day = 86_400_000;
    const soon = new Date(Date.now() + 3 * day).toISOString();
    await gateway.admin('keys.expire', { ...acme, name: 'probe', expires: soon });
    await gateway.query(
      sql`update keys set created_at = created_at - interval '40 days' where name = 'probe'`,
    );
    const { id } = await gateway.admin('grants.add', { ...acme, amount: '10', kind: 'promo', expires: soon });
    await gateway.query(sql`update grants set created_at = created_at - interval '40 days' where id = ${id}`);
    await gateway.admin('spaces.unpriced', { ...acme, allowed: true });
    await gateway.post('/v1/chat/completions', { ...question, model: 'unpriced' });
    await gateway.admin('alerts.set', { ...acme, balance_units: '2000' });
    const kinds = (): string[] =>
      receiver
        .messages(secret)
        .map(({ type, data }) => `${type} ${data.key ?? data.grant_id ?? data.model ?? data.at_most ?? ''}`)
        .filter((one) => !/^(?:test|limit)/.test(one))
        .toSorted();
    const expected = [
      'balance.low 2000',
      'calls.unpriced unpriced',
      'key.expiring probe',
      `units.expiring ${id}`,
    ];
    await noticed(() => expect(kinds()).toEqual(expected));
    await gateway.post('/v1/chat/completions', { ...question, model: 'unpriced' });
    const { id: last } = await gateway.admin('alerts.test', { ...acme, target });
    await noticed(async () => expect((await stateOf(last))?.state).toBe('delivered'));
    expect(kinds()).toEqual(expected);
  });

  test('each threshold of a budget happens once for each value, and so does a request for more', async () => {
    const { key } = await gateway.admin('keys.create', { ...acme, name: 'budgeted', kind: 'shared' });
    const [row] = await gateway.query<{ cost: string }>(sql`
      select trim_scale(max(cost) * 1.9)::text as cost from calls where model = 'sim-chat'`);
    const of = { ...acme, key: 'budgeted', per: 'end_user', window: 'month' } as const;
    await gateway.admin('budgets.add', { ...of, name: 'each user', amount: row?.cost ?? '' });
    const thresholds = (): string[] =>
      receiver
        .messages(secret, 'budget.reached')
        .map(({ data }) => `${data.budget} ${data.value} ${data.percent}`)
        .toSorted();
    const ask = async (user: string): Promise<void> => {
      const headers = { authorization: `Bearer ${key}` };
      const reply = await gateway.post('/v1/chat/completions', { ...question, user }, headers);
      expect(reply.status).toBe(200);
    };
    await ask('ann');
    await noticed(() => expect(thresholds()).toEqual(['each user ann 50']));
    await ask('ann');
    await ask('bob');
    const expected = ['each user ann 100', 'each user ann 50', 'each user ann 80', 'each user bob 50'];
    await noticed(() => expect(thresholds()).toEqual(expected));
    const more = { ...acme, budget: 'each user', value: 'ann', amount: '1', note: 'a demo' };
    await gateway.admin('budgets.ask', more);
    const asked = () => receiver.messages(secret, 'budget.requested').map(({ data }) => data);
    await noticed(() =>
      expect(asked()).toEqual([expect.objectContaining({ value: 'ann', amount: '1', note: 'a demo' })]),
    );
    expect(thresholds()).toEqual(expected);
  });

  test('a key that spends more than on its other days is noticed once for each factor, a new or usual one not', async () => {
    const names = ['unusual', 'usual', 'new'] as const;
    for (const name of names) {
      const { key } = await gateway.admin('keys.create', { ...acme, name, kind: 'shared' });
      await call(key);
    }
    // What they spent a day ten days long: a fifth of today, or as much as today.
    const past = (key: string, part: string) => sql`
      insert into key_days (key_id, day, spent)
      select k.id, d.day, (select sum(p.cost) from month_parts p where p.key_id = k.id) * ${part}::numeric
          * (1 + (d.day - greatest(date_trunc('month', d.day)::date, korean_day(now()) - 10)))
      from keys k, (select korean_day(now()) - n as day from generate_series(1, 10) n) d where k.name = ${key}`;
    await gateway.query(past('unusual', '0.2'));
    await gateway.query(past('usual', '1'));
    // Today comes on top of what the month had.
    await gateway.query(sql`
      update month_parts p set cost = p.cost + coalesce((select max(d.spent) from key_days d
        where d.key_id = p.key_id and d.day >= date_trunc('month', korean_day(now()))), 0)
      where p.key_id in (select id from keys where name in ('unusual', 'usual'))`);
    const unusual = (): unknown[] =>
      receiver.messages(secret, 'spend.unusual').map(({ data }) => [data.key, data.times]);
    await noticed(() => expect(unusual()).toEqual([['unusual', 3]]));
    const { id } = await gateway.admin('alerts.test', { ...acme, target });
    await noticed(async () => expect((await stateOf(id))?.state).toBe('delivered'));
    expect(unusual()).toEqual([['unusual', 3]]);
  });

  test('what fails is tried again with the same id, given up at the end, and can be sent again', async () => {
    const before = receiver.received.length;
    for (let i = 0; i < 10; i++) receiver.answers.push((response) => response.writeHead(500).end('no'));
    const { id } = await gateway.admin('alerts.test', { ...acme, target });
    await noticed(async () =>
      expect(await stateOf(id)).toMatchObject({ state: 'failed', attempts: 10, status: 500, next_at: null }),
    );
    const ids = receiver.received.slice(before).map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(1);
    expect(await stateOf(id)).toMatchObject({ problem: 'The receiver answered with status 500.' });
    await gateway.admin('alerts.redeliver', { ...acme, delivery: id });
    await noticed(async () => expect(await stateOf(id)).toMatchObject({ state: 'delivered', attempts: 1 }));
    expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(ids[0]);
    const failed = await gateway.admin('alerts.deliveries', { ...acme, state: 'failed' });
    expect(failed.data).toEqual([]);
  });

  test('a target gets only its kinds, and a removed one nothing more', async () => {
    const wanted = { name: 'other', type: 'webhook', address: receiver.url } as const;
    const events: ['balance.low'] = ['balance.low'];
    const other = await gateway.admin('alerts.add', { ...acme, ...wanted, events });
    await gateway.admin('alerts.remove', { ...acme, target });
    const before = receiver.received.length;
    await gateway.admin('alerts.set', { ...acme, balance_units: '3000', limit_percents: [1, 50] });
    await noticed(() => expect(receiver.received.length).toBe(before + 1));
    expect(JSON.parse(receiver.received.at(-1)?.body ?? '')).toMatchObject({ type: 'balance.low' });
    await gateway.admin('alerts.remove', { ...acme, target: other.id });
    await noticed(async () => expect(await rows('jobs')).toBe(0));
  });
});
