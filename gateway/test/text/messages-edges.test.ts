/** The edges of the messages format: headers, keys, errors, and what passes unread to its own dialect. */
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { ask, callRow, messagesConfig, refusal, send, weather } from '../support/messages-stage.ts';

let gateway: TestGateway;
let client: Anthropic;

beforeAll(async () => {
  gateway = await startGateway({ config: messagesConfig });
  client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());

describe('a call in the messages format', () => {
  test('a cache is shown and priced as the provider counts it', async () => {
    const { data, response } = await client.messages
      .create(ask('sim-claude', 'Hi', { system: '[[cached 8]] Be exact, be brief, be on time, be kind.' }))
      .withResponse();
    expect(data.usage.cache_read_input_tokens).toBe(8);
    const { input_tokens: input, output_tokens: output } = data.usage;
    const row = await callRow(gateway, response.headers.get('request-id'));
    expect(Number(row.cost)).toBeCloseTo((3 * input + 0.3 * 8 + 15 * output) / 1e6, 12);
  });

  test('thoughts come with their signature, also through a stream, and are believed when they come back', async () => {
    const thinking = { thinking: { type: 'enabled', budget_tokens: 1_024 }, tools: [weather] };
    const question = ask('sim-claude', 'Use get_weather', thinking);
    const streamed = await client.messages.stream(question).finalMessage();
    for (const answer of [streamed, await client.messages.create(question)]) {
      const [thought, call] = answer.content;
      expect(thought).toMatchObject({ type: 'thinking', signature: expect.stringMatching(/./) });
      const id = call?.type === 'tool_use' ? call.id : '';
      const result = { type: 'tool_result' as const, tool_use_id: id, content: 'rain' };
      const next = await client.messages.create({
        ...question,
        messages: [
          ...question.messages,
          { role: 'assistant', content: answer.content },
          { role: 'user', content: [result] },
        ],
      });
      expect(JSON.stringify(next.content)).toContain('rain');
    }
  });

  test('a body passes to its own dialect as it came, with nothing of the headers but the beta', async () => {
    const body = ask('sim-claude', 'Hi', {
      ...{ output_format: { type: 'json_schema', schema: { type: 'object', additionalProperties: false } } },
      ...{ inference_geo: 'us', metadata: { user_id: 'u' } },
    });
    const beta = 'structured-outputs-2025-11-13';
    const own = { 'vendor-version': '2026-10-21', 'anthropic-beta': beta, 'x-mine': 'secret' };
    const reply = await send(gateway, body, own);
    expect(reply.status).toBe(200);
    const call = gateway.simulator.calls.at(-1);
    expect(call?.text).toBe(JSON.stringify(body).replace('sim-claude', 'sim-up'));
    expect(call?.headers).toMatchObject({ 'anthropic-beta': beta, 'anthropic-version': '2023-06-01' });
    expect(JSON.stringify(call?.headers)).not.toMatch(/secret|sk_/);
    await send(gateway, ask('sim-claude', 'Hi'));
    expect(gateway.simulator.calls.at(-1)?.headers).not.toHaveProperty('anthropic-beta');
  });

  test('a provider is found with and without /v1 at the end of its address', async () => {
    expect((await send(gateway, ask('sim-claude-v1', 'Hi'))).status).toBe(200);
  });

  test.each([
    ['top_k', { top_k: 5 }, 'top_k: Extra inputs are not permitted'],
    ['inference_geo', { inference_geo: 'us' }, 'inference_geo: Extra inputs are not permitted'],
    [
      'tools[0].type',
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      "tools.0.type: Input should not be 'web_search_20250305'",
    ],
  ])('a translated call is refused in the form of the provider: %s', async (param, more, words) => {
    const refused = await refusal(await send(gateway, ask('sim-chat', 'Hi', more)));
    expect(refused).toMatchObject({ status: 400, type: 'invalid_parameter', error: { param } });
    expect(refused.detail).toContain(words);
  });

  test('the version is asked for by name, under either name, as any date', async () => {
    const body = ask('sim-chat', 'Hi');
    for (const headers of [{}, { 'vendor-version': 'latest' }, { 'anthropic-version': '1' }]) {
      const refused = await refusal(await send(gateway, body, headers as Record<string, string>));
      expect(refused).toMatchObject({ status: 400, type: 'invalid_parameter' });
      expect(refused.detail).toContain('vendor-version: 2023-06-01');
    }
    for (const name of ['vendor-version', 'anthropic-version'])
      expect((await send(gateway, body, { [name]: '2031-01-31' })).status).toBe(200);
    const count = await gateway.post('/v1/messages/count_tokens', body);
    expect((await refusal(count)).detail).toContain('vendor-version');
  });

  test('a beta that cannot be a header is refused', async () => {
    const headers = { 'vendor-version': '2023-06-01', 'anthropic-beta': 'b'.repeat(1_001) };
    expect(await refusal(await send(gateway, ask('sim-claude', 'Hi'), headers))).toMatchObject({
      ...{ status: 400, error: { param: 'anthropic-beta' } },
    });
  });

  test('the key is taken from x-api-key or as a bearer token, and from nowhere else', async () => {
    const call = (headers: Record<string, string>) =>
      fetch(`${gateway.url}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
        body: JSON.stringify(ask('sim-chat', 'Hi')),
      });
    expect((await call({ 'x-api-key': gateway.key })).status).toBe(200);
    expect((await call({ authorization: `Bearer ${gateway.key}` })).status).toBe(200);
    expect(await refusal(await call({}))).toMatchObject({ status: 401, type: 'missing_credentials' });
    expect(await refusal(await call({ 'x-api-key': 'sk_x' }))).toMatchObject({
      ...{ status: 401, type: 'invalid_credentials' },
    });
  });

  test('the official client can read every error: its kind, its words and its reference', async () => {
    const error = await client.messages.create(ask('sim-cluade', 'Hi')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.NotFoundError);
    expect(error).toMatchObject({
      status: 404,
      type: 'model_not_found',
      requestID: expect.stringMatching(/^req_/),
    });
    expect((error as Error).message).toContain('Did you mean sim-claude?');
    const roles = { messages: [{ role: 'developer', content: 'Be kind.' }] };
    await expect(client.messages.create(ask('sim-claude', '', roles))).rejects.toThrow(/Unexpected role/);
    await expect(client.messages.create(ask('sim-claude', '', { temperature: 1.5 }))).rejects.toThrow(
      /temperature/,
    );
    await expect(client.messages.create(ask('chat-only', 'Hi'))).rejects.toThrow(
      /does not support \/v1\/messages/,
    );
    const tools = [{ name: 'f' }];
    await expect(client.messages.create(ask('sim-claude', 'Hi', { tools }))).rejects.toThrow(
      /tool_format_invalid/,
    );
  });

  test.each([
    ['error-400', 400, 'invalid_parameter'],
    ['error-401', 502, 'upstream_error'],
    ['error-429', 429, 'rate_limit_exceeded'],
    ['error-529', 503, 'upstream_unavailable'],
    ['not-json', 502, 'upstream_error'],
  ])(
    "the provider's %s is ours by name and status, without its own words for itself",
    async (fault, status, type) => {
      const reply = await send(gateway, ask(`sim-fault-${fault}`, 'Hi'));
      const refused = await refusal(reply);
      expect(refused).toMatchObject({ status, type });
      expect(JSON.stringify(refused)).not.toMatch(/anthropic|claude|simulator-key/i);
    },
  );

  test('a base URL without its /v1 gets an error that says so', async () => {
    for (const path of ['/messages', '/chat/completions', '/models']) {
      const refused = await refusal(await gateway.post(path, {}));
      expect(refused).toMatchObject({ status: 404, detail: expect.stringContaining(`/v1${path}`) });
    }
    const twice = await refusal(await gateway.post('/v1/v1/messages', {}));
    expect(twice.detail).toContain('remove one /v1');
  });
});
