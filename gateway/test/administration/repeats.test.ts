/** A change with an Idempotency-Key is made once, and its answer is shown again to the same session only. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { sha256 } from '../../src/kernel/digest.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { acme, PASSWORD } from '../support/admin-cases.ts';
import { AdminClient } from '../support/admin-client.ts';
import { type AdminStage, startAdminStage } from '../support/admin-stage.ts';
import { startBeside } from '../support/beside.ts';
import { readEverything } from '../support/database-state.ts';
import { engines } from '../support/engines.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

const ADMIN = 'ada@acme.test';
const SECOND = 'abe@acme.test';

describe.each(engines)('a repeated change on %s', (engine) => {
  const clock = shiftedClock();
  let stage: AdminStage;
  let admin: AdminClient;
  let keys = 0;

  beforeAll(async () => {
    stage = await startAdminStage({ engine, clock });
    for (const email of [ADMIN, SECOND])
      await stage.gateway.admin('members.add', { ...acme, email, role: 'admin' });
    admin = new AdminClient(stage.gateway, await stage.session(ADMIN));
  });
  afterAll(() => stage.gateway.stop());

  const newKey = (): { 'idempotency-key': string } => ({ 'idempotency-key': `key ${++keys}` });
  const shared = (name: string) => ({ ...acme, name, kind: 'shared' as const });

  async function made(name: string): Promise<{ keys: number; lines: number }> {
    const [counted] = await stage.gateway.query<{ keys: number; lines: number }>(sql`
      select (select count(*) from keys where name = ${name})::integer as keys,
        (select count(*) from audit_log where subject = ${name})::integer as lines`);
    return counted as { keys: number; lines: number };
  }

  test('answers the same secret again, and makes one key and one line of the audit log', async () => {
    const header = newKey();
    const first = await admin.call('keys.create', shared('one'), header);
    expect(first).toMatchObject({ status: 200, body: { key: expect.stringMatching(/^sk_/) } });
    const again = await admin.call('keys.create', shared('one'), header);
    expect([again.status, again.body]).toEqual([200, first.body]);
    // The same fields in another order are the same request.
    const turned = Object.fromEntries(Object.entries({ kind: 'shared', name: 'one' }));
    const path = '/api/console/spaces/acme/keys';
    const other = await admin.send('POST', path, { body: turned, headers: header });
    expect([other.status, other.body]).toEqual([200, first.body]);
    expect(await made('one')).toEqual({ keys: 1, lines: 1 });
  });

  test('at the same time as the first one waits for it and gets its answer', async () => {
    const header = newKey();
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => admin.call('keys.create', shared('at once'), header)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.key)).size).toBe(1);
    expect(await made('at once')).toEqual({ keys: 1, lines: 1 });
  });

  test.runIf(engine === 'postgres')('in two processes at the same time is made once too', async () => {
    const beside = await startBeside(stage.gateway);
    const session = await stage.session(ADMIN);
    const both = [stage.gateway, beside].map((server) => new AdminClient(server, session));
    const header = newKey();
    const answers = await Promise.all(
      [...both, ...both].map((client) => client.call('keys.create', shared('two'), header)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.key)).size).toBe(1);
    expect(await made('two')).toEqual({ keys: 1, lines: 1 });
    await beside.stop();
  });

  test('with other input or for another operation answers 409, and changes nothing', async () => {
    const header = newKey();
    await admin.call('keys.create', shared('taken'), header);
    for (const answer of [
      await admin.call('keys.create', shared('another'), header),
      await admin.call('keys.create', { ...shared('taken'), days: 1 }, header),
      await admin.call('keys.disable', { ...acme, name: 'taken' }, header),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { type: 'idempotency_conflict' } });
      expect(answer.headers.get('x-should-retry')).toBe('false');
    }
    expect(await made('another')).toEqual({ keys: 0, lines: 0 });
    expect((await admin.call('keys.get', { ...acme, name: 'taken' })).body).toMatchObject({
      state: 'active',
    });
  });

  test('from another session of the same person answers 409 without the secret', async () => {
    const header = newKey();
    const { body } = await admin.call('keys.create', shared('secret'), header);
    const elsewhere = new AdminClient(stage.gateway, await stage.session(ADMIN));
    const answer = await elsewhere.call('keys.create', shared('secret'), header);
    expect(answer).toMatchObject({ status: 409, body: { type: 'idempotency_conflict' } });
    expect(answer.body.detail).toMatch(/used with another session or token.*audit log/);
    expect(JSON.stringify(answer.body)).not.toContain(body.key);
    expect(await made('secret')).toEqual({ keys: 1, lines: 1 });
  });

  test('the key of somebody else is another key', async () => {
    const header = newKey();
    const second = new AdminClient(stage.gateway, await stage.session(SECOND));
    expect((await admin.call('keys.create', shared('hers'), header)).status).toBe(200);
    expect((await second.call('keys.create', shared('his'), header)).status).toBe(200);
    expect(await made('his')).toEqual({ keys: 1, lines: 1 });
  });

  test('leaves no secret in the database, nor a digest from which a password could be guessed', async () => {
    const { body } = await admin.call('keys.create', shared('hidden'), newKey());
    const { body: rotated } = await admin.call('keys.rotate', { ...acme, name: 'hidden' }, newKey());
    await stage.gateway.admin('operators.add', { email: 'olga@tollgate.test', password: PASSWORD });
    const operator = new AdminClient(stage.gateway, await stage.session('olga@tollgate.test'));
    const input = { email: 'lee@acme.test', password: `${PASSWORD} 2` };
    expect((await operator.call('people.password', input, newKey())).status).toBe(200);
    const everything = await readEverything(stage.gateway);
    expect(everything).toContain('hidden');
    for (const secret of [body.key, rotated.key, input.password]) expect(everything).not.toContain(secret);
    expect(everything).not.toContain(sha256(`people.password ${JSON.stringify(input)}`));
  });

  test('after a day it is a new request, however many old keys are kept', async () => {
    await stage.gateway.query(sql`
      insert into admin_repeats (actor, key, digest, answer, expires_at)
      select 'somebody', i::text, 'd', 'a', now() from generate_series(1, 250) i`);
    const header = newKey();
    const rotate = () => admin.call('keys.rotate', { ...acme, name: 'spare' }, header);
    const { body: first } = await rotate();
    clock.shift(DAY_MS - 60_000);
    expect((await rotate()).body).toEqual(first);
    clock.shift(60_000);
    const { status, body } = await rotate();
    expect([status, body.key === first.key]).toEqual([200, false]);
    const [left] = await stage.gateway.query<{ left: number }>(
      sql`select count(*)::integer as left from admin_repeats where actor = 'somebody'`,
    );
    expect(left?.left).toBeLessThan(250);
  });

  test('a change that failed leaves its key free', async () => {
    const header = newKey();
    expect((await admin.call('keys.create', shared('test'), header)).body).toMatchObject({
      type: 'conflict',
    });
    expect((await admin.call('keys.create', shared('free'), header)).status).toBe(200);
    expect(await made('free')).toEqual({ keys: 1, lines: 1 });
  });

  test.each([
    ['no', ''],
    ['a blank', '   '],
    ['a long', 'k'.repeat(256)],
  ])('with %s key is rejected', async (_, key) => {
    const answer = await admin.call('keys.create', shared('blank'), { 'idempotency-key': key });
    expect(answer).toMatchObject({ status: 400, body: { type: 'idempotency_key_invalid' } });
    expect(await made('blank')).toEqual({ keys: 0, lines: 0 });
  });

  test('is not answered to somebody who has lost the right', async () => {
    const second = new AdminClient(stage.gateway, await stage.session(SECOND));
    const [creating, keeping] = [newKey(), newKey()];
    expect((await second.call('keys.create', shared('lost'), creating)).status).toBe(200);
    expect((await second.call('spaces.keepResponses', { ...acme, keep: true }, keeping)).status).toBe(200);
    await stage.gateway.admin('members.role', { ...acme, email: SECOND, role: 'member' });
    // A member may create keys, but not this one.
    const created = await second.call('keys.create', shared('lost'), creating);
    expect([created.status, created.body.key]).toEqual([409, undefined]);
    const kept = await second.call('spaces.keepResponses', { ...acme, keep: true }, keeping);
    expect([kept.status, kept.body.type]).toEqual([403, 'permission_denied']);
  });
});
