/**
 * Nothing that was asked for is free: on a model that has prices, a request that asks for something without one is rejected
 * before it is sent, naming the field. The table has every part of a price sheet that a request can ask for.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { exactAnswer } from './wire-answers.ts';

const simulated = 'api_key: simulator-key, simulated: true';
const all = '[vision, tools, json_mode, json_schema, streaming]';
const config = `
providers:
  openai: { dialect: openai, base_url: SIMULATOR, ${simulated} }
  anthropic: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, ${simulated} }
models:
  plain: { capabilities: ${all}, batch: own, routes: [{ provider: openai, model: sim-chat }] }
  claude: { capabilities: ${all}, output_tokens_max: 1000, routes: [{ provider: anthropic, model: sim-claude }] }
  lifetimes: { capabilities: ${all}, output_tokens_max: 1000, routes: [{ provider: anthropic, model: sim-claude }] }
  writes: { capabilities: ${all}, routes: [{ provider: openai, model: sim-chat }] }
  input-only: { capabilities: ${all}, routes: [{ provider: openai, model: sim-chat }] }
  two-dialects:
    capabilities: ${all}
    output_tokens_max: 1000
    routes: [{ provider: openai, model: sim-chat }, { provider: anthropic, model: sim-claude }]
  falls: { capabilities: ${all}, routes: [{ provider: openai, model: sim-fault-error-500 }], fallbacks: [{ model: plain, on: [outage] }] }
  no-prices: { capabilities: ${all}, routes: [{ provider: openai, model: sim-chat }] }
  embed: { endpoints: [embeddings], routes: [{ provider: openai, model: sim-embed }] }
  image: { endpoints: [images], capabilities: [image_output], routes: [{ provider: openai, model: sim-image }] }
  counted: { endpoints: [images], capabilities: [image_output], routes: [{ provider: openai, model: sim-image }] }
  sized: { endpoints: [images], capabilities: [image_output], routes: [{ provider: openai, model: sim-image }] }
  video: { endpoints: [video], routes: [{ provider: openai, model: sim-video }] }
prices:
  version: missing-1
  models:
    plain: { input: 1, output: 2, batch_input: 1, batch_output: 2 }
    claude: { input: 1, output: 2 }
    lifetimes: { input: 1, output: 2, cache_write_5m: 1.25 }
    writes: { input: 1, output: 2, cache_write_12h: 2 }
    input-only: { input: 1 }
    two-dialects: { input: 1, output: 2 }
    falls: { input: 1, output: 2, when: [{ tier: priority, factor: 2 }] }
    embed: { output: 1 }
    image: { per_second: 1 }
    counted: { output: 40 }
    sized: { per_image: { 1024x1024: 1, low: 1 } }
    video: { per_second: { 720p: 1 } }
`;

const chat = '/v1/chat/completions';
const responses = '/v1/responses';
const messages = '/v1/messages';
const said = [{ role: 'user', content: 'Hello' }];
const tool = { type: 'function', function: { name: 'own', parameters: { type: 'object' } } };
const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
const search = { type: 'web_search_20250305', name: 'web_search' };
const ephemeral = (ttl?: string) => ({ type: 'ephemeral', ...(ttl && { ttl }) });

interface Answer {
  readonly type: string;
  readonly detail: string;
  readonly error: { readonly param: string; readonly rows?: readonly object[] };
}

type Row = [part: string, param: string, path: string, body: Record<string, unknown>];

const chatOf = (more: object, model = 'plain') => ({ model, messages: said, ...more });
const responseOf = (more: object, model = 'plain') => ({ model, input: 'Hello', ...more });
const messageOf = (more: object, model = 'claude') => ({ model, max_tokens: 100, messages: said, ...more });

const table: Row[] = [
  ['tier:priority', 'service_tier', chat, chatOf({ service_tier: 'priority' })],
  ['tier:flex', 'service_tier', chat, chatOf({ service_tier: 'flex', stream: true })],
  ['tool.web_search', 'web_search_options', chat, chatOf({ web_search_options: {} })],
  ['tool.web_search', 'search_parameters', chat, chatOf({ search_parameters: { mode: 'auto' } })],
  ['tool.web_search', 'plugins', chat, chatOf({ plugins: [{ id: 'web' }] })],
  ['audio_output', 'modalities', chat, chatOf({ modalities: ['text', 'audio'], tools: [tool] })],
  ['audio_input', 'messages[0].content[0]', chat, chatOf({ messages: [{ role: 'user', content: [audio] }] })],
  [
    'cache_write_30m',
    'prompt_cache_options.ttl',
    chat,
    chatOf({ prompt_cache_options: { ttl: '30m' } }, 'writes'),
  ],
  ['output', 'model', chat, chatOf({}, 'input-only')],
  ['tier:priority', 'service_tier', responses, responseOf({ service_tier: 'priority' })],
  [
    'tool.web_search',
    'tools[1].type',
    responses,
    responseOf({ tools: [{ type: 'function', name: 'own' }, { type: 'web_search' }] }),
  ],
  [
    'tool.web_search',
    'tools[0].type',
    responses,
    responseOf({ tools: [{ type: 'web_search_preview_2025_03_11' }] }),
  ],
  [
    'tool.file_search',
    'tools[0].type',
    responses,
    responseOf({ tools: [{ type: 'file_search', vector_store_ids: [] }] }),
  ],
  [
    'tool.code_interpreter',
    'tools[0].type',
    responses,
    responseOf({ tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }),
  ],
  [
    'tool.image_generation',
    'tools[0].type',
    responses,
    responseOf({ tools: [{ type: 'image_generation' }] }),
  ],
  [
    'tool.deep_dive',
    'tools[0].type',
    responses,
    responseOf({ tools: [{ type: 'deep_dive' }], background: true }),
  ],
  [
    'audio_input',
    'input[0].content[0]',
    responses,
    responseOf({ input: [{ role: 'user', content: [audio] }] }),
  ],
  [
    'cache_write_30m',
    'prompt_cache_options.ttl',
    responses,
    responseOf({ prompt_cache_options: { ttl: '30m' } }, 'writes'),
  ],
  ['tier:fast', 'speed', messages, messageOf({ speed: 'fast' })],
  ['geo:us', 'inference_geo', messages, messageOf({ inference_geo: 'us' })],
  ['tool.web_search', 'tools[0].type', messages, messageOf({ tools: [search] })],
  [
    'tool.code_execution',
    'tools[0].type',
    messages,
    messageOf({ tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }),
  ],
  [
    'cache_write_1h',
    'system[0].cache_control',
    messages,
    messageOf({ system: [{ type: 'text', text: 'S', cache_control: ephemeral('1h') }] }, 'lifetimes'),
  ],
  ['input', 'model', '/v1/embeddings', { model: 'embed', input: 'Hello' }],
  ['image', 'model', '/v1/images/generations', { model: 'image', prompt: 'A cat' }],
  ['input', 'model', '/v1/images/generations', { model: 'counted', prompt: 'A cat' }],
  [
    'image.1536x1024',
    'size',
    '/v1/images/generations',
    { model: 'sized', prompt: 'A cat', size: '1536x1024' },
  ],
  ['image.high', 'quality', '/v1/images/generations', { model: 'sized', prompt: 'A cat', quality: 'high' }],
  [
    'second.1080p',
    'resolution',
    '/v1/video/generations',
    { model: 'video', prompt: 'A cat', resolution: '1080p' },
  ],
];

describe.each(engines)('a request that asks for something without a price on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
  });
  afterAll(() => gateway.stop());

  const send = (path: string, body: unknown) => gateway.post(path, body, { 'vendor-version': '2023-06-01' });

  test.each(table)('%s is rejected before it is sent, naming %s: %s', async (part, param, path, body) => {
    const sent = gateway.simulator.calls.length;
    const reply = await send(path, body);
    const answer = (await reply.json()) as Answer;
    expect([reply.status, answer.type, answer.error.param]).toEqual([400, 'price_missing', param]);
    expect(answer.detail).toContain(`(${part})`);
    expect(gateway.simulator.calls.length).toBe(sent);
  });

  test('the operator sees what was asked for, how often and when, although no call was recorded', async () => {
    const before = new Date(Date.now() - 120_000).toISOString();
    await expect
      .poll(
        async () =>
          (await gateway.admin('prices.missing')).data.find(
            ({ model, missing }) => model === 'plain' && missing === 'tier:priority',
          )?.rejected,
      )
      .toBe(2);
    const { data } = await gateway.admin('prices.missing', { from: before });
    const parts = new Set(table.map(([part]) => part));
    expect(new Set(data.map(({ missing }) => missing))).toEqual(parts);
    for (const { calls, rejected, last_at } of data) {
      expect([calls, rejected > 0]).toEqual([0, true]);
      expect(Date.parse(last_at)).toBeGreaterThan(Date.parse(before));
    }
  });

  test('what nobody asked for, what is priced, and a model without prices are not rejected', async () => {
    const fine: Array<[string, Record<string, unknown>]> = [
      [chat, chatOf({ service_tier: 'auto' })],
      [chat, chatOf({ service_tier: 'default', tools: [tool] })],
      [chat, chatOf({ service_tier: 'priority' }, 'no-prices')],
      [responses, responseOf({ service_tier: 'auto', tools: [{ type: 'function', name: 'own' }] })],
      [messages, messageOf({ service_tier: 'standard_only' })],
      [
        messages,
        messageOf({ system: [{ type: 'text', text: 'S', cache_control: ephemeral() }] }, 'lifetimes'),
      ],
      ['/v1/images/generations', { model: 'sized', prompt: 'A cat', size: '1024x1024', quality: 'low' }],
    ];
    for (const [path, body] of fine) {
      const reply = await send(path, body);
      expect([path, body, reply.status, reply.status === 200 ? '' : await reply.text()]).toEqual([
        path,
        body,
        200,
        '',
      ]);
    }
  });

  test('a route that leaves the part out serves the call, and no other one gets it', async () => {
    const sent = gateway.simulator.calls.length;
    // Web search is optional: a translation leaves it out.
    for (let i = 0; i < 6; i++) {
      const reply = await send(responses, responseOf({ tools: [{ type: 'web_search' }] }, 'two-dialects'));
      expect(reply.status).toBe(200);
    }
    const paths = gateway.simulator.calls.slice(sent).map(({ path }) => path);
    expect(new Set(paths)).toEqual(new Set(['/v1/messages']));
  });

  test('a fallback without the price is not used, and the error is that of the model that was asked', async () => {
    const asked = await send(chat, chatOf({ service_tier: 'priority' }, 'falls'));
    expect([asked.status, ((await asked.json()) as Answer).type]).toEqual([502, 'upstream_error']);
    expect((await send(chat, chatOf({}, 'falls'))).status).toBe(200);
  });

  test('an alias is the model that it names', async () => {
    await gateway.admin('aliases.set', { space: 'acme', alias: 'mine', model: 'plain' });
    const reply = await send(chat, chatOf({ service_tier: 'priority' }, 'mine'));
    expect(((await reply.json()) as Answer).detail).toContain('the model plain');
  });

  test('a line of a batch is rejected at the upload, naming its row and field', async () => {
    const line = { custom_id: 'a', method: 'POST', url: responses };
    const body = {
      model: 'plain',
      input: 'Hello',
      service_tier: 'default',
      tools: [{ type: 'web_search' }],
    };
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([`${JSON.stringify({ ...line, body })}\n`]), 'batch.jsonl');
    const reply = await fetch(`${gateway.url}/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}` },
      body: form,
    });
    const answer = (await reply.json()) as Answer;
    expect([reply.status, answer.type]).toEqual([400, 'invalid_line']);
    expect(answer.error.rows).toEqual([{ row: 1, reason: 'price_missing', field: 'body.tools[0].type' }]);
  });

  test('a space that may ask for it gets it, and its calls have an unknown cost that counts at the standard price', async () => {
    await gateway.admin('spaces.create', { name: 'free', overage: true });
    const { key } = await gateway.admin('keys.create', { name: 'free', space: 'free', kind: 'shared' });
    const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 };
    const served = { wire: 'chat', answer: { usage, service_tier: 'priority' } };
    gateway.simulator.answers.set('served', exactAnswer(served as never));
    const asked = [{ role: 'user', content: '[[say served]]' }];
    const call = (): Promise<Response> =>
      gateway.chat(chatOf({ service_tier: 'priority', messages: asked }), {
        authorization: `Bearer ${key}`,
      });
    expect((await call()).status).toBe(400);
    await gateway.admin('spaces.unpriced', { space: 'free', allowed: true });
    const reply = await call();
    expect(reply.status).toBe(200);
    const { estimated_cost } = (await reply.json()) as { estimated_cost: unknown };
    expect(estimated_cost).toBeNull();
    expect((await gateway.admin('spaces.get', { space: 'free' })).reserved).toBe('0.002');
    await gateway.admin('spaces.unpriced', { space: 'free', allowed: false });
    expect((await call()).status).toBe(400);
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
  });
});
