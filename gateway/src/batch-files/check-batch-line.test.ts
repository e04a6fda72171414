/** Every rule for one line, checked with the demo catalogue. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readCatalog } from '../catalog/read-catalog.ts';
import { readConfigFile } from '../config/config-file.ts';
import type { RowFault } from '../contract/batch-lines/row-fault.ts';
import { checkBatchLine } from './check-batch-line.ts';
import { batchModelsOf } from './find-batch-model.ts';

const demo = readFileSync(new URL('../../demo/tollgate.yaml', import.meta.url), 'utf8');
const catalog = readCatalog(readConfigFile(demo, { TOLLGATE_SIMULATOR_URL: 'http://localhost:1' }), 0);
const findModel = batchModelsOf(catalog, { spaceName: 'any', models: null });
const check = (line: unknown) =>
  checkBatchLine(
    Buffer.isBuffer(line) ? line : Buffer.from(typeof line === 'string' ? line : JSON.stringify(line)),
    findModel,
  );
const fault = (line: unknown) => {
  const [{ reason, field } = {}] = check(line).faults as Partial<RowFault>[];
  return [reason, field];
};

const messages = [{ role: 'user', content: 'Hello' }];
const chatBody = { model: 'sim-chat', messages, service_tier: 'default' };
const responsesBody = { model: 'sim-responses-only', input: 'Hello', service_tier: 'default' };
const embedBody = { model: 'sim-embed', input: 'Hello' };
const chat = (body: object = {}, line: object = {}) => ({
  custom_id: 'a',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { ...chatBody, ...body },
  ...line,
});
const responses = (body: object = {}) => ({
  ...chat(),
  url: '/v1/responses',
  body: { ...responsesBody, ...body },
});
const embeddings = (body: object = {}) => ({
  ...chat(),
  url: '/v1/embeddings',
  body: { ...embedBody, ...body },
});
const without = (value: object, name: string) =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));

describe('valid lines', () => {
  test.each([
    ['a chat line', chat(), '/v1/chat/completions', 'sim-chat'],
    ['a responses line', responses(), '/v1/responses', 'sim-responses-only'],
    ['a responses line of messages', responses({ input: messages }), '/v1/responses', 'sim-responses-only'],
    ['an embeddings line', embeddings(), '/v1/embeddings', 'sim-embed'],
    [
      'max_completion_tokens on a newer model',
      chat({ max_completion_tokens: 5 }),
      '/v1/chat/completions',
      'sim-chat',
    ],
    // The model rejects it later, not this check.
    ['max_tokens on a newer model', chat({ max_tokens: 5 }), '/v1/chat/completions', 'sim-chat'],
    [
      'max_tokens on an older model',
      chat({ model: 'sim-chat-classic', max_tokens: 5 }),
      '/v1/chat/completions',
      'sim-chat-classic',
    ],
    [
      'max_output_tokens on responses',
      responses({ max_output_tokens: 5 }),
      '/v1/responses',
      'sim-responses-only',
    ],
    ['unknown fields in a body', chat({ temperature: 9, colour: 'red' }), '/v1/chat/completions', 'sim-chat'],
    [
      'a model that speaks another protocol',
      chat({ model: 'sim-claude' }),
      '/v1/chat/completions',
      'sim-claude',
    ],
  ])('%s: the line is accepted', (_, line, url, model) => {
    const { facts, faults } = check(line);
    expect(faults).toEqual([]);
    expect(facts).toMatchObject({ customId: 'a', url, model: { code: model } });
  });

  test.each(['sim-research-1', 'sim-research-2', 'sim-research-3', 'sim-research-4'])(
    '%s is accepted with web_search among its tools',
    (model) => {
      const tools = [{ type: 'function', name: 'f' }, { type: 'web_search' }];
      expect(check(responses({ model, tools })).faults).toEqual([]);
    },
  );
});

test('a line that asks for the background is rejected; a batch runs in the background itself', () => {
  expect(fault(responses({ background: true }))).toEqual(['field_not_allowed', 'body.background']);
  expect(check(responses({ background: false })).faults).toEqual([]);
});

test('everything that is wrong with a line is listed, not only the first', () => {
  const line = {
    ...{ custom_id: 'a', method: 'GET', url: '/v1/chat/completions', priority: 1 },
    body: { model: 'sim-caht', max_output_tokens: 5, stream: true, store: false },
  };
  expect(check(line).faults.map(({ reason, field }) => [reason, field])).toEqual([
    ['unknown_field', 'priority'],
    ['invalid_method', 'method'],
    ['model_not_found', 'body.model'],
    ['field_not_allowed', 'body.stream'],
    ['field_not_allowed', 'body.store'],
    ['unknown_field', 'body.max_output_tokens'],
    ['service_tier_required', 'body.service_tier'],
    ['missing_field', 'body.messages'],
  ]);
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`field${i}`, i]));
  expect(check(many).faults).toHaveLength(20);
});

describe('a line with a wrong url', () => {
  const all = (line: unknown) => check(line).faults.map(({ reason, field }) => [reason, field]);
  const wrongUrl = ['unsupported_url', 'url'];

  test.each(['/v1/chat/completion', null, 5])('the body of a line with the url %j is checked too', (url) => {
    const [first, ...rest] = all(chat({ stream: true, service_tier: 'flex', max_output_tokens: 5 }, { url }));
    expect(first?.[1]).toBe('url');
    expect(rest).toEqual([
      ['field_not_allowed', 'body.stream'],
      ['unknown_field', 'body.max_output_tokens'],
      ['service_tier_required', 'body.service_tier'],
    ]);
  });

  test('a body without a fault of its own adds none, whichever endpoint it is written for', () => {
    for (const line of [chat(), responses(), embeddings()])
      expect(all({ ...line, url: '/v1/x' })).toEqual([wrongUrl]);
  });

  test('an input is checked for the endpoint that the model offers', () => {
    const url = '/v1/x';
    expect(all({ ...embeddings({ service_tier: 'default' }), url })).toEqual([
      wrongUrl,
      ['service_tier_not_allowed', 'body.service_tier'],
    ]);
    expect(all({ ...responses({ max_tokens: 5 }), url })).toEqual([
      wrongUrl,
      ['unknown_field', 'body.max_tokens'],
    ]);
  });

  test.each([
    ['an unknown model', { model: 'sim-caht', input: 'Hello', stream: true }],
    ['neither messages nor an input', { model: 'sim-chat', stream: true }],
    ['both', { model: 'sim-chat', messages, input: 'Hello', stream: true }],
  ])('with %s, what is wrong with its body depends on the endpoint, so only the url is listed', (_, body) => {
    expect(all({ ...chat(), url: '/v1/x', body })).toEqual([wrongUrl]);
  });
});

describe('the envelope', () => {
  test.each(['custom_id', 'method', 'url', 'body'])(
    'missing_field: a line without %s is rejected',
    (name) => {
      expect(fault(without(chat(), name))).toEqual(['missing_field', name]);
      expect(fault(chat({}, { [name]: null }))).toEqual(['missing_field', name]);
    },
  );

  test.each([
    ['custom_id', 5],
    ['method', true],
    ['url', {}],
    ['body', 'text'],
    ['body', []],
  ])('invalid_type: the %s %j is rejected', (name, value) => {
    expect(fault(chat({}, { [name]: value }))).toEqual(['invalid_type', name]);
  });

  test('missing_field: an empty custom_id is rejected', () => {
    expect(fault(chat({}, { custom_id: '' }))).toEqual(['missing_field', 'custom_id']);
  });

  test.each(['a\0b', 'a\ud800'])(
    'invalid_type: the custom_id %j, which the database cannot store, is rejected',
    (id) => {
      expect(fault(chat({}, { custom_id: id }))).toEqual(['invalid_type', 'custom_id']);
    },
  );

  test('unknown_field: a field other than the four is rejected', () => {
    expect(fault(chat({}, { headers: {} }))).toEqual(['unknown_field', 'headers']);
  });

  test.each(['GET', 'post', ''])('invalid_method: %j is rejected', (method) => {
    expect(fault(chat({}, { method }))).toEqual(['invalid_method', 'method']);
  });

  test.each([
    '/v1/messages',
    '/v1/images/generations',
    'https://api.openai.com/v1/chat/completions',
    '/v1/chat/completions/',
  ])('unsupported_url: %s is rejected', (url) => {
    expect(fault(chat({}, { url }))).toEqual(['unsupported_url', 'url']);
  });
});

describe('the bytes', () => {
  test.each<[string, string]>([
    ['half a line', '{"custom_id": "a"'],
    ['two values', '{} {}'],
    ['a list', '[]'],
    ['null', 'null'],
    ['words', 'hello'],
    ['NaN', '{"custom_id": NaN}'],
    ['a key twice', '{"custom_id": "a", "custom_id": "b"}'],
    ['__proto__', '{"__proto__": {}}'],
    ['100,001 objects', `{"body": [${'{},'.repeat(100_000)}{}]}`],
    ['nesting of 65 levels', `{"body": ${'['.repeat(64)}${']'.repeat(64)}}`],
  ])('invalid_json: %s is rejected', (_, line) => {
    expect(fault(line)).toEqual(['invalid_json', null]);
  });

  test('invalid_json: the advice names the lone CR between two lines', () => {
    const [wrong] = check(`${JSON.stringify(chat())}\r${JSON.stringify(chat())}`).faults;
    expect(wrong).toMatchObject({
      reason: 'invalid_json',
      advice: expect.stringContaining('carriage return'),
    });
  });

  test.each([
    ['a stray byte', '{"custom_id": "\xff"}'],
    ['half a character', '{"custom_id": "\xe2\x82"}'],
    ['an overlong form', '{"custom_id": "\xc0\xaf"}'],
    ['a surrogate', '{"custom_id": "\xed\xa0\x80"}'],
  ])('invalid_utf8: %s is rejected', (_, line) => {
    expect(fault(Buffer.from(line, 'latin1'))).toEqual(['invalid_utf8', null]);
  });
});

describe('the model', () => {
  test.each([
    ['missing_field', chat({ model: undefined })],
    ['missing_field', chat({ model: '' })],
    ['invalid_type', chat({ model: 7 })],
    ['model_not_found', chat({ model: 'sim-caht' })],
    ['model_not_found', chat({ model: 'sim-embed' })],
    ['model_not_found', embeddings({ model: 'sim-chat' })],
    ['model_not_found', { ...responses(), body: { ...responsesBody, model: 'sim-no-responses' } }],
    ['model_not_batchable', chat({ model: 'sim-no-batch' })],
    ['responses_only_model', chat({ model: 'sim-responses-only' })],
    ['responses_only_model', chat({ model: 'sim-research-1' })],
  ])('%s: %j is rejected', (reason, line) => {
    expect(fault(line)).toEqual([reason, 'body.model']);
  });

  test('model_not_found: the advice suggests the closest model', () => {
    expect(check(chat({ model: 'sim-caht' })).faults[0]?.advice).toContain('Did you mean sim-chat?');
  });

  test.each(['sim-research-1', 'sim-research-2', 'sim-research-3', 'sim-research-4'])(
    'endpoint_requires_web_search: %s without it is rejected',
    (model) => {
      const wanted = ['endpoint_requires_web_search', 'body.tools'];
      expect(fault(responses({ model }))).toEqual(wanted);
      expect(fault(responses({ model, tools: [] }))).toEqual(wanted);
      expect(fault(responses({ model, tools: [{ type: 'web_search_preview' }] }))).toEqual(wanted);
    },
  );
});

describe('the body', () => {
  test.each([
    'stream',
    'stream_options',
    'functions',
    'function_call',
    'audio',
    'modalities',
    'prediction',
    'web_search_options',
    'store',
  ])('field_not_allowed: %s is rejected with any value', (name) => {
    const wanted = ['field_not_allowed', `body.${name}`];
    for (const value of [false, true, null, {}]) expect(fault(chat({ [name]: value }))).toEqual(wanted);
    expect(fault(responses({ [name]: false }))).toEqual(wanted);
    expect(fault(embeddings({ [name]: false }))).toEqual(wanted);
  });

  test.each([
    ['max_tokens', responses({ max_tokens: 5 })],
    ['max_completion_tokens', responses({ max_completion_tokens: 5 })],
    ['max_output_tokens', chat({ max_output_tokens: 5 })],
    ['max_tokens', embeddings({ max_tokens: 5 })],
    ['max_completion_tokens', embeddings({ max_completion_tokens: 5 })],
    ['max_output_tokens', embeddings({ max_output_tokens: 5 })],
  ])('unknown_field: the output cap %s in %j is rejected', (name, line) => {
    expect(fault(line)).toEqual(['unknown_field', `body.${name}`]);
  });

  test.each([undefined, null, 'auto', 'flex', 'Default', 1])(
    'service_tier_required: %j on a text line is rejected',
    (tier) => {
      const wanted = ['service_tier_required', 'body.service_tier'];
      expect(fault(chat({ service_tier: tier }))).toEqual(wanted);
      expect(fault(responses({ service_tier: tier }))).toEqual(wanted);
    },
  );

  test('service_tier_required: the advice says what to add', () => {
    expect(check(chat({ service_tier: undefined })).faults[0]?.advice).toBe(
      'Add "service_tier": "default" to the body.',
    );
  });

  test.each(['default', 'auto', null])(
    'service_tier_not_allowed: %j on an embeddings line is rejected',
    (tier) => {
      expect(fault(embeddings({ service_tier: tier }))).toEqual([
        'service_tier_not_allowed',
        'body.service_tier',
      ]);
    },
  );

  test.each([
    ['missing_field', 'body.messages', chat({ messages: undefined })],
    ['missing_field', 'body.messages', chat({ messages: null })],
    ['invalid_type', 'body.messages', chat({ messages: [] })],
    ['invalid_type', 'body.messages', chat({ messages: 'Hello' })],
    ['invalid_type', 'body.messages', chat({ messages: ['Hello'] })],
    ['missing_field', 'body.input', responses({ input: undefined })],
    ['invalid_type', 'body.input', responses({ input: 5 })],
    ['invalid_type', 'body.input', responses({ input: ['Hello'] })],
    ['missing_field', 'body.input', embeddings({ input: undefined })],
  ])('%s: %s in %j is rejected', (reason, field, line) => {
    expect(fault(line)).toEqual([reason, field]);
  });
});

describe('embeddings', () => {
  const inputs = (input: unknown) => {
    const { facts, faults } = check(embeddings({ input }));
    const [wrong] = faults;
    return facts?.embeddingInputs ?? [wrong?.reason, wrong?.field];
  };
  const many = <T>(length: number, item: T): T[] => Array.from({ length }, () => item);

  test.each<[string, unknown, unknown]>([
    ['a text is 1 input', 'Hello', 1],
    ['a list of texts is as many as it has', ['a', 'b', 'c'], 3],
    ['a list of token ids is 1 input', [1, 2, 3], 1],
    ['a list of lists of token ids is as many as the outer has', [[1], [2, 3]], 2],
    ['2,048 texts are taken', many(2_048, 'a'), 2_048],
    ['2,048 token ids are 1 input', many(2_048, 7), 1],
    ['2,048 lists of token ids are taken', many(2_048, [7]), 2_048],
    ['an inner list of 2,048 token ids is taken', [[1], many(2_048, 7)], 2],
    ['2,049 texts are too many', many(2_049, 'a'), ['embedding_array_too_long', 'body.input']],
    ['2,049 token ids are too many', many(2_049, 7), ['embedding_array_too_long', 'body.input']],
    ['2,049 lists are too many', many(2_049, [7]), ['embedding_array_too_long', 'body.input']],
    [
      'an inner list of 2,049 is too long',
      [[1], many(2_049, 7)],
      ['embedding_array_too_long', 'body.input[1]'],
    ],
    ['an empty text', '', ['invalid_type', 'body.input']],
    ['an empty list', [], ['invalid_type', 'body.input']],
    ['an empty inner list', [[1], []], ['invalid_type', 'body.input[1]']],
    ['an empty text in a list', ['a', ''], ['invalid_type', 'body.input[1]']],
    ['a number among texts', ['a', 1], ['invalid_type', 'body.input[1]']],
    ['a text among token ids', [1, 'a'], ['invalid_type', 'body.input[1]']],
    ['a text among lists', [[1], 'a'], ['invalid_type', 'body.input[1]']],
    ['half a token id', [1, 1.5], ['invalid_type', 'body.input[1]']],
    ['a token id below zero', [[1, -1]], ['invalid_type', 'body.input[0][1]']],
    ['an object', { text: 'a' }, ['invalid_type', 'body.input']],
    ['a list of objects', [{}], ['invalid_type', 'body.input[0]']],
  ])('%s', (_, input, expected) => {
    expect(inputs(input)).toEqual(expected);
  });
});
