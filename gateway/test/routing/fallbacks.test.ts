/** Fallbacks to other models: when they answer, who may use them, what is charged and what is recorded. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Explanation } from '../../src/contract/explanation.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type LimitedAnswer, LimitedProvider } from '../support/limited-provider.ts';
import { PATIENCE } from '../support/patience.ts';
import { metricsOf, parseMetrics, sumOf } from '../support/read-metrics.ts';

const ALL = ['context_length', 'outage', 'rate_limit', 'refusal'];
const FILTERED: LimitedAnswer = {
  body: {
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm' },
    choices: [{ index: 0, message: { role: 'assistant', content: null }, finish_reason: 'content_filter' }],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  },
};

/** A new model for each test, because breakers and rests belong to routes. */
const NAMES = [
  'down',
  'limited',
  'long',
  'filtered',
  'blocked',
  'keyed',
  'once',
  'last',
  'wrong',
  'spending',
];
const STREAMED = ['stream-chat', 'stream-responses', 'stream-messages', 'stream-broken'];

const VERSION = { 'anthropic-version': '2023-06-01' };

const chunk = (delta: object, finish_reason: string | null = null): object => ({
  ...{ id: 'c', object: 'chat.completion.chunk', created: 1 },
  choices: [{ index: 0, delta, finish_reason }],
});
const usage = { choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } };
const REFUSED = [chunk({ role: 'assistant', content: '' }), chunk({}, 'content_filter'), usage];
const ANSWERED = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Yes.' }),
  chunk({}, 'stop'),
  usage,
];
const PARTLY = [chunk({ content: 'Well' }), chunk({}, 'content_filter'), usage];

