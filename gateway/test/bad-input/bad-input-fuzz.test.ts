/** Whatever arrives, the gateway neither breaks nor is led astray; what it does not know it passes on. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { expectRefusal, refusalOf } from './bad-input-client.ts';

const alias = '  alias: { capabilities: [streaming], routes: [{ provider: simulator, model: sim-chat }] }';
const TRIES = 300;

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ config: testConfig({ models: alias }) });
});
afterAll(() => gateway.stop());

const full = {
  model: 'sim-chat',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Reply with exactly: 네, 됩니다' }] },
  ],
  temperature: 0.5,
  top_p: 0.9,
  max_completion_tokens: 200,
  stream: false,
  stop: ['END'],
  n: 1,
  tools: [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } }],
  tool_choice: 'auto',
  response_format: { type: 'text' },
  user: 'someone',
};

/** A body with some of its bytes changed, taken out or doubled. */
const brokenBytes = fc
  .array(fc.record({ at: fc.nat(), byte: fc.nat(255), how: fc.constantFrom('set', 'drop', 'add') }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((edits) => {
    const bytes = [...Buffer.from(JSON.stringify(full))];
    for (const { at, byte, how } of edits) {
      const place = at % bytes.length;
      if (how === 'set') bytes[place] = byte;
      else if (how === 'drop') bytes.splice(place, 1);
      else bytes.splice(place, 0, byte);
    }
    return Buffer.from(bytes);
  });

/** A body with some fields replaced by anything that JSON can say. */
const strangeFields = fc
  .dictionary(fc.constantFrom(...Object.keys(full), 'stream_options', 'max_tokens', 'x'), fc.jsonValue(), {
    minKeys: 1,
    maxKeys: 3,
  })
  .map((changes) => Buffer.from(JSON.stringify({ ...full, ...changes })));

const UPSTREAM_CODES = ['upstream_error', 'upstream_timeout', 'upstream_unavailable'];

describe(`${TRIES} mutated requests`, () => {
  test('are each answered or refused by a declared code, and never break the gateway', async () => {
    const body = fc.oneof(brokenBytes, strangeFields);
    await fc.assert(
      fc.asyncProperty(body, async (bytes) => {
        const response = await gateway.chat(bytes);
        if (response.status === 200) return void (await response.text());
        const { status, type } = await declared(response);
        if (status >= 500) expect(UPSTREAM_CODES).toContain(type);
        expect(status === 401 || status === 408).toBe(false);
      }),
      { numRuns: TRIES },
    );
    const broken = gateway.logged.filter((line) => line.includes('a request broke'));
    expect(broken).toEqual([]);
    expect((await gateway.chat(full)).status).toBe(200);
  });

  test('leave a row for those that reached a model, and for no other', async () => {
    const [row] = await gateway.query<{ calls: number }>(sql`select count(distinct id) as calls from calls`);
    const refused = gateway.logged.filter((line) => /"code":"(invalid_json|model_not_found)"/.test(line));
    expect(row?.calls).toBeGreaterThan(0);
    for (const line of refused.slice(0, 50)) {
      const { error_ref: id } = JSON.parse(line) as { error_ref: string };
      expect(await gateway.query(sql`select id from calls where id = ${id}`)).toEqual([]);
    }
  });
});

describe('what the gateway does not know', () => {
  const odd =
    '{ "zeta" :1.0,"model":\t"alias" , "seed":12345678901234567890,"note":"\\u00e9\\/ é","messages":' +
    '[{"role":"user","content":"Reply with exactly: ok","x-part":{"deep":[1e2, -0.0]}}],\n"metadata":{"b":1,"a":2}%MORE }\n';

  test('is passed on to the provider byte for byte, with only the model changed', async () => {
    const sent = odd.replace('%MORE', '');
    expect((await gateway.chat(sent)).status).toBe(200);
    expect(gateway.simulator.calls.at(-1)?.text).toBe(sent.replace('"alias"', '"sim-chat"'));
  });

  test('is passed on in a stream too, which is always asked for its usage', async () => {
    const sent = odd.replace('%MORE', ',"stream" : true');
    const response = await gateway.chat(sent);
    expect(response.status).toBe(200);
    await response.text();
    const expected = sent
      .replace('"alias"', '"sim-chat"')
      .replace(' }\n', ' ,"stream_options":{"include_usage":true}}\n');
    expect(gateway.simulator.calls.at(-1)?.text).toBe(expected);
  });

  test('stays in stream_options beside include_usage', async () => {
    const options = '"stream_options":{"include_obfuscation":false,"include_usage":false}';
    const response = await gateway.chat(odd.replace('%MORE', `,"stream":true,${options}`));
    expect(response.status).toBe(200);
    await response.text();
    expect(gateway.simulator.calls.at(-1)?.body).toMatchObject({
      stream_options: { include_obfuscation: false, include_usage: true },
    });
  });
});

describe('where a call goes', () => {
  let elsewhere: Server;
  let visits = 0;

  beforeAll(async () => {
    elsewhere = createServer((_, response) => {
      visits++;
      response.end('{}');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise<void>((resolve) => void elsewhere.close(() => resolve())));

  test.each(['api_base', 'base_url', 'baseURL', 'api_key', 'extra_headers', 'headers', 'provider', 'route'])(
    'is not changed by %s in the body',
    async (field) => {
      const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/v1`;
      const value = /headers/.test(field) ? { authorization: 'Bearer other', 'x-evil': '1' } : url;
      expect((await gateway.chat({ ...full, [field]: value })).status).toBe(200);
      const seen = gateway.simulator.calls.at(-1);
      expect(seen?.body).toMatchObject({ [field]: value });
      expect(seen?.headers).toMatchObject({ authorization: 'Bearer simulator-key' });
      expect(seen?.headers).not.toHaveProperty('x-evil');
      expect(visits).toBe(0);
    },
  );

  test('none of the headers of the caller goes with it', async () => {
    const headers = {
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-host': 'evil.test',
      forwarded: 'for=10.0.0.1',
      cookie: 'a=b',
      'openai-organization': 'org-caller',
      'x-sim-fault': 'error-500',
      te: 'trailers',
      'proxy-authorization': 'Basic eA==',
    };
    expect((await gateway.chat(full, headers)).status).toBe(200);
    const seen = Object.keys(gateway.simulator.calls.at(-1)?.headers ?? {}).sort();
    const ours = ['accept', 'authorization', 'content-length', 'content-type', 'host', 'user-agent'];
    expect(seen).toEqual(ours);
    expect(JSON.stringify(gateway.simulator.calls.at(-1)?.headers)).not.toContain(gateway.key);
  });
});

async function declared(response: Response): Promise<{ status: number; type: string }> {
  const refusal = await refusalOf(response);
  const { status, body } = refusal;
  expectRefusal(refusal, { status, type: body.type, detail: /./ });
  return { status, type: body.type };
}
