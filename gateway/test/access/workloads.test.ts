/** Pods and CI jobs that call with a token of their issuer: what opens, what does not, and when it ends. */
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { changeConfig, testConfig, withBatches } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { chatLine, uploaded } from '../support/files-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { newKey, TestIssuer } from '../support/workload-issuer.ts';

const API = 'system:serviceaccount:team-a:api';
const chat = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };
const MINUTE_MS = 60_000;

describe.each(engines)('the token of a workload on %s', (engine) => {
  let gateway: TestGateway;
  let issuer: TestIssuer;
  let other: TestIssuer;
  let passedMs = 0;
  let made = 0;

  beforeAll(async () => {
    [issuer, other] = await Promise.all([TestIssuer.start(), TestIssuer.start()]);
    const issuers = [{ name: 'cluster', issuer: issuer.url, audience: 'tollgate' }];
    const models = `  endless: { capabilities: [streaming], routes: [{ provider: simulator, model: sim-fault-endless }] }`;
    const prices = { endless: { input: 1, output: 2 } };
    const config = changeConfig(withBatches(testConfig({ models, prices })), {
      workload_identity: { issuers },
    });
    const clock = { ...systemClock, elapsedMs: () => systemClock.elapsedMs() + passedMs };
    gateway = await startGateway({ engine, config, clock });
    await gateway.admin('workloads.add', { key: 'test', issuer: 'cluster', subject: API });
    await gateway.admin('keys.create', { name: 'reports', kind: 'management' });
    await gateway.admin('workloads.add', { key: 'reports', issuer: 'cluster', subject: API });
  });
  afterAll(async () => {
    await gateway.stop();
    await Promise.all([issuer.stop(), other.stop()]);
  });

  const call = (token: string, body: object = chat): Promise<Response> =>
    gateway.post('/v1/chat/completions', body, { authorization: `Bearer ${token}` });
  const statusOf = async (token: string): Promise<number> => {
    const reply = await call(token);
    await reply.text();
    return reply.status;
  };

  /** A key of its own with a rule, and a token that opens it. */
  async function newWorkload(space = 'acme', claims?: string[]) {
    const [name, subject] = [`key-${++made}`, `system:serviceaccount:ns-${made}:api`];
    await gateway.admin('keys.create', { space, name, kind: 'shared' });
    const rule = { space, key: name, issuer: 'cluster', subject, ...(claims && { claims }) };
    const { id } = await gateway.admin('workloads.add', rule);
    return { space, name, subject, id, token: issuer.token(subject) };
  }

  test('calls as the key of its rule, on every path that takes a key', async () => {
    const token = issuer.token(API);
    const bearer = { authorization: `Bearer ${token}` };
    const reply = await call(token);
    const id = reply.headers.get('x-request-id') ?? '';
    expect([reply.status, ((await reply.json()) as { object: string }).object]).toEqual([
      200,
      'chat.completion',
    ]);
    await vi.waitFor(async () => {
      const { data } = await gateway.admin('requests.list', { space: 'acme', key: 'test', id });
      expect(data).toHaveLength(1);
    }, PATIENCE);
    const message = { model: 'sim-chat', max_tokens: 10, messages: chat.messages };
    const answers = [
      await gateway.post('/v1/responses', { model: 'sim-chat', input: 'Hi' }, bearer),
      await gateway.post('/v1/messages', message, {
        ...{ authorization: '', 'x-api-key': token, 'anthropic-version': '2023-06-01' },
      }),
      await fetch(`${gateway.url}/v1/models`, { headers: bearer }),
      await fetch(`${gateway.url}/v1/receipts/${id}`, { headers: bearer }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('reads the platform API as a management key, where a rule says so', async () => {
    const usage = (token: string): Promise<Response> =>
      fetch(`${gateway.url}/v1/usage`, { headers: { authorization: `Bearer ${token}` } });
    expect((await usage(issuer.token(API))).status).toBe(200);
    const { token } = await newWorkload();
    expect([(await usage(token)).status, await statusOf(token)]).toEqual([401, 200]);
  });

  test('is the api key of the official library, and owns files and batches as its key does', async () => {
    const { token, name } = await newWorkload();
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: token, maxRetries: 0 });
    const answer = await client.chat.completions.create({
      model: 'sim-chat',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect(answer.choices[0]?.message.content).toBeTruthy();
    const file = await uploaded(gateway, chatLine('a', { model: 'sim-chat' }), { key: token });
    const batch = await client.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    expect((await client.batches.retrieve(batch.id)).id).toBe(batch.id);
    const [row] = await gateway.query<{ name: string }>(sql`
      select k.name from batches b join keys k on k.id = b.key_id and k.id = b.owner where b.id = ${batch.id}`);
    expect(row?.name).toBe(name);
    await expect(
      client.batches.retrieve(batch.id, { headers: { authorization: `Bearer ${issuer.token(API)}` } }),
    ).rejects.toMatchObject({ status: 404 });
  });

  test('that is forged, old, early, for others or of others answers the same 401', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const good = issuer.token(API);
    const [head = '', body = '', signature = ''] = good.split('.');
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
    const tokens: Record<string, string> = {
      'of an issuer that is not configured': other.token(API),
      'of another issuer with our iss': other.token(API, { claims: { iss: issuer.url } }),
      'signed by a key that the issuer does not have': issuer.token(API, { key: newKey('key-1') }),
      'for another audience': issuer.token(API, { claims: { aud: 'vault' } }),
      'without an audience': issuer.token(API, { claims: { aud: undefined } }),
      'without a subject': issuer.token(API, { claims: { sub: undefined } }),
      'with a subject that is no text': issuer.token(API, { claims: { sub: ['x'] } }),
      'without an end': issuer.token(API, { claims: { exp: undefined } }),
      expired: issuer.token(API, { claims: { exp: now - 120 } }),
      'not yet valid': issuer.token(API, { claims: { nbf: now + 120 } }),
      'with alg none': `${unsigned}.${body}.`,
      'with alg none and the signature': `${unsigned}.${body}.${signature}`,
      'without its signature': `${head}.${body}.`,
      'with another content': `${head}.${body.replace(/^(.{40})./, '$1A')}.${signature}`,
      'signed with the public key as a secret': issuer.hmacToken(API, issuer.publicPem),
      'with a header that must be understood': issuer.token(API, { header: { crit: ['x'], x: 1 } }),
      huge: issuer.token(API, { claims: { filler: 'x'.repeat(9_000) } }),
      'of a workload without a key': issuer.token('system:serviceaccount:team-b:api'),
      'of a workload whose name begins alike': issuer.token(`${API}2`),
    };
    const answers = new Map<string, string>();
    for (const [what, token] of Object.entries(tokens)) {
      const reply = await call(token);
      const ref = reply.headers.get('x-request-id') as string;
      const text = `${reply.status} ${(await reply.text()).replaceAll(ref, 'REF')}`;
      answers.set(text, what);
    }
    expect([...answers.keys()]).toEqual([expect.stringMatching(/^401 .*invalid_credentials/)]);
    expect(await statusOf(good)).toBe(200);
    // The operator learns why.
    const lines = gateway.logged.join('\n');
    expect(lines).toContain('"reason":"no key has the workload system:serviceaccount:team-b:api of cluster"');
    expect(lines).toContain('"reason":"cluster: unexpected \\"aud\\" claim value"');
    expect(lines).not.toContain(signature);
  });

  test('is accepted while clocks differ a little', async () => {
    const now = Math.floor(Date.now() / 1_000);
    expect(await statusOf(issuer.token(API, { claims: { exp: now - 10 } }))).toBe(200);
    expect(await statusOf(issuer.token(API, { claims: { nbf: now + 10 } }))).toBe(200);
  });

  test('opens the key of the closest rule, and only with the claims that it asks for', async () => {
    const prefix = `repo:acme/shop-${++made}`;
    const names = ['wide', 'near', 'main'].map((name) => `${name}-${made}`);
    for (const name of names) await gateway.admin('keys.create', { name, kind: 'shared' });
    const [wide = '', near = '', main = ''] = names;
    const rule = { issuer: 'cluster' };
    await gateway.admin('workloads.add', { ...rule, key: wide, subject: 'repo:acme/*' });
    await gateway.admin('workloads.add', { ...rule, key: near, subject: `${prefix}:*` });
    const claims = ['ref=refs/heads/*', 'fork=false'];
    await gateway.admin('workloads.add', { ...rule, key: main, subject: `${prefix}:*`, claims });
    const keyOf = async (subject: string, more: object = {}): Promise<string> => {
      const bearer = { authorization: `Bearer ${issuer.token(subject, { claims: { ...more } })}` };
      const reply = await fetch(`${gateway.url}/v1/key`, { headers: bearer });
      return ((await reply.json()) as { name: string }).name;
    };
    expect(await keyOf('repo:acme/other:ref:main')).toBe(wide);
    expect(await keyOf(`${prefix}:ref:main`)).toBe(near);
    expect(await keyOf(`${prefix}:ref:main`, { ref: 'refs/tags/1', fork: false })).toBe(near);
    expect(await keyOf(`${prefix}:ref:main`, { ref: 'refs/heads/main', fork: false })).toBe(main);
  });

  test('obeys the rules of its key, and is rejected when the key or the rule ends', async () => {
    const { name, token, id } = await newWorkload();
    const key = { space: 'acme', name };
    expect(await statusOf(token)).toBe(200);
    await gateway.admin('keys.models', { ...key, models: ['sim-text-only'] });
    // As for a model that does not exist.
    expect(await statusOf(token)).toBe(404);
    await gateway.admin('keys.models', { ...key, models: null });
    await gateway.admin('keys.disable', key);
    expect(await statusOf(token)).toBe(401);
    await gateway.admin('keys.enable', key);
    expect(await statusOf(token)).toBe(200);
    await gateway.admin('keys.expire', { ...key, expires: 'now' });
    expect(await statusOf(token)).toBe(401);
    await gateway.admin('keys.rotate', key);
    expect(await statusOf(token)).toBe(200);
    await gateway.admin('workloads.remove', { space: 'acme', workload: id });
    expect(await statusOf(token)).toBe(401);
    const again = await newWorkload();
    expect(await statusOf(again.token)).toBe(200);
    await gateway.admin('keys.revoke', { space: 'acme', name: again.name });
    expect(await statusOf(again.token)).toBe(401);
    expect((await gateway.admin('workloads.list', { space: 'acme', limit: 100 })).data).not.toContainEqual(
      expect.objectContaining({ id: again.id }),
    );
  });

  test.each([
    ['the key is revoked', ({ space, name }) => gateway.admin('keys.revoke', { space, name })],
    ['the key is disabled', ({ space, name }) => gateway.admin('keys.disable', { space, name })],
    ['the rule is removed', ({ space, id }) => gateway.admin('workloads.remove', { space, workload: id })],
    ['the space is blocked', ({ space }) => gateway.admin('spaces.block', { space, blocked: true })],
  ] satisfies Array<[string, (of: { space: string; name: string; id: string }) => Promise<unknown>]>)(
    'has its running streams ended when %s',
    async (_, end) => {
      const space = `space-${++made}`;
      await gateway.admin('spaces.create', { name: space, overage: true });
      const workload = await newWorkload(space);
      const body = {
        model: 'endless',
        stream: true,
        messages: [{ role: 'user', content: '[[pace 20]] Go.' }],
      };
      const reply = await call(workload.token, body);
      const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      await end(workload);
      let text = '';
      for (let piece = await reader.read(); !piece.done; piece = await reader.read())
        text += Buffer.from(piece.value).toString();
      expect(text).toMatch(/invalid_credentials|insufficient_units/);
    },
  );

  describe('whose issuer', () => {
    const later = (ms: number): void => {
      passedMs += ms;
    };

    test('gets a new key is accepted at once, and the old key until the issuer withdraws it', async () => {
      later(MINUTE_MS);
      const old = issuer.token(API);
      expect(await statusOf(old)).toBe(200);
      issuer.rotate({ alg: 'ES256', keep: true });
      expect([await statusOf(issuer.token(API)), await statusOf(old)]).toEqual([200, 200]);
      issuer.rotate();
      expect(await statusOf(old)).toBe(200);
      // The life of the keys.
      later(10 * MINUTE_MS);
      expect([await statusOf(old), await statusOf(issuer.token(API))]).toEqual([401, 200]);
    });

    test('is asked once per interval, however many unknown keys are named', async () => {
      later(MINUTE_MS);
      const good = issuer.token(API);
      expect(await statusOf(good)).toBe(200);
      const before = issuer.keysAsked;
      const forger = newKey('forged');
      const flood = Array.from({ length: 200 }, (_, i) =>
        statusOf(issuer.token(API, { key: forger, header: { kid: `unknown-${i}` } })),
      );
      // Others are not kept waiting.
      expect(await statusOf(good)).toBe(200);
      expect(new Set(await Promise.all(flood))).toEqual(new Set([401]));
      expect(issuer.keysAsked - before).toBeLessThanOrEqual(1);
    });

    test('is down is still trusted for some hours, and then answers 503 until it is back', async () => {
      expect(await statusOf(issuer.token(API))).toBe(200);
      issuer.answer = (_, response) => response.writeHead(500).end();
      for (const ms of [11 * MINUTE_MS, 60 * MINUTE_MS, 160 * MINUTE_MS]) {
        later(ms);
        expect(await statusOf(issuer.token(API, { claims: { jti: String(ms) } }))).toBe(200);
      }
      later(30 * MINUTE_MS);
      const reply = await call(issuer.token(API, { claims: { jti: 'late' } }));
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
      // Other ways in do not depend on it.
      expect(await statusOf(gateway.key)).toBe(200);
      issuer.answer = null;
      later(MINUTE_MS);
      expect(await statusOf(issuer.token(API, { claims: { jti: 'back' } }))).toBe(200);
    });
  });
});
