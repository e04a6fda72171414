/** Chat calls to a model at Anthropic: translated there and back, priced and recorded like any other. */
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseUnits, printUnits } from '../../src/kernel/units.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { callRow, messagesConfig, refusal, weather } from '../support/messages-stage.ts';

let gateway: TestGateway;
let openai: OpenAI;

beforeAll(async () => {
  gateway = await startGateway({ config: messagesConfig });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());

const user = (content: string) => ({ role: 'user' as const, content });
const tools = [
  {
    type: 'function' as const,
    function: { name: weather.name, description: weather.description, parameters: weather.input_schema },
  },
];

describe('chat with Claude', () => {
  test('an answer has its text, and costs what Anthropic counted, cache included', async () => {
    const system = {
      role: 'system' as const,
      content: '[[cached 8]] Be exact, be brief, be on time, be kind.',
    };
    const { data, response } = await openai.chat.completions
      .create({ model: 'sim-claude', messages: [system, user('Reply with exactly: 됩니다')] })
      .withResponse();
    expect(data).toMatchObject({
      model: 'sim-claude',
      choices: [{ message: { content: '됩니다' }, finish_reason: 'stop' }],
      usage: { prompt_tokens_details: { cached_tokens: 8 } },
    });
    const { prompt_tokens: input = 0, completion_tokens: output = 0 } = data.usage ?? {};
    const row = await callRow(gateway, response.headers.get('x-request-id'));
    expect(row).toMatchObject({ outcome: 'completed', usage_source: 'provider', endpoint: 'chat' });
    expect(Number(row.cost)).toBeCloseTo((3 * (input - 8) + 0.3 * 8 + 15 * output) / 1e6, 12);
  });

  test('a stream ends with usage and the charged cost', async () => {
    const { data, response } = await openai.chat.completions
      .create({
        ...{ model: 'sim-claude', messages: [user('Reply with exactly: 하나 둘 셋')] },
        ...{ stream: true as const, stream_options: { include_usage: true } },
      })
      .withResponse();
    const chunks = [];
    for await (const chunk of data) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('하나 둘 셋');
    const { cost } = await callRow(gateway, response.headers.get('x-request-id'));
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      usage: { completion_tokens: expect.any(Number) },
      estimated_cost: { amount: printUnits(parseUnits(cost)) },
    });
  });

  test('a loop of tools goes round, also with effort, though chat cannot bring the thoughts back', async () => {
    const question = {
      ...{ model: 'sim-claude', tools, reasoning_effort: 'low' as const },
      messages: [user('Use get_weather')] as OpenAI.ChatCompletionMessageParam[],
    };
    const called = await openai.chat.completions.create(question);
    const [choice] = called.choices;
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: { reasoning_content: expect.any(String), tool_calls: [{ function: { name: 'get_weather' } }] },
    });
    const [call] = choice?.message.tool_calls ?? [];
    if (choice === undefined || call === undefined) throw new Error('no call');
    const result = { role: 'tool' as const, tool_call_id: call.id, content: 'rain' };
    const messages = [...question.messages, choice.message, result];
    const next = await openai.chat.completions.create({ ...question, messages });
    expect(next.choices[0]?.message.content).toContain('rain');
  });

  test('JSON comes by its schema', async () => {
    const schema = { ...weather.input_schema, additionalProperties: false };
    const shaped = await openai.chat.completions.create({
      ...{ model: 'sim-claude', messages: [user('The weather')] },
      response_format: { type: 'json_schema', json_schema: { name: 'weather', schema } },
    });
    expect(JSON.parse(shaped.choices[0]?.message.content ?? '')).toHaveProperty('city');
  });

  test.each([
    ['n', { n: 2 }],
    ['seed', { seed: 1 }],
    ['temperature', { temperature: 1.5 }],
    ['response_format', { response_format: { type: 'json_object' } }],
  ])('what Anthropic has no word for is refused by the name chat has for it: %s', async (param, more) => {
    const reply = await gateway.chat({ model: 'sim-claude', messages: [user('Hi')], ...more });
    expect(await refusal(reply)).toMatchObject({ status: 400, type: 'invalid_parameter', error: { param } });
  });

  test('an error during a stream has the shape of a chat error', async () => {
    const messages = [user('Write 60 words [[fault error-in-stream]]')];
    const text = await (await gateway.chat({ model: 'sim-claude', messages, stream: true })).text();
    expect(text).toContain('"type":"upstream_unavailable"');
    expect(text).not.toContain('[DONE]');
  });
});
