/** Bodies that are not what the endpoint takes: each is refused with a reason, and costs nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type Expected, expectRefusal, refusalOf } from './bad-input-client.ts';

let gateway: TestGateway;
let answered = 0;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const good = { model: 'sim-chat', messages: [{ role: 'user', content: 'Reply with exactly: fine' }] };
const GOOD = JSON.stringify(good);
const bare = GOOD.slice(1, -1);

const invalidJson = (detail: RegExp, param: string | null = null): Expected => ({
  status: 400,
  type: 'invalid_json',
  detail,
  param,
});

function deep(levels: number): string {
  // The outermost object is one level.
  return `{${bare},"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
}

function keys(count: number): string {
  return `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')}}`;
}

describe('a body that is not one JSON object answers 400 invalid_json', () => {
  const cases: Array<[string, string | Buffer, Expected]> = [
    ['cut off in the middle', GOOD.slice(0, -5), invalidJson(/not well-formed JSON/)],
    ['a missing comma', '{"model":"sim-chat" "messages":[]}', invalidJson(/at character \d+/)],
    ['single quotes', "{'model':'sim-chat'}", invalidJson(/not well-formed JSON/)],
    ['empty', '', invalidJson(/empty/)],
    ['blanks only', ' \n ', invalidJson(/not well-formed JSON/)],
    ['null', 'null', invalidJson(/not an object/)],
    ['an array', '[]', invalidJson(/not an object/)],
    ['an array of the right object', `[${GOOD}]`, invalidJson(/not an object/)],
    ['a string', '"hello"', invalidJson(/not an object/)],
    ['a number', '7', invalidJson(/not an object/)],
    ['a byte order mark first', `\uFEFF${GOOD}`, invalidJson(/not well-formed JSON/)],
    ['NaN', `{${bare},"temperature":NaN}`, invalidJson(/not well-formed JSON/)],
    ['Infinity', `{${bare},"temperature":-Infinity}`, invalidJson(/not well-formed JSON/)],
    ['two values', `${GOOD}${GOOD}`, invalidJson(/not well-formed JSON/)],
    ['a value and rubbish', `${GOOD}]`, invalidJson(/not well-formed JSON/)],
    ['UTF-16, little end first', Buffer.from(GOOD, 'utf16le'), invalidJson(/UTF-8|not well-formed/)],
    [
      'UTF-16 with its mark',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(GOOD, 'utf16le')]),
      invalidJson(/not valid UTF-8/),
    ],
    ['a byte that is not UTF-8', withByte(0xff), invalidJson(/not valid UTF-8/)],
    ['a cut character', withByte(0xc3), invalidJson(/not valid UTF-8/)],
    ['a surrogate written in UTF-8', withByte(0xed, 0xa0, 0x80), invalidJson(/not valid UTF-8/)],
    ['an overlong slash', withByte(0xc0, 0xaf), invalidJson(/not valid UTF-8/)],
    ['a bare line feed in a string', GOOD.replace('fine', 'fi\nne'), invalidJson(/not well-formed JSON/)],
    ['65 levels', deep(65), invalidJson(/deeper than 64 levels/)],
    ['a depth bomb of 1 MB', '['.repeat(1_000_000), invalidJson(/deeper than 64 levels/)],
    ['a depth bomb of objects', '{"a":'.repeat(200_000), invalidJson(/deeper than 64 levels/)],
    ['100,001 keys', keys(100_001), invalidJson(/more than 100000 keys/)],
    ['__proto__', `{${bare},"__proto__":{"stream":true}}`, invalidJson(/__proto__/, '__proto__')],
    [
      '__proto__ in escapes',
      `{${bare},"\\u005f_proto__":{"stream":true}}`,
      invalidJson(/__proto__/, '__proto__'),
    ],
    [
      '__proto__ deep inside',
      '{"model":"sim-chat","messages":[{"role":"user","content":"x","__proto__":{}}]}',
      invalidJson(/__proto__/, '__proto__'),
    ],
    ['model twice', `{"model":"sim-text-only",${bare}}`, invalidJson(/"model".*twice/, 'model')],
    [
      'model twice, once in escapes',
      `{"mod\\u0065l":"sim-text-only",${bare}}`,
      invalidJson(/"model".*twice/, 'model'),
    ],
    [
      'role twice inside a message',
      '{"model":"sim-chat","messages":[{"role":"user","role":"system","content":"x"}]}',
      invalidJson(/"role".*twice/, 'role'),
    ],
  ];

  test.each(cases)('%s', async (_, body, expected) => {
    expectRefusal(await refusalOf(await gateway.chat(body)), expected);
  });

  test('64 levels are still read', async () => {
    await expectAnswer(deep(64));
  });
});

describe('a field with a wrong value is named', () => {
  const wrong = (param: string, detail: RegExp, type = 'invalid_parameter'): Expected => ({
    status: 400,
    type,
    param,
    detail,
  });
  const number = (field: string, json: string, detail: RegExp): [string, string, Expected] => [
    `${field}: ${json}`,
    `{${bare},"${field}":${json}}`,
    wrong(field, detail),
  ];
  const field = (
    name: string,
    value: unknown,
    param: string,
    detail: RegExp,
    type?: string,
  ): [string, string, Expected] => [
    `${name}: ${(JSON.stringify(value) ?? 'missing').slice(0, 70)}`,
    JSON.stringify({ ...good, [name]: value }),
    wrong(param, detail, type),
  ];
  const tool = (tools: unknown, param: string): [string, string, Expected] =>
    field('tools', tools, param, /tools/, 'tool_format_invalid');
  const message = { role: 'user', content: 'x' };

  const cases: Array<[string, string, Expected]> = [
    number('temperature', '1e400', /^temperature must be/),
    number('temperature', '-1e400', /^temperature must be/),
    number('temperature', '3', /^temperature must be <= 2/),
    number('temperature', '-0.01', /^temperature must be >= 0/),
    number('temperature', '"1"', /^temperature must be a number/),
    number('temperature', '[1]', /^temperature must be a number/),
    number('top_p', '2', /^top_p must be <= 1/),
    number('top_p', '-1', /^top_p must be >= 0/),
    number('max_tokens', '0', /^max_tokens must be >= 1/),
    number('max_tokens', '-1', /^max_tokens must be >= 1/),
    number('max_tokens', '1.5', /^max_tokens must be an integer/),
    number('max_tokens', '1e999', /^max_tokens must be an integer/),
    number('max_completion_tokens', '0', /^max_completion_tokens must be >= 1/),
    number('n', '0', /^n must be >= 1/),
    number('n', '129', /^n must be <= 128/),
    number('n', '"2"', /^n must be an integer/),
    field('stop', ['a', 'b', 'c', 'd', 'e'], 'stop', /^stop must not have more than 4 items/),
    field('stop', [1], 'stop[0]', /^stop\[0\] must be a string/),
    field('stop', 7, 'stop', /^stop must be a string or an array/),
    field('messages', undefined, 'messages', /^messages is required/),
    field('messages', [], 'messages', /^messages must not have fewer than 1 items/),
    field('messages', 'hello', 'messages', /^messages must be an array/),
    field('messages', { 0: message }, 'messages', /^messages must be an array/),
    field('messages', ['hello'], 'messages[0]', /^messages\[0\] must be an object/),
    field('messages', Array(2_001).fill(message), 'messages', /^messages must not have more than 2000 items/),
    field('messages', [message, { ...message, role: 'robot' }], 'messages[1].role', /"user".*"assistant"/),
    field('messages', [{ content: 'x' }], 'messages[0].role', /^messages\[0\]\.role is required/),
    field('messages', [{ ...message, content: 7 }], 'messages[0].content', /must be a string or an array/),
    field(
      'messages',
      [{ ...message, content: [{ text: 'x' }] }],
      'messages[0].content[0].type',
      /is required/,
    ),
    field(
      'messages',
      [{ ...message, content: [{ type: 'image_url', image_url: 'https://x' }] }],
      'messages[0].content[0].image_url',
      /must be an object/,
    ),
    field('stream', 'yes', 'stream', /^stream must be a boolean/),
    field('stream', 1, 'stream', /^stream must be a boolean/),
    field('stream_options', true, 'stream_options', /^stream_options must be an object/),
    field('stream_options', { include_usage: 'yes' }, 'stream_options.include_usage', /must be a boolean/),
    tool('search', 'tools'),
    tool([{}], 'tools[0].type'),
    tool([{ type: 'function' }], 'tools[0].function'),
    tool([{ type: 'function', function: {} }], 'tools[0].function.name'),
    tool([{ type: 'function', function: { name: 'has blanks' } }], 'tools[0].function.name'),
    tool([{ type: 'function', function: { name: 'x', parameters: 'none' } }], 'tools[0].function.parameters'),
    tool([{ type: 'magic', function: { name: 'x' } }], 'tools[0].type'),
    field('tool_choice', 'sometimes', 'tool_choice', /"auto".*"none".*"required"/),
    field(
      'tool_choice',
      { type: 'function', function: {} },
      'tool_choice.function.name',
      /^tool_choice\.function\.name is required/,
    ),
    field('response_format', { type: 'xml' }, 'response_format.type', /"json_object"/),
    field('model', undefined, 'model', /^model is required/),
    field('model', 7, 'model', /^model must be a string/),
    field('model', null, 'model', /^model must be a string/),
    field('model', '', 'model', /^model must not have fewer than 1 characters/),
    field('model', 'm'.repeat(201), 'model', /^model must not have more than 200 characters/),
  ];

  test.each(cases)('%s', async (_, body, expected) => {
    expectRefusal(await refusalOf(await gateway.chat(body)), expected);
  });

  test.each(['temperature', 'top_p', 'max_tokens', 'stop', 'n', 'tools', 'tool_choice', 'stream'])(
    '%s: null is the same as leaving it out',
    async (name) => {
      await expectAnswer({ ...good, [name]: null });
    },
  );

  test('an unknown model answers 404 model_not_found with the code that was probably meant', async () => {
    const missing = { status: 404, type: 'model_not_found', param: 'model' };
    const near = await refusalOf(await gateway.chat({ ...good, model: 'sim-caht' }));
    expectRefusal(near, { ...missing, detail: /"sim-caht".*Did you mean sim-chat\?/ });
    const far = await refusalOf(await gateway.chat({ ...good, model: 'zzzzzzzzzzzzzzzzzzzz' }));
    expectRefusal(far, { ...missing, detail: /GET \/v1\/models lists/ });
    const rude = await refusalOf(await gateway.chat({ ...good, model: '\u0000\ud800../__proto__' }));
    expectRefusal(rude, { ...missing, detail: /There is no model/ });
  });

  test('a list of millions of items is refused before it is parsed', async () => {
    const refused = await refusalOf(
      await gateway.chat(`{"model":"sim-chat","messages":[${'1,'.repeat(5_000_000)}1]}`),
    );
    expectRefusal(refused, { status: 400, type: 'invalid_json', detail: /more than 1000000 values/ });
  });
});

test('after all of it a good call is answered, and no refused one left a row', async () => {
  await expectAnswer(GOOD);
  const [row] = await gateway.query<{ calls: number }>(sql`select count(*) as calls from calls`);
  expect(row?.calls).toBe(answered);
});

async function expectAnswer(body: unknown): Promise<void> {
  const response = await gateway.chat(body);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  answered++;
}

/** The good body with these bytes within its text. */
function withByte(...bytes: number[]): Buffer {
  const at = GOOD.indexOf('fine');
  return Buffer.concat([Buffer.from(GOOD.slice(0, at)), Buffer.from(bytes), Buffer.from(GOOD.slice(at))]);
}
