/** Changing one's own password over the console API. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { PasswordChanged } from '../../src/contract/console.ts';
import { testConfig } from '../support/config.ts';
import { ConsoleVisitor, type Visit } from '../support/console-visitor.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const OLD = 'correct horse battery';
const NEW = 'another staple, longer';
const PATH = '/api/console/password';

describe.each(engines)("one's own password on %s", (engine) => {
  let gateway: TestGateway;
  let visitor: ConsoleVisitor;
  let email: string;
  let people = 0;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: testConfig({ server: { trust_proxy: true } }) });
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    email = `kim${++people}@example.com`;
    visitor = new ConsoleVisitor(gateway.url, `203.0.113.${people}`);
    await gateway.admin('members.add', { space: 'acme', email, role: 'member' });
  });

  /** Signs in and answers what a browser sends from then on. */
  async function enter(password: string): Promise<Record<string, string>> {
    const { cookie, csrf } = await visitor.enter(email, password);
    return { cookie, 'x-csrf-token': csrf };
  }
  const change = (headers: Record<string, string>, body: object): Promise<Visit> =>
    visitor.send('POST', PATH, { headers, body });

  describe('of a person who has one', () => {
    beforeEach(() => gateway.admin('people.password', { email, password: OLD }));

    test('is changed with the current one; other sessions end, this one stays, and the audit log has a line', async () => {
      const [here, there] = [await enter(OLD), await enter(OLD)];
      const { status, body } = await change(here, { current_password: OLD, new_password: NEW });
      expect([status, body]).toEqual([200, { changed: true, sessions_ended: 1 }]);
      expect(new Shape(PasswordChanged).error(body)).toBeNull();
      expect((await visitor.look(here)).status).toBe(200);
      expect((await visitor.look(there)).status).toBe(401);
      expect((await visitor.signIn(email, OLD)).status).toBe(401);
      expect((await visitor.signIn(email, NEW)).status).toBe(200);
      const [line] = (await gateway.admin('audit.all', { limit: 1 })).data;
      expect(line).toMatchObject({ actor: email, action: 'people.password', subject: email });
      for (const secret of [OLD, NEW]) expect(gateway.logged.join('')).not.toContain(secret);
    });

    test('is not changed with a wrong one, and after five of them only this has to wait', async () => {
      const here = await enter(OLD);
      const guess = { current_password: 'a wrong guess', new_password: NEW };
      for (let n = 0; n < 5; n++) {
        const { status, body } = await change(here, guess);
        expect([status, body.error.param]).toEqual([400, 'current_password']);
      }
      const held = await change(here, { current_password: OLD, new_password: NEW });
      expect([held.status, held.body.type]).toEqual([429, 'rate_limit_exceeded']);
      expect((await visitor.signIn(email, OLD)).status).toBe(200);
      expect((await visitor.look(here)).status).toBe(200);
    });

    test('is changed once by two requests at the same time that both have the current one', async () => {
      const here = await enter(OLD);
      const wishes = ['the first of two wishes', 'the second of two wishes'];
      const replies = await Promise.all(
        wishes.map((wish) => change(here, { current_password: OLD, new_password: wish })),
      );
      const statuses = replies.map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 400]);
      expect((await visitor.signIn(email, wishes[statuses.indexOf(200)] as string)).status).toBe(200);
    });

    test.each([
      ['no current one', { new_password: NEW }, 'current_password'],
      ['a new one that is too short', { current_password: OLD, new_password: 'short' }, 'new_password'],
      [
        'a new one that is too long',
        { current_password: OLD, new_password: 'x'.repeat(201) },
        'new_password',
      ],
      ['no new one', { current_password: OLD }, 'new_password'],
      ['a field too many', { current_password: OLD, new_password: NEW, email: 'x@y.z' }, 'email'],
    ])('is not changed with %s, and the field is named', async (_, body, param) => {
      const reply = await change(await enter(OLD), body);
      expect([reply.status, reply.body.error.param]).toEqual([400, param]);
      expect((await visitor.signIn(email, OLD)).status).toBe(200);
    });

    test('is not changed without a session, or by a page of another site', async () => {
      const { cookie = '' } = await enter(OLD);
      const body = { current_password: OLD, new_password: NEW };
      expect((await change({}, body)).status).toBe(401);
      expect((await change({ cookie }, body)).body.type).toBe('csrf_failed');
      expect((await change({ authorization: `Bearer ${gateway.key}` }, body)).status).toBe(401);
      expect((await visitor.signIn(email, OLD)).status).toBe(200);
    });
  });

  test('of a person who signed in with a link and has none is set once without a current one', async () => {
    const { code } = await gateway.admin('people.link', { email });
    const entered = await visitor.send('POST', '/api/console/session/link', {
      body: { code, keep: 'token' },
    });
    const bearer = { authorization: `Bearer ${entered.body.token}` };
    expect((await change(bearer, { new_password: OLD })).status).toBe(200);
    expect((await visitor.signIn(email, OLD)).status).toBe(200);
    const again = await change(bearer, { new_password: NEW });
    expect([again.status, again.body.error.param]).toEqual([400, 'current_password']);
  });
});
