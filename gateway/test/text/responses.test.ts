/** Responses through the real server: passed on, translated, and the other formats on a provider of it. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { checkChatCompletion, checkResponse, checkResponseEvent } from '../support/openai-schemas.ts';
import { eventsIn, type StreamedEvent, sdkResponse } from '../support/responses-transcripts.ts';

const everything = '[vision, tools, json_mode, json_schema, streaming]';
const config = testConfig({
  providers: `  compatible: { dialect: openai-compatible, base_url: SIMULATOR, api_key: simulator-key }
  newer: { dialect: openai-responses, base_url: SIMULATOR, api_key: simulator-key }`,
  models: `  translated: { output_cap_field: max_completion_tokens, capabilities: ${everything}, routes: [{ provider: compatible, model: sim-chat }] }
  newer: { capabilities: ${everything}, routes: [{ provider: newer, model: sim-responses-only }] }
  pictures: { capabilities: [streaming, image_output], routes: [{ provider: compatible, model: sim-image-chat }] }
  chat-only: { endpoints: [chat], capabilities: ${everything}, routes: [{ provider: simulator, model: sim-chat }] }`,
});

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ config });
});
afterAll(() => gateway.stop());

type Body = Record<string, unknown>;
const tool = { type: 'function', name: 'get_time', parameters: { type: 'object', properties: {} } };

async function respond(body: Body): Promise<Body> {
  const reply = await gateway.post('/v1/responses', body);
  const answer = (await reply.json()) as Body;
  expect(reply.status, JSON.stringify(answer)).toBe(200);
  return answer;
}

async function stream(body: Body): Promise<StreamedEvent[]> {
  const reply = await gateway.post('/v1/responses', { ...body, stream: true });
  expect(reply.headers.get('content-type')).toContain('text/event-stream');
  return eventsIn(Buffer.from(await reply.arrayBuffer()).toString('latin1'));
}

describe.each(['sim-chat', 'translated', 'newer'])('a response of %s', (model) => {
  test.each<[string, Body]>([
    ['text', { input: 'Reply with exactly: 안녕 👋' }],
    ['a call', { input: 'get_time', tools: [tool] }],
    ['a schema', { input: 'x', response_format: { type: 'json_object' }, instructions: 'Answer in JSON.' }],
    ['a cut answer', { input: 'Write 200 words.', max_output_tokens: 16 }],
    ['a filtered answer', { input: '[[filter]]' }],
    ['a refusal', { input: '[[refuse]]' }],
  ])('with %s fits the published schemas, whole and streamed', async (_, body) => {
    const whole = await respond({ model, ...body });
    checkResponse(whole);
    const events = await stream({ model, ...body });
    for (const event of events) checkResponseEvent(event);
    const last = events.at(-1)?.response ?? {};
    expect(await sdkResponse(events)).toMatchObject({ status: whole.status });
    expect(whole).toMatchObject({ model, store: true, object: 'response' });
    expect(last.id).not.toBe(whole.id);
    const kinds = (output: unknown): string[] => (output as Body[]).map(({ type }) => String(type));
    expect(kinds(last.output)).toEqual(kinds(whole.output));
    expect(last).toMatchObject({ model, status: whole.status, incomplete_details: whole.incomplete_details });
  });

  test('takes the result of a call and answers with it', async () => {
    const input: unknown[] = [{ role: 'user', content: 'get_time' }];
    const { output } = await respond({ model, input, tools: [tool], store: false });
    const called = (output as Body[]).find(({ type }) => type === 'function_call');
    const result = { type: 'function_call_output', call_id: called?.call_id, output: 'half past nine' };
    const answer = await respond({ model, input: [...input, ...(output as Body[]), result], tools: [tool] });
    expect(JSON.stringify(answer.output)).toContain('half past nine');
  });

  test('can be given back its own reasoning', async () => {
    const reasoning = { effort: 'high', summary: 'auto' };
    const question = { role: 'user', content: '[[think]] Reply with exactly: a' };
    const { output } = await respond({ model, input: [question], reasoning, store: false });
    expect((output as Body[]).map(({ type }) => type)).toContain('reasoning');
    const again = { role: 'user', content: 'Reply with exactly: b' };
    await respond({ model, input: [question, ...(output as Body[]), again], reasoning, store: false });
  });
});

describe('usage and cost', () => {
  test('stand in a whole response and in the event that ends a stream, and are the same', async () => {
    const body = { model: 'sim-chat', input: 'Reply with exactly: yes' };
    const { usage, estimated_cost: cost } = await respond(body);
    expect(cost).toMatchObject({ currency: 'unit', amount: expect.stringMatching(/^0\.\d+$/) });
    expect((await stream(body)).at(-1)?.response).toMatchObject({ usage, estimated_cost: cost });
  });

  test('of a model without a price say that it is not known', async () => {
    expect(await respond({ model: 'unpriced', input: 'x' })).toHaveProperty('estimated_cost', null);
    const end = (await stream({ model: 'unpriced', input: 'x' })).at(-1);
    expect(end?.response).not.toHaveProperty('estimated_cost');
  });
});

describe('a failure', () => {
  test.each(['sim-chat', 'newer'])('in the midst of a stream of %s is its last event', async (model) => {
    const events = await stream({ model, input: '[[fail]] Write 50 words.' });
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      error_ref: expect.stringMatching(/^req_/),
      response: { status: 'failed', error: { code: 'upstream_error' } },
    });
  });

  test('before the answer is an error like any other', async () => {
    const reply = await gateway.post('/v1/responses', { model: 'sim-chat', input: '[[fail]] x' });
    expect([reply.status, ((await reply.json()) as Body).type]).toEqual([502, 'upstream_error']);
  });

  test.each<[string, Body, number, string]>([
    ['a model without the endpoint', { model: 'chat-only', input: 'x' }, 400, 'responses_not_supported'],
    ['an unknown model', { model: 'nope', input: 'x' }, 404, 'model_not_found'],
    [
      'a tool that is none',
      { model: 'sim-chat', input: 'x', tools: [{ type: 'function' }] },
      400,
      'tool_format_invalid',
    ],
    [
      'a field that has no translation',
      { model: 'translated', input: 'x', truncation: 'auto' },
      400,
      'invalid_parameter',
    ],
    [
      'an image for a model without eyes',
      {
        model: 'sim-text-only',
        input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://x/y.png' }] }],
      },
      400,
      'vision_not_supported',
    ],
  ])('by %s has a code of its own', async (_, body, status, code) => {
    const reply = await gateway.post('/v1/responses', body);
    expect([reply.status, ((await reply.json()) as Body).type]).toEqual([status, code]);
  });
});

test('an image of a chat model is the result of a generation', async () => {
  const { output } = await respond({ model: 'pictures', input: 'Draw it red.' });
  expect(output).toContainEqual(
    expect.objectContaining({
      type: 'image_generation_call',
      status: 'completed',
      result: expect.any(String),
    }),
  );
});

describe('chat on a provider that has only responses', () => {
  const messages = [{ role: 'user', content: 'get_time' }];
  const tools = [{ type: 'function', function: { name: 'get_time', parameters: tool.parameters } }];

  test('answers as chat does', async () => {
    const reply = await gateway.chat({ model: 'newer', messages, tools });
    const answer = (await reply.json()) as Body;
    checkChatCompletion(answer);
    expect(answer).toMatchObject({
      choices: [
        { finish_reason: 'tool_calls', message: { tool_calls: [{ function: { name: 'get_time' } }] } },
      ],
    });
  });

  test('refuses by its own name what cannot be carried', async () => {
    const reply = await gateway.chat({ model: 'newer', messages, stop: ['x'] });
    expect([reply.status, await reply.json()]).toMatchObject([400, { error: { param: 'stop' } }]);
  });
});
