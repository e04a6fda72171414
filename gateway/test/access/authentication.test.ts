/** Who may call: every 401 and its words, revocation, removed members, and what a space sees. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestOfSecret, newKeySecret } from '../../src/access/key-secret.ts';
import { findPrincipal } from '../../src/access/keys.store.ts';
import type { InputOf } from '../../src/contract/administration/admin-endpoints.ts';
import { Shape } from '../../src/contract/check-shape.ts';
import { ModelList } from '../../src/contract/models.ts';
import { sql } from '../../src/database/sql.ts';
import {
  chatHead,
  type Expected,
  expectRefusal,
  rawRefusal,
  refusalOf,
  sendRaw,
} from '../bad-input/bad-input-client.ts';
import { startBeside } from '../support/beside.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { mistyped } from '../support/mistyped.ts';

const OTHER_PROCESS_MS_MAX = 2_000;
const invalid = (detail: RegExp): Expected => ({
  status: 401,
  type: 'invalid_credentials',
  detail,
  param: null,
});

describe.each(engines)('authentication on %s', (engine) => {
  let gateway: TestGateway;

  beforeAll(async () => {
    const models = '  acme-only: { spaces: [acme], routes: [{ provider: simulator, model: sim-chat }] }';
    gateway = await startGateway({ engine, config: testConfig({ models }) });
    await gateway.admin('spaces.create', { name: 'globex', overage: true });
  });
  afterAll(() => gateway.stop());

  function models(headers: Record<string, string>, url = gateway.url): Promise<Response> {
    return fetch(`${url}/v1/models`, { headers });
  }

  function withKey(key: string, url?: string): Promise<Response> {
    return models({ authorization: `Bearer ${key}` }, url);
  }

  async function newKey(
    input: Pick<InputOf<'keys.create'>, 'name'> & Partial<InputOf<'keys.create'>>,
  ): Promise<string> {
    return (await gateway.admin('keys.create', { space: 'acme', kind: 'shared', ...input })).key;
  }

  /** The answer without what is different in every answer. */
  async function bare(response: Response): Promise<unknown> {
    const ref = response.headers.get('x-request-id') as string;
    const text = (await response.text()).replaceAll(ref, 'REF');
    const headers = [...response.headers].filter(([name]) => !/request-id|date/.test(name));
    return { status: response.status, headers, text };
  }

  describe('a call without a valid key answers 401', () => {
    test.each<[string, Record<string, string>, Expected]>([
      [
        'no header at all',
        {},
        { ...invalid(/No key was sent.*Authorization: Bearer sk_/), type: 'missing_credentials' },
      ],
      [
        'x-api-key where it is not read',
        { 'x-api-key': newKeySecret('shared') },
        { ...invalid(/x-api-key header is read only by \/v1\/messages/), type: 'missing_credentials' },
      ],
      ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }, invalid(/not of the form "Bearer <key>"/)],
      ['a bare key', { authorization: newKeySecret('shared') }, invalid(/not of the form "Bearer <key>"/)],
      ['Bearer and nothing', { authorization: 'Bearer' }, invalid(/not of the form "Bearer <key>"/)],
      ['a key of OpenAI', { authorization: 'Bearer sk-proj-abc' }, invalid(/key of a model provider.*sk_/)],
      [
        'a key of Anthropic',
        { authorization: 'Bearer sk-ant-api03-abc' },
        invalid(/key of a model provider/),
      ],
      ['something else', { authorization: 'Bearer hello' }, invalid(/not a key of this gateway/)],
      [
        'a key that was cut',
        { authorization: `Bearer ${newKeySecret('shared').slice(0, -3)}` },
        invalid(/cut off: it has \d+ of 49 characters/),
      ],
      ['two keys in one header', { authorization: joined() }, invalid(/not of the form|not a key|mistyped/)],
      [
        'two keys without a blank',
        { authorization: joined().replace(', Bearer ', ',') },
        invalid(/mistyped|not a key/),
      ],
      [
        'a typo',
        { authorization: `Bearer ${typo(newKeySecret('shared'))}` },
        invalid(/mistyped: its checksum/),
      ],
      [
        'an unknown key',
        { authorization: `Bearer ${newKeySecret('shared')}` },
        invalid(/key is unknown or was revoked/),
      ],
      [
        'a management key nobody made',
        { authorization: `Bearer ${newKeySecret('management')}` },
        invalid(/This is a management key \(mk_…\).*takes a gateway key \(sk_…\)/),
      ],
    ])('%s', async (_, headers, expected) => {
      expectRefusal(await refusalOf(await models(headers)), expected);
      const chat = await gateway.chat('{', { authorization: '', ...headers });
      expect([chat.status, (await refusalOf(chat)).body.type]).toEqual([401, expected.type]);
    });

    test('an existing management key is answered like an unknown one', async () => {
      const real = await withKey(await newKey({ name: 'management', kind: 'management' }));
      expect(await bare(real)).toEqual(await bare(await withKey(newKeySecret('management'))));
    });

    test('a second Authorization header does not choose who calls', async () => {
      const lines = [
        `authorization: Bearer ${newKeySecret('shared')}`,
        'content-length: 0',
        'connection: close',
      ];
      const { answer } = await sendRaw(gateway.url, `${chatHead(typo(gateway.key), lines)}\r\n\r\n`);
      expectRefusal(rawRefusal(answer), invalid(/./));
    });

    test('an expired key is reported as expired', async () => {
      const key = await newKey({ name: 'old' });
      await gateway.query(sql`update keys set expires_at = '2020-01-01T00:00:00Z' where name = 'old'`);
      const expected = { status: 401, type: 'api_key_expired', detail: /expiry/, param: null };
      expectRefusal(await refusalOf(await withKey(key)), expected);
    });
  });

  test('the scheme may be written in any case', async () => {
    expect((await models({ authorization: `bEaReR  ${gateway.key} ` })).status).toBe(200);
  });

  test('a revoked key is rejected by the next call, like an unknown one', async () => {
    // Many times, because the news must be there before the command is answered, not soon after.
    for (let i = 0; i < 20; i++) {
      const key = await newKey({ name: `short-${i}` });
      expect((await withKey(key)).status).toBe(200);
      await gateway.admin('keys.revoke', { space: 'acme', name: `short-${i}` });
      const refused = await withKey(key);
      expect(refused.status, `revocation ${i}`).toBe(401);
      expect(await bare(refused)).toEqual(await bare(await withKey(newKeySecret('shared'))));
    }
  });

  test.skipIf(engine !== 'postgres')('a revoked key is refused by every process within 2 s', async () => {
    const other = await startBeside(gateway);
    try {
      const key = await newKey({ name: 'everywhere' });
      expect((await withKey(key, other.url)).status).toBe(200);
      await gateway.admin('keys.revoke', { space: 'acme', name: 'everywhere' });
      const revokedMs = performance.now();
      let status = 200;
      while (status === 200 && performance.now() - revokedMs < OTHER_PROCESS_MS_MAX)
        status = (await withKey(key, other.url)).status;
      expect(status).toBe(401);
    } finally {
      await other.stop();
    }
  });

  test('the principal of a key has the settings of its space', async () => {
    const space = 'settled';
    await gateway.admin('spaces.create', { name: space });
    const digest = digestOfSecret(await newKey({ name: 'settings', space }));
    const settings = { unpricedAllowed: false, overageAllowed: false, blocked: false, hardLimits: false };
    const expectSettings = async (changed: Partial<typeof settings>) =>
      expect(await findPrincipal(gateway, digest)).toMatchObject(Object.assign(settings, changed));
    await expectSettings({});
    await gateway.admin('spaces.hard_limits', { space, hard: true });
    await expectSettings({ hardLimits: true });
    await gateway.admin('spaces.overage', { space, allowed: true });
    await expectSettings({ overageAllowed: true });
    await gateway.admin('spaces.block', { space, blocked: true });
    await expectSettings({ blocked: true });
    await gateway.admin('spaces.hard_limits', { space, hard: false });
    await expectSettings({ hardLimits: false });
  });

  test('the personal key of a removed member stops working, the keys of others keep working', async () => {
    const email = 'kim@acme.test';
    await gateway.admin('members.add', { space: 'acme', email, role: 'member' });
    const key = await newKey({ name: 'kim', kind: 'personal', email });
    expect((await withKey(key)).status).toBe(200);
    await gateway.admin('members.remove', { space: 'acme', email });
    expectRefusal(await refusalOf(await withKey(key)), invalid(/key is unknown or was revoked/));
    expect((await withKey(gateway.key)).status).toBe(200);
  });

  describe('GET /v1/models', () => {
    const ids = (list: ModelList): string[] => list.data.map(({ id }) => id);

    test('has exactly the published shape', async () => {
      const list = (await (await withKey(gateway.key)).json()) as ModelList;
      expect(new Shape(ModelList).error(list)).toBeNull();
      expect(Object.keys(list)).toEqual(['object', 'data']);
      const [first] = list.data;
      expect(Object.keys(first ?? {})).toEqual(
        expect.arrayContaining([...ModelList.properties.data.items.required]),
      );
      expect(first).toEqual({
        id: 'sim-chat',
        object: 'model',
        created: expect.any(Number),
        owned_by: 'tollgate',
        supports_batch: false,
        batch_requires: null,
        output_cap_field: null,
        max_input_tokens: null,
        context_length: null,
        max_output_tokens: null,
        pricing: {
          currency: 'unit',
          per: '1000000_tokens',
          input: '2.5',
          output: '10',
          cached_input: '0.25',
        },
        endpoints: ['/v1/chat/completions', '/v1/responses', '/v1/messages'],
        capabilities: ['vision', 'tools', 'json_mode', 'json_schema', 'streaming'],
      });
      expect(list.data.find(({ id }) => id === 'unpriced')?.pricing).toBeNull();
    });

    test('shows a model of one space only there, and other spaces cannot call it', async () => {
      const other = await newKey({ name: 'globex', space: 'globex' });
      const [here, there] = await Promise.all([withKey(gateway.key), withKey(other)]);
      const [seen, unseen] = [(await here.json()) as ModelList, (await there.json()) as ModelList];
      expect(ids(seen)).toContain('acme-only');
      expect(ids(unseen)).toEqual(ids(seen).filter((id) => id !== 'acme-only'));
      const body = { model: 'acme-only', messages: [{ role: 'user', content: 'Hello' }] };
      expect((await gateway.chat(body)).status).toBe(200);
      const call = async (model: string): Promise<string> => {
        const refused = await gateway.chat({ ...body, model }, { authorization: `Bearer ${other}` });
        expect(refused.status).toBe(404);
        return (await refusalOf(refused)).body.detail.replace(model, 'MODEL');
      };
      expect(await call('acme-only')).toBe(await call('acme-nope'));
    });
  });
});

function joined(): string {
  return `Bearer ${newKeySecret('shared')}, Bearer ${newKeySecret('shared')}`;
}

/** The same key with one of its characters changed. */
function typo(key: string): string {
  return mistyped(key, 20);
}
