/** Signing in a command line by a code: once, for a short time, by the person who compares it, and by nobody who guesses. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { sha256 } from '../../src/kernel/digest.ts';
import { randomBase62 } from '../../src/kernel/ids.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { ConsoleVisitor, type Visit } from '../support/console-visitor.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { mistyped } from '../support/mistyped.ts';

const PASSWORD = 'correct horse battery';
const [KIM, LEE] = ['kim@example.com', 'lee@example.com'];
const [OFFICE, ELSEWHERE] = ['198.51.100.7', '203.0.113.9'];
const MACHINE = 'kim@laptop (linux)';

describe.each(engines)('a command line on %s', (engine) => {
  let gateway: TestGateway;
  let people: Record<string, { cookie: string; 'x-csrf-token': string }>;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: testConfig({ server: { trust_proxy: true } }) });
    people = {};
    for (const email of [KIM, LEE]) {
      await gateway.admin('members.add', { email, role: 'member' });
      await gateway.admin('people.password', { email, password: PASSWORD });
      const { cookie, csrf } = await from(OFFICE).enter(email, PASSWORD);
      people[email] = { cookie, 'x-csrf-token': csrf };
    }
  });
  afterAll(() => gateway.stop());
  beforeEach(() => gateway.query(sql`delete from sign_in_attempts`));

  const from = (address: string): ConsoleVisitor => new ConsoleVisitor(gateway.url, address);
  const post = (address: string, path: string, body: object, email?: string): Promise<Visit> =>
    from(address).send('POST', `/api/console/device${path}`, {
      body,
      ...(email !== undefined && { headers: people[email] as never }),
    });

  async function start(address = OFFICE): Promise<{ code: string; verifier: string; begun: Visit }> {
    const verifier = randomBase62(43);
    const begun = await post(address, '', { machine: MACHINE, challenge: sha256(verifier) });
    return { code: begun.body.user_code, verifier, begun };
  }
  const finish = (verifier: string): Promise<Visit> => post(OFFICE, '/finish', { verifier });
  const decide = (user_code: string, email: string, allow = true): Promise<Visit> =>
    post(OFFICE, '/decide', { user_code, allow }, email);

  test('signs in as the person who confirms, once', async () => {
    const { code, verifier, begun } = await start();
    expect(begun.body).toEqual({
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_url: expect.stringMatching(`^http://127.0.0.1:\\d+/console/device\\?code=${code}$`),
      expires_in: 600,
      interval: 2,
    });
    expect((await finish(verifier)).body).toEqual({ session: null });
    const typed = code.toLowerCase().replace('-', ' ');
    expect((await post(OFFICE, '/look', { user_code: typed }, KIM)).body).toMatchObject({
      ...{ machine: MACHINE, address: OFFICE, same_address: true },
    });
    expect((await post(ELSEWHERE, '/look', { user_code: code }, KIM)).body.same_address).toBe(false);
    expect((await finish(verifier)).body, 'looking decides nothing').toEqual({ session: null });
    expect((await decide(typed, KIM)).body).toEqual({ allowed: true });
    const { body } = await finish(verifier);
    expect(body.session).toMatchObject({ person: { email: KIM }, token: expect.stringMatching(/^ts_/) });
    expect((await from('').look({ authorization: `Bearer ${body.session.token}` })).status).toBe(200);
    expect((await finish(verifier)).status, 'the session is answered once').toBe(401);
    expect((await decide(code, LEE)).status, 'the code works once').toBe(400);
    const [line] = (await gateway.admin('audit.all', { action: 'people.device' })).data;
    expect(line).toMatchObject({ actor: KIM, after: { machine: MACHINE, address: OFFICE } });
  });

  test('ends at the latest with the session that confirmed it', async () => {
    await gateway.query(sql`
      update sessions set expires_at = now() + interval '1 hour'
      where person_id = (select id from people where email = ${LEE})`);
    const { code, verifier } = await start();
    await decide(code, LEE);
    const { session } = (await finish(verifier)).body;
    expect(Date.parse(session.expires_at) - Date.now()).toBeLessThanOrEqual(3_600_000);
  });

  test('that is rejected stops waiting', async () => {
    const { code, verifier } = await start();
    expect((await decide(code, KIM, false)).body).toEqual({ allowed: false });
    expect((await finish(verifier)).status).toBe(401);
    expect((await decide(code, KIM)).status).toBe(400);
  });

  test('whose code has expired gets nothing, also if it was confirmed', async () => {
    const [open, confirmed] = [await start(), await start()];
    await decide(confirmed.code, KIM);
    await gateway.query(sql`update device_sign_ins set expires_at = now() - interval '1 second'`);
    for (const { verifier } of [open, confirmed]) expect((await finish(verifier)).status).toBe(401);
    expect((await decide(open.code, KIM)).status).toBe(400);
    await start();
    expect(await gateway.query(sql`select count(*)::integer as n from device_sign_ins`)).toEqual([{ n: 1 }]);
  });

  test('is confirmed by one of two people, and gets one session of two requests', async () => {
    const { code, verifier } = await start();
    const decided = await Promise.all([decide(code, KIM), decide(code, LEE)]);
    expect(decided.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const finished = await Promise.all([finish(verifier), finish(verifier)]);
    expect(finished.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  test('needs its secret: neither the code nor the digest gets the session', async () => {
    const { code, verifier } = await start();
    await decide(code, KIM);
    for (const wrong of [sha256(verifier), `${verifier}x`, code.padEnd(40, 'x')])
      expect((await finish(wrong)).status).toBe(401);
    expect((await finish(verifier)).status).toBe(200);
  });

  test('wrong codes wait after five in a minute, from one address and of one person', async () => {
    const { code } = await start();
    const guess = (address: string, email: string) =>
      post(address, '/look', { user_code: 'BBBB-BBBB' }, email).then(({ status }) => status);
    const guesses: number[] = [];
    for (let i = 0; i < 6; i++) guesses.push(await guess(`192.0.2.${i}`, KIM));
    expect(guesses).toEqual([400, 400, 400, 400, 400, 429]);
    expect((await decide(code, KIM)).status, 'also with the right one').toBe(429);
    expect((await decide(code, LEE)).status, 'others are not held up').toBe(200);
    expect((await from(OFFICE).signIn(KIM, PASSWORD)).status, 'nor is their password').toBe(200);
  });

  test('is limited per address when it begins', async () => {
    const begun: number[] = [];
    for (let i = 0; i < 11; i++) begun.push((await start(ELSEWHERE)).begun.status);
    expect(begun).toEqual([...Array(10).fill(200), 429]);
    expect((await start(OFFICE)).begun.status).toBe(200);
  });

  test('cannot be started or confirmed by a page of another site, nor without a session', async () => {
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const body = { machine: MACHINE, challenge: sha256('x') };
    const { code } = await start();
    const send = (path: string, given: object, headers: object) =>
      from(OFFICE).send('POST', `/api/console/device${path}`, { body: given, headers: headers as never });
    expect((await send('', body, foreign)).status).toBe(403);
    const allow = { user_code: code, allow: true };
    expect((await send('/decide', allow, { ...people[KIM], ...foreign })).status).toBe(403);
    expect((await send('/decide', allow, { cookie: people[KIM]?.cookie })).status).toBe(403);
    expect((await send('/decide', allow, {})).status).toBe(401);
  });

  test.each([
    [{ machine: '', challenge: 'a'.repeat(64) }, 'machine'],
    [{ machine: 'x'.repeat(101), challenge: 'a'.repeat(64) }, 'machine'],
    [{ machine: 'a\u0000b', challenge: 'a'.repeat(64) }, 'machine'],
    [{ machine: MACHINE, challenge: 'short' }, 'challenge'],
  ])('%j is rejected, naming the field', async (body, param) => {
    const reply = await post(OFFICE, '', body);
    expect([reply.status, reply.body.error.param]).toEqual([400, param]);
  });
});

describe.each(engines)('the first operator on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine });
  });
  afterAll(() => gateway.stop());

  const become = (code: string, email: string, password = PASSWORD): Promise<Visit> =>
    new ConsoleVisitor(gateway.url, '').send('POST', '/api/console/first-operator', {
      body: { code, email, password },
    });

  test('is the person who uses one of the links first; afterwards every link is invalid', async () => {
    // Two processes that start at the same time each print one.
    const codes = await Promise.all([gateway.firstOperatorCode(), gateway.firstOperatorCode()]);
    const [first = '', second = ''] = codes.map((code) => code ?? '');
    expect(first).toMatch(/^fo_/);
    expect((await become(first, 'kim')).body.error.param).toBe('email');
    expect((await become(first, KIM, 'short')).body.error.param).toBe('password');
    expect((await become(mistyped(first), KIM)).status).toBe(401);
    const expired = (await gateway.firstOperatorCode()) ?? '';
    await gateway.query(sql`
      update first_operator_links set expires_at = now() - interval '1 second'
      where created_at = (select max(created_at) from first_operator_links)`);
    expect((await become(expired, KIM)).status).toBe(401);

    const answers = await Promise.all([become(first, KIM), become(second, LEE), become(first, LEE)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
    const { data } = await gateway.admin('operators.list');
    const winner = answers.find(({ status }) => status === 200)?.body.person;
    expect(data.map(({ email }) => email)).toEqual([winner.email]);
    expect(winner.operator).toBe(true);
    const signedIn = await new ConsoleVisitor(gateway.url, '').signIn(winner.email, PASSWORD);
    expect(signedIn.status).toBe(200);
    expect(await gateway.firstOperatorCode(), 'there is an operator').toBeNull();
    const [line] = (await gateway.admin('audit.all', { action: 'operators.add' })).data;
    expect(line).toMatchObject({ actor: 'first-operator-link', subject: winner.email });
    expect(gateway.logged.join('')).not.toContain(first);
    for (const code of [first, second]) expect((await become(code, LEE)).status).toBe(401);
  });
});

test('a server that switches codes off says what to use instead', async () => {
  const gateway = await startGateway({ config: changeConfig(testConfig(), { sign_in: { device: false } }) });
  const body = { machine: MACHINE, challenge: 'a'.repeat(64) };
  const reply = await new ConsoleVisitor(gateway.url, '').send('POST', '/api/console/device', { body });
  expect([reply.status, reply.body.type, reply.body.detail]).toEqual([
    403,
    'sign_in_not_allowed',
    expect.stringContaining('tollgate login --email'),
  ]);
  await gateway.stop();
});