describe.each(engines)('on %s', (engine) => {
  let gateway: TestGateway;
  let one: LimitedProvider;
  let two: LimitedProvider;

  beforeAll(async () => {
    [one, two] = [await LimitedProvider.start(), await LimitedProvider.start()];
    const main = (fallbacks: unknown, more = {}): object => ({
      fallbacks,
      routes: [{ provider: 'one', model: 'main' }],
      ...more,
    });
    const config = testConfig({
      providers: {
        one: { dialect: 'openai', base_url: one.url, api_key: 'first' },
        two: { dialect: 'openai', base_url: two.url, api_key: 'second' },
        'plain-one': { dialect: 'openai-compatible', base_url: one.url, api_key: 'third' },
        'plain-two': { dialect: 'openai-compatible', base_url: two.url, api_key: 'fourth' },
      },
      models: {
        ...Object.fromEntries(NAMES.map((name) => [name, main([{ model: 'other', on: ALL }])])),
        other: { routes: [{ provider: 'two', model: 'other' }] },
        seeing: { capabilities: ['vision', 'streaming'], routes: [{ provider: 'one', model: 'main' }] },
        'seeing-first': main([{ model: 'other', on: ALL }], { capabilities: ['vision', 'streaming'] }),
        short: main([{ model: 'other', on: ['context_length'] }], { context_tokens: 50 }),
        'only-outage': main([{ model: 'other', on: ['outage'] }]),
        'both-ways': main([
          { model: 'sim-fault-error-500', on: ['rate_limit'] },
          { model: 'other', on: ['outage'] },
        ]),
        'sim-fault-error-500': { routes: [{ provider: 'simulator', model: 'sim-fault-error-500' }] },
        ...Object.fromEntries(
          STREAMED.map((name) => [
            name,
            {
              capabilities: ['streaming'],
              fallbacks: [{ model: 'plain-other', on: ['refusal', 'outage'] }],
              routes: [{ provider: 'plain-one', model: 'main' }],
            },
          ]),
        ),
        'plain-other': { capabilities: ['streaming'], routes: [{ provider: 'plain-two', model: 'other' }] },
      },
      prices: {
        ...Object.fromEntries([...NAMES, 'only-outage'].map((name) => [name, { input: 1, output: 1 }])),
        other: { input: 100, output: 1000 },
      },
    });
    gateway = await startGateway({ engine, config });
  });
  afterAll(async () => {
    await gateway?.stop();
    await Promise.all([one?.stop(), two?.stop()]);
  });
  beforeEach(() => {
    one.requests.length = 0;
    two.requests.length = 0;
    one.answer = () => null;
    two.answer = () => null;
  });

  const ask = (model: string, more: object = {}, headers = {}): Promise<Response> =>
    gateway.chat({ model, messages: [{ role: 'user', content: 'Hi' }], ...more }, headers);

  /** The record is written after a failure is answered. */
  async function callOf(response: Response): Promise<NonNullable<Explanation['call']>> {
    const ref = response.headers.get('x-request-id') ?? '';
    return await vi.waitFor(async () => {
      const { call } = await gateway.admin('why', { ref });
      expect(call).not.toBeNull();
      return call as NonNullable<Explanation['call']>;
    }, PATIENCE);
  }

  test.each<[string, string, LimitedAnswer, string]>([
    ['an outage', 'down', { status: 503 }, 'upstream_unavailable'],
    ['a rate limit', 'limited', { status: 429, headers: { 'retry-after': '30' } }, 'rate_limit_exceeded'],
    [
      'a prompt that is too long for the provider',
      'long',
      { status: 400, body: { error: { message: 'too long', code: 'context_length_exceeded' } } },
      'context_length_exceeded',
    ],
    [
      'a rejected prompt',
      'blocked',
      { status: 400, body: { error: { message: 'no', code: 'content_filter' } } },
      'content_blocked',
    ],
    ['a filtered answer', 'filtered', FILTERED, 'refused'],
  ])(
    'after %s the other model answers, at its price, and everything says so',
    async (_, model, said, outcome) => {
      one.answer = () => said;
      const response = await ask(model);
      expect(response.status).toBe(200);
      expect(response.headers.get('x-tollgate-model')).toBe('other');
      expect(((await response.json()) as { model: string }).model).toBe('other');
      // 10 tokens at 100 and 5 at 1000, per million.
      expect(response.headers.get('x-tollgate-cost-units')).toBe('0.006');
      const call = await callOf(response);
      expect(call).toMatchObject({
        model: 'other',
        requested_model: model,
        cost: '0.006',
        outcome: 'completed',
      });
      expect(call.attempt_log?.at(0)).toMatchObject({ model, route: `${model}/0`, outcome });
      expect(call.attempt_log?.at(-1)).toMatchObject({
        model: 'other',
        route: 'other/0',
        outcome: 'answered',
      });
      expect(call.attempts).toBe(call.attempt_log?.length);
      if (outcome === 'refused')
        expect(call.attempt_log?.[0]).toMatchObject({ input_tokens: 7, output_tokens: 3 });
      const receipt = await fetch(`${gateway.url}/v1/receipts/${response.headers.get('x-request-id')}`, {
        headers: { authorization: `Bearer ${gateway.key}` },
      });
      const shown = await receipt.text();
      expect(JSON.parse(shown)).toMatchObject({ model: 'other', requested_model: model });
      expect(shown).not.toContain('other/0');
    },
  );

  test('a prompt that our own count finds too long is not sent to the first model', async () => {
    const content = 'many words '.repeat(200);
    const response = await ask('short', { messages: [{ role: 'user', content }] });
    expect(response.headers.get('x-tollgate-model')).toBe('other');
    expect(one.requests).toEqual([]);
    expect((await callOf(response)).attempt_log).toMatchObject([
      { model: 'short', outcome: 'context_length_exceeded', status: null },
      { model: 'other', outcome: 'answered' },
    ]);
  });

  test('a reason that is not listed answers with the error, and the answer of the model itself names it', async () => {
    expect((await ask('only-outage')).headers.get('x-tollgate-model')).toBe('only-outage');
    one.answer = () => ({ status: 429, headers: { 'retry-after': '30' } });
    const response = await ask('only-outage');
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '30']);
    expect(two.requests).toEqual([]);
  });

  test('a key that may not use the other model never reaches it', async () => {
    one.answer = () => ({ status: 503 });
    const { key } = await gateway.admin('keys.create', { name: `only-${engine}`, kind: 'shared' });
    await gateway.admin('keys.models', { name: `only-${engine}`, models: ['keyed'] });
    const response = await ask('keyed', {}, { authorization: `Bearer ${key}` });
    expect(response.status).toBe(503);
    expect(two.requests).toEqual([]);
  });

  test('a call that the other model cannot do is not sent there', async () => {
    one.answer = () => ({ status: 503 });
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const response = await ask('seeing-first', { messages: [{ role: 'user', content: [image] }] });
    expect(response.status).toBe(503);
    expect(two.requests).toEqual([]);
  });

  test('if no model answers, the caller gets the error of the requested one, and nothing is charged', async () => {
    one.answer = () => ({ status: 503 });
    two.answer = () => ({ status: 400, body: { error: { message: 'unknown field' } } });
    const response = await ask('last');
    expect(response.status).toBe(503);
    const call = await callOf(response);
    expect(call).toMatchObject({ model: 'last', requested_model: null, outcome: 'failed', cost: null });
    expect(call.attempt_log?.map(({ model }) => model)).toEqual(['last', 'last', 'last', 'other']);
  });

  test('a model that was refused keeps its refusal if the other fails, and it is charged', async () => {
    one.answer = () => FILTERED;
    two.answer = () => ({ status: 400, body: { error: { message: 'unknown field' } } });
    const response = await ask('wrong');
    expect(response.status).toBe(200);
    expect(response.headers.get('x-tollgate-model')).toBe('wrong');
    expect(await response.text()).toContain('content_filter');
    expect(await callOf(response)).toMatchObject({ model: 'wrong', cost: '0.00001', attempts: 2 });
  });

  test('the reasons of the next model are those of the one before it', async () => {
    one.answer = () => ({ status: 429, headers: { 'retry-after': '30' } });
    const response = await ask('both-ways');
    expect(response.headers.get('x-tollgate-model')).toBe('other');
    const models = (await callOf(response)).attempt_log?.map(({ model }) => model);
    expect([...new Set(models)]).toEqual(['both-ways', 'sim-fault-error-500', 'other']);
  });

  test('a repeat with the same Idempotency-Key gets the same answer and header, and is charged once', async () => {
    one.answer = () => ({ status: 503 });
    const headers = { 'idempotency-key': `fallback-${engine}` };
    const first = await ask('once', {}, headers);
    const second = await ask('once', {}, headers);
    expect([first, second].map((it) => it.headers.get('x-tollgate-model'))).toEqual(['other', 'other']);
    expect(await second.text()).toBe(await first.text());
    expect(two.requests).toHaveLength(1);
  });

  test.each([
    ['stream-chat', '/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
    ['stream-responses', '/v1/responses', { input: 'Hi', store: false }],
    ['stream-messages', '/v1/messages', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 50 }],
  ])(
    'a refused stream is answered by the other model, as if it had been asked: %s',
    async (model, path, body) => {
      two.answer = () => ({ chunks: ANSWERED });
      one.answer = () => ({ chunks: REFUSED });
      const response = await gateway.post(path, { model, stream: true, ...body }, VERSION);
      expect(response.headers.get('x-tollgate-model')).toBe('plain-other');
      const text = await response.text();
      expect(text).toContain('Yes.');
      expect(text).toContain('plain-other');
      expect(text).not.toMatch(/content_filter|refusal"|main/);
      expect(await callOf(response)).toMatchObject({ model: 'plain-other', requested_model: model });
      one.answer = () => ({ chunks: PARTLY });
      const begun = await gateway.post(path, { model, stream: true, ...body }, VERSION);
      expect(begun.headers.get('x-tollgate-model')).toBe(model);
      expect(await begun.text()).toContain('Well');
    },
  );

  test('a stream that breaks before its first word is answered by the other model', async () => {
    two.answer = () => ({ chunks: ANSWERED });
    one.answer = () => ({ chunks: [chunk({ role: 'assistant', content: '' })] });
    const response = await ask('stream-broken', { stream: true });
    expect(response.headers.get('x-tollgate-model')).toBe('plain-other');
    expect(await response.text()).toContain('[DONE]');
    two.answer = () => ({ chunks: REFUSED });
    one.answer = () => ({ chunks: REFUSED });
    const refused = await ask('stream-broken', { stream: true });
    expect(await refused.text()).toContain('content_filter');
    expect(await callOf(refused)).toMatchObject({ model: 'plain-other', finish_reason: 'content_filter' });
  });

  test('a space that may not spend any more is not sent to the other model', async () => {
    one.answer = async () => {
      await gateway.admin('spaces.block', { space: 'acme', blocked: true });
      await vi.waitFor(async () => expect((await ask('other')).status).toBe(402), PATIENCE);
      two.requests.length = 0;
      return { status: 503, headers: { 'retry-after': '30' } };
    };
    // The call is ended because its space is blocked, or it fails with its only route, whichever comes first.
    expect([402, 503]).toContain((await ask('spending')).status);
    expect(two.requests).toEqual([]);
    await gateway.admin('spaces.block', { space: 'acme', blocked: false });
    await vi.waitFor(async () => expect((await ask('other')).status).toBe(200), PATIENCE);
  });

  test('metrics count fallbacks by model and reason', async () => {
    one.answer = () => ({ status: 503 });
    await ask('down');
    const series = parseMetrics(await (await metricsOf(gateway)).text());
    const labels = { model: 'down', to: 'other', reason: 'outage' };
    expect(sumOf(series, 'tollgate_model_fallbacks_total', labels)).toBeGreaterThan(0);
  });
});
