/** Retention: old rows are removed, and every sum stays what it was. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { isoOf, monthOf } from '../../src/kernel/time.ts';
import { readDayModelTotals } from '../../src/reports/usage-days.store.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { runCli } from '../support/run-cli.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

const config = changeConfig(testConfig(), {
  retention: { calls_days: 60, errors_days: 2, audit_days: 90 },
  provider_prices: {
    version: 'bill-1',
    currency: 'USD',
    models: { 'simulator/sim-chat': { input: 1, output: 4 } },
  },
});

describe.each(engines)('retention on %s', (engine) => {
  const clock = shiftedClock();
  const startedAt = clock.now();
  const month = monthOf(startedAt);
  let gateway: TestGateway;
  let memberId: string;
  const calls: Record<'plain' | 'corrected' | 'unpriced' | 'failed', string> = {
    plain: '',
    corrected: '',
    unpriced: '',
    failed: '',
  };

  beforeAll(async () => {
    gateway = await startGateway({ engine, config, clock });
    await gateway.admin('members.add', { email: 'kim@example.com', role: 'member' });
    const personal = { name: 'kim', kind: 'personal', email: 'kim@example.com' } as const;
    const { key } = await gateway.admin('keys.create', personal);
    const call = async (model: string, secret = gateway.key): Promise<string> => {
      const body = { model, messages: [{ role: 'user', content: 'Reply with exactly: yes' }] };
      const reply = await gateway.chat(body, { authorization: `Bearer ${secret}` });
      await reply.text();
      return reply.headers.get('x-request-id') as string;
    };
    calls.plain = await call('sim-chat');
    await call('sim-chat', key);
    await call('sim-chat-classic', key);
    calls.corrected = await call('sim-chat');
    calls.unpriced = await call('unpriced');
    calls.failed = await call('nothing');
    await gateway.admin('ledger.correct', { call: calls.corrected, amount: '0.5', note: 'wrong price' });
    const [member] = await gateway.query<{ id: string }>(sql`select id from members`);
    memberId = member?.id ?? '';
  });
  afterAll(() => gateway?.stop());

  /** Everything that adds up calls. */
  async function reports(): Promise<object> {
    const [from, until] = [isoOf(startedAt - 2 * DAY_MS), isoOf(startedAt + 2 * DAY_MS)];
    const spaceId = (await gateway.query<{ id: string }>(sql`select id from spaces`))[0]?.id ?? '';
    const margin = (by: 'space' | 'model' | 'day') => gateway.admin('reports.margin', { month, by });
    const usage = (by: 'model' | 'key' | 'member' | 'day') => gateway.admin('reports.usage', { month, by });
    return {
      usage: await Promise.all((['model', 'key', 'member', 'day'] as const).map(usage)),
      margin: await Promise.all((['space', 'model', 'day'] as const).map(margin)),
      member: await readDayModelTotals(gateway, { spaceId, memberId }, month),
      statement: (({ generated_at: _, ...rest }: Record<string, unknown>) => rest)(
        (await gateway.admin('statements.get', { month })) as unknown as Record<string, unknown>,
      ),
      focus: await gateway.admin('reports.focus', { month }),
      provider: await gateway.admin('reports.providerDays', { provider: 'simulator', from, until }),
      books: await gateway.admin('ledger.verify'),
    };
  }
  const present = async (): Promise<string[]> =>
    (await gateway.query<{ id: string }>(sql`select id from calls order by id`)).map(({ id }) => id);

  test('nothing is removed before its time', async () => {
    const before = await present();
    await gateway.sweepAll();
    expect(await present()).toEqual(before);
    expect(before).toHaveLength(5);
  });

  test('old calls go, except those that wait for a price or were corrected, and no report changes', async () => {
    const before = await reports();
    expect(before).toMatchObject({ books: { disagreements: [] } });
    clock.shift(61 * DAY_MS);
    await gateway.sweepAll();
    expect(await present()).toEqual([calls.corrected, calls.unpriced]);
    expect(await reports()).toEqual(before);
    expect(await gateway.query(sql`select requests, cost from removed_calls`)).toHaveLength(3);
    // A removed call is no longer explained or corrected.
    await expect(gateway.admin('ledger.correct', { call: calls.plain, amount: '1' })).rejects.toThrow(
      'There is no',
    );
  });

  test('errors go after their own time, and so do lines of the audit log, which say so', async () => {
    expect(await gateway.query(sql`select id from refusals`)).toEqual([]);
    const lines = (await gateway.admin('audit.all', { limit: 100 })).data.length;
    clock.shift(30 * DAY_MS);
    await gateway.sweepAll();
    const { data } = await gateway.admin('audit.all', { limit: 100 });
    expect(data).toMatchObject([{ actor: 'retention', action: 'audit.remove', after: { lines } }]);
    await expect(gateway.query(sql`delete from audit_log`)).rejects.toThrow('only ever added');
    await expect(gateway.query(sql`delete from journal`)).rejects.toThrow('only ever added');
  });

  test('gc says what it would remove, and then removes it', async () => {
    await gateway.query(sql`
      insert into idempotency_keys (space_id, owner, operation, key, token, expires_at)
      select id, 'owner', 'test', 'key', 'token', '2000-01-01' from spaces`);
    const env = gateway.databaseUrl === null ? {} : { DATABASE_URL: gateway.databaseUrl };
    const run = async (...more: string[]): Promise<unknown> => {
      const args = ['gc', '--json', '--config', gateway.configFile, '--data', gateway.folder, ...more];
      const { stdout, stderr } = await runCli(args, { env });
      expect(stderr).toBe('');
      return (JSON.parse(stdout) as Array<{ what: string; due: number }>).filter(({ due }) => due > 0);
    };
    const what = 'idempotency keys';
    expect(await run('--dry-run')).toEqual([{ what, due: 1, removed: 0 }]);
    expect(await run()).toEqual([{ what, due: 1, removed: 1 }]);
    expect(await run()).toEqual([]);
  });
});

test('a retention that is too short is rejected, naming the field', async () => {
  const short = changeConfig(config, { retention: { calls_days: 7 } });
  await expect(startGateway({ config: short })).rejects.toThrow('retention.calls_days');
});
