/** Guessing passwords: how soon it ends, and that it tells nothing on the way. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newSecret } from '../../src/access/key-secret.ts';
import { serve } from '../../src/app/serve.ts';
import { sql } from '../../src/database/sql.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { testConfig } from '../support/config.ts';
import { ConsoleVisitor, type Visit } from '../support/console-visitor.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const PASSWORD = 'correct horse battery';
const PEOPLE = ['kim', 'lee', 'park', 'choi'].map((name) => `${name}@example.com`);
const [KIM = ''] = PEOPLE;

describe.each(engines)('signing in on %s', (engine) => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: testConfig({ server: { trust_proxy: true } }) });
    for (const email of PEOPLE) {
      await gateway.admin('members.add', { email, role: 'member' });
      await gateway.admin('people.password', { email, password: PASSWORD });
    }
  });
  afterAll(() => gateway.stop());
  beforeEach(() => gateway.query(sql`delete from sign_in_attempts`));

  const from = (address: string, url = gateway.url): ConsoleVisitor => new ConsoleVisitor(url, address);

  /** Everything of an answer that two callers could compare. */
  const bare = ({ status, body, headers }: Visit): unknown => ({
    status,
    body: JSON.stringify(body)
      .replaceAll(headers.get('x-request-id') ?? '', 'REF')
      .replace(/\d+ seconds/g, 'N seconds'),
    headers: [...headers].filter(([name]) => !/request-id|date|retry-after/.test(name)),
  });

  async function statuses(count: number, attempt: (i: number) => Promise<Visit>): Promise<number[]> {
    const found: number[] = [];
    for (let i = 0; i < count; i++) found.push((await attempt(i)).status);
    return found;
  }

  test('the sixth failure within a minute waits, whether the e-mail exists or not, and answers alike', async () => {
    const tries = async (email: string): Promise<unknown[]> => {
      const answers: unknown[] = [];
      for (let i = 0; i < 6; i++)
        answers.push(bare(await from(`203.0.113.${i}`).signIn(email, 'wrong password')));
      return answers;
    };
    const [known, unknown] = [await tries(KIM), await tries('ghost@example.com')];
    expect(known).toEqual(unknown);
    expect(known.map((answer) => (answer as Visit).status)).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test('takes as much work for an unknown e-mail as for a wrong password', async () => {
    // Of the processor, threads included: the clock on the wall depends on who else is at work.
    const work = async (email: string, address: string): Promise<number> => {
      const before = process.cpuUsage();
      expect((await from(address).signIn(email, 'wrong password')).status).toBe(401);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    // The least of each: now and then memory is collected, or something of an earlier test ends.
    let [known, unknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let i = 0; i < 8; i++) {
      known = Math.min(known, await work(PEOPLE[i % 4] as string, `10.0.0.${i}`));
      unknown = Math.min(unknown, await work(`ghost${i}@example.com`, `10.0.1.${i}`));
    }
    expect(unknown / known).toBeGreaterThan(0.6);
    expect(unknown / known).toBeLessThan(1.7);
  });

  test('has to wait also with the right password, says how long, and works again after that', async () => {
    await statuses(5, (i) => from(`10.1.0.${i}`).signIn(KIM, 'wrong password'));
    const { status, body, headers } = await from('10.1.1.1').signIn(KIM.toUpperCase(), PASSWORD);
    expect([status, body.type]).toEqual([429, 'rate_limit_exceeded']);
    expect(body.detail).toMatch(/^Too many failed attempts to sign in\. Try again in \d+ seconds\.$/);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(30);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    await gateway.query(sql`update sign_in_attempts set minute_from = minute_from - interval '1 minute'`);
    expect((await from('10.1.1.1').signIn(KIM, PASSWORD)).status).toBe(200);
  });

  test('may fail twenty times in an hour', async () => {
    await from('10.2.0.1').signIn(KIM, 'wrong password');
    await gateway.query(sql`
      update sign_in_attempts set hour_count = 19, minute_from = minute_from - interval '1 minute'
      where subject like 'email:%'`);
    const last = await statuses(2, (i) => from(`10.2.1.${i}`).signIn(KIM, 'wrong password'));
    expect(last).toEqual([401, 429]);
    const { headers } = await from('10.2.2.1').signIn(KIM, PASSWORD);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_000);
    await gateway.query(sql`update sign_in_attempts set hour_from = now() - interval '1 hour'`);
    expect((await from('10.2.2.1').signIn(KIM, PASSWORD)).status).toBe(200);
  });

  test('checks five of twenty guesses that come at the same time', async () => {
    const all = Array.from({ length: 20 }, (_, i) => from(`10.3.0.${i}`).signIn(KIM, `guess number ${i}`));
    const found = (await Promise.all(all)).map(({ status }) => status);
    expect(found.filter((status) => status === 401)).toHaveLength(5);
    expect(found.filter((status) => status === 429)).toHaveLength(15);
  });

  test('may fail twenty times per minute from one address, and other addresses do not wait', async () => {
    const [one, other] = [from('2001:db8:1:2::1'), from('2001:db8:1:3::1')];
    const found = await statuses(20, (i) =>
      i < 2 ? one.signIn(`ghost${i}@example.com`, 'wrong password') : one.useLink(newSecret('sl')),
    );
    expect(found).toEqual(Array(20).fill(401));
    const neighbour = from('2001:db8:1:2:ffff::9');
    expect((await neighbour.signIn(KIM, PASSWORD)).status).toBe(429);
    expect((await neighbour.useLink(newSecret('sl'))).status).toBe(429);
    expect((await other.signIn(KIM, PASSWORD)).status).toBe(200);
  });

  test('counts only failures: a person who signs in all day never waits', async () => {
    const visitor = from('10.4.0.1');
    expect(await statuses(7, () => visitor.signIn(KIM, PASSWORD))).toEqual(Array(7).fill(200));
    const rows = await gateway.query<{ n: number }>(
      sql`select sum(hour_count)::integer as n from sign_in_attempts`,
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  test('deletes counts that have no effect any more', async () => {
    await statuses(3, (i) => from(`10.5.0.${i}`).signIn(`ghost${i}@example.com`, 'wrong password'));
    await gateway.query(sql`update sign_in_attempts set hour_from = now() - interval '2 hours'`);
    await from('10.5.1.1').signIn(KIM, PASSWORD);
    const rows = await gateway.query<{ subject: string }>(
      sql`select subject from sign_in_attempts order by subject`,
    );
    expect(rows.map(({ subject }) => subject.split(':', 1)[0])).toEqual(['address', 'email']);
  });

  test.skipIf(engine !== 'postgres')('counts the failures of every process together', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-beside-'));
    const env = { PORT: '0', OPS_PORT: '0', DATABASE_URL: gateway.databaseUrl ?? undefined };
    const options = { say: () => undefined, log: createLog({ level: 'silent' }) };
    const second = await serve({ data: folder, config: gateway.configFile }, env, options);
    const urls = [gateway.url, second.status().baseUrl];
    const found = await statuses(6, (i) => from(`10.6.0.${i}`, urls[i % 2]).signIn(KIM, 'wrong password'));
    expect(found).toEqual([401, 401, 401, 401, 401, 429]);
    await second.stop();
    rmSync(folder, { recursive: true });
  });
});
