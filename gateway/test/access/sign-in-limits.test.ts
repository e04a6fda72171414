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
import { engines, everythingOnBoth, quickEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { useRealHashCost } from '../support/quick-passwords.ts';

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

  test('the sixth failure from an address waits, whether the e-mail exists or not, and answers alike', async () => {
    const tries = async (email: string, address: string): Promise<unknown[]> => {
      const answers: unknown[] = [];
      for (let i = 0; i < 6; i++) answers.push(bare(await from(address).signIn(email, 'wrong password')));
      return answers;
    };
    const [known, unknown] = [
      await tries(KIM, '203.0.113.1'),
      await tries('ghost@example.com', '203.0.113.2'),
    ];
    expect(known).toEqual(unknown);
    expect(known.map((answer) => (answer as Visit).status)).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test('a stranger who fails makes nobody else wait: the person signs in from elsewhere', async () => {
    const found = await statuses(8, () => from('203.0.113.1').signIn(KIM, 'wrong password'));
    expect(found).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expect((await from('198.51.100.1').signIn(KIM, PASSWORD)).status).toBe(200);
  });

  // Hashing at its real cost takes most of the time of the file, and the database has no part in it.
  test.runIf(engine === quickEngine || everythingOnBoth)(
    'takes as much work for an unknown e-mail as for a wrong password',
    async () => {
      useRealHashCost();
      for (const email of PEOPLE) await gateway.admin('people.password', { email, password: PASSWORD });
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
    },
  );

  test('has to wait also with the right password, says how long, and works again after that', async () => {
    await statuses(5, () => from('10.1.0.1').signIn(KIM, 'wrong password'));
    const { status, body, headers } = await from('10.1.0.1').signIn(KIM.toUpperCase(), PASSWORD);
    expect([status, body.type]).toEqual([429, 'rate_limit_exceeded']);
    expect(body.detail).toMatch(/^Too many failed attempts to sign in\. Try again in \d+ seconds\.$/);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(30);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    await gateway.query(sql`update sign_in_attempts set minute_from = minute_from - interval '1 minute'`);
    expect((await from('10.1.0.1').signIn(KIM, PASSWORD)).status).toBe(200);
  });

  test('may fail twenty times in an hour from one address', async () => {
    await from('10.2.0.1').signIn(KIM, 'wrong password');
    await gateway.query(sql`
      update sign_in_attempts set hour_count = 19, minute_from = minute_from - interval '1 minute'
      where subject like 'pair:%'`);
    expect(await statuses(2, () => from('10.2.0.1').signIn(KIM, 'wrong password'))).toEqual([401, 429]);
    const { headers } = await from('10.2.0.1').signIn(KIM, PASSWORD);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_000);
    await gateway.query(sql`update sign_in_attempts set hour_from = now() - interval '1 hour'`);
    expect((await from('10.2.0.1').signIn(KIM, PASSWORD)).status).toBe(200);
  });

  test('checks five of twenty guesses that come at the same time from one address', async () => {
    const all = Array.from({ length: 20 }, (_, i) => from('10.3.0.1').signIn(KIM, `guess number ${i}`));
    const found = (await Promise.all(all)).map(({ status }) => status);
    expect(found.filter((status) => status === 401)).toHaveLength(5);
    expect(found.filter((status) => status === 429)).toHaveLength(15);
  });

  /** As if many addresses had guessed a hundred times in this hour; `email` need not exist. */
  async function guessFromEverywhere(email: string): Promise<void> {
    await from('10.9.0.1').signIn(email, 'wrong password');
    await gateway.query(sql`update sign_in_attempts set hour_count = 100 where subject like 'account:%'`);
  }

  test('a hundred failures in an hour from everywhere make new browsers wait, whether the e-mail exists or not', async () => {
    const braked = async (email: string) => {
      await guessFromEverywhere(email);
      return bare(await from('10.9.1.1').signIn(email, PASSWORD));
    };
    const [known, unknown] = [await braked(KIM), await braked('ghost@example.com')];
    expect(known).toEqual(unknown);
    expect((known as Visit).status).toBe(429);
  });

  describe('a browser in which the person has signed in before', () => {
    const cookieOf = ({ headers }: Visit): string =>
      headers
        .getSetCookie()
        .map((line) => line.split(';', 1)[0] as string)
        .find((pair) => pair.startsWith('tollgate_device=')) ?? '';
    const knownTo = async (email: string): Promise<string> =>
      cookieOf(await from('192.0.2.77').signIn(email, PASSWORD));

    test('gets a cookie that scripts cannot read and that lasts a year', async () => {
      const { headers } = await from('192.0.2.1').signIn(KIM, PASSWORD);
      expect(headers.getSetCookie()).toContainEqual(
        expect.stringMatching(
          /^tollgate_device=[\w.~-]{20,120}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/,
        ),
      );
    });

    test('signs in whatever strangers do: from everywhere, from the same address, to the same account', async () => {
      const cookie = await knownTo(KIM);
      await guessFromEverywhere(KIM);
      // Five for the account, then the rest of what one address may fail.
      await statuses(20, (i) =>
        from('192.0.2.9').signIn(i < 5 ? KIM : `ghost${i}@example.com`, 'wrong password'),
      );
      const same = from('192.0.2.9');
      expect((await same.signIn(KIM, PASSWORD)).status).toBe(429);
      expect((await same.signIn(KIM, PASSWORD, { cookie })).status).toBe(200);
    });

    test('may fail five times per minute there, which makes no other browser wait', async () => {
      const [cookie, other] = [await knownTo(KIM), await knownTo(KIM)];
      const found = await statuses(6, () => from('192.0.2.3').signIn(KIM, 'wrong password', { cookie }));
      expect(found).toEqual([401, 401, 401, 401, 401, 429]);
      expect((await from('192.0.2.3').signIn(KIM, PASSWORD, { cookie: other })).status).toBe(200);
      expect((await from('192.0.2.3').signIn(KIM, PASSWORD)).status).toBe(200);
    });

    test('is known to the accounts that signed in there, and to no other', async () => {
      const [LEE, PARK] = [PEOPLE[1] as string, PEOPLE[2] as string];
      const first = await knownTo(KIM);
      const both = cookieOf(await from('192.0.2.4').signIn(LEE, PASSWORD, { cookie: first }));
      for (const email of [KIM, LEE, PARK]) await guessFromEverywhere(email);
      const signIn = async (email: string, cookie: string) =>
        (await from('192.0.2.5').signIn(email, PASSWORD, { cookie })).status;
      expect(await signIn(KIM, both)).toBe(200);
      expect(await signIn(LEE, both)).toBe(200);
      expect(await signIn(PARK, both)).toBe(429);
      expect(await signIn(LEE, first)).toBe(429);
    });

    test('is not known by a cookie that was changed, is too old, or is nonsense', async () => {
      const cookie = await knownTo(KIM);
      await guessFromEverywhere(KIM);
      const [, value = ''] = cookie.split('=');
      const [id = '', since = '', mac = ''] = value.split('.');
      const older = (Number.parseInt(since, 36) - 366 * 86_400_000).toString(36);
      const other = id.startsWith('A') ? `B${id.slice(1)}` : `A${id.slice(1)}`;
      const forged = [
        ...[`${other}.${since}.${mac}`, `${id}.${older}.${mac}`, `${id}.${since}.${mac.slice(1)}A`],
        ...[`${id}.${since}.`, `${id}.${since}`, '..', '~~~~', '%', 'x'.repeat(2_000)],
      ];
      for (const one of forged) {
        const headers = { cookie: `tollgate_device=${one}` };
        expect((await from('192.0.2.6').signIn(KIM, PASSWORD, headers)).status, one).toBe(429);
      }
      expect((await from('192.0.2.6').signIn(KIM, PASSWORD, { cookie })).status).toBe(200);
    });
  });

  test('strangers do not keep a person from changing their password', async () => {
    const { cookie, csrf } = await from('10.8.0.1').enter(KIM, PASSWORD);
    await guessFromEverywhere(KIM);
    await statuses(20, (i) =>
      from('10.8.0.1').signIn(i < 5 ? KIM : `ghost${i}@example.com`, 'wrong password'),
    );
    const change = (current_password: string) =>
      from('10.8.0.1').send('POST', '/api/console/password', {
        body: { current_password, new_password: PASSWORD },
        headers: { cookie, 'x-csrf-token': csrf },
      });
    expect(await statuses(5, () => change('wrong password'))).toEqual(Array(5).fill(400));
    expect((await change(PASSWORD)).status).toBe(429);
    await gateway.query(sql`update sign_in_attempts set minute_from = minute_from - interval '1 minute'`);
    expect((await change(PASSWORD)).status).toBe(200);
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
    expect(rows.map(({ subject }) => subject.split(':', 1)[0])).toEqual(['account', 'address', 'pair']);
  });

  test.skipIf(engine !== 'postgres')('counts the failures of every process together', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-beside-'));
    const env = { PORT: '0', OPS_PORT: '0', DATABASE_URL: gateway.databaseUrl ?? undefined };
    const options = { say: () => undefined, log: createLog({ level: 'silent' }) };
    const second = await serve({ data: folder, config: gateway.configFile }, env, options);
    const urls = [gateway.url, second.status().baseUrl];
    const found = await statuses(6, (i) => from('10.6.0.1', urls[i % 2]).signIn(KIM, 'wrong password'));
    expect(found).toEqual([401, 401, 401, 401, 401, 429]);
    await second.stop();
    rmSync(folder, { recursive: true });
  });
});
