/** Chat calls to a model on Bedrock: signed, translated there and back, priced and recorded like any other. */
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawColour } from '../../simulator/brain/colours.ts';
import { countTokens } from '../../simulator/brain/tokens.ts';
import { sql } from '../../src/database/sql.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const provider = (key: string): string =>
  `{ dialect: bedrock, base_url: SIMULATOR_ORIGIN, region: eu-west-3, api_key: "${key}", simulated: true }`;
const all = '[vision, tools, json_mode, streaming]';
const config = `
server: { fetch_allow: [example.com] }
providers:
  signed: ${provider('AKIDSIMULATED:simulator-key')}
  lent: ${provider('ASIASIMULATED:simulator-key:a-session-token==')}
  bearer: ${provider('simulator-key')}
  locked: ${provider('AKIDSIMULATED:another-secret')}
models:
  sim-nova: { capabilities: ${all}, routes: [{ provider: signed, model: "sim-nova-v1:0" }] }
  sim-lent: { capabilities: ${all}, routes: [{ provider: lent, model: sim-chat }] }
  sim-bearer: { capabilities: ${all}, routes: [{ provider: bearer, model: sim-chat }] }
  sim-locked: { capabilities: ${all}, routes: [{ provider: locked, model: sim-chat }] }
  sim-small: { capabilities: ${all}, routes: [{ provider: signed, model: sim-small-context }] }
  sim-limited: { capabilities: [streaming], routes: [{ provider: signed, model: sim-fault-error-429 }] }
  sim-busy: { capabilities: [streaming], routes: [{ provider: signed, model: sim-fault-error-503 }] }
prices:
  version: test-1
  models:
    sim-nova: { input: 2.5, cached_input: 0.25, cache_write: 3, output: 10 }
`;

describe.each(oneEngine('embedded', 'translation'))('chat with Bedrock on %s', (engine) => {
  let gateway: TestGateway;
  let openai: OpenAI;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
  });
  afterAll(() => gateway.stop());

  const ask = (content: unknown, more: object = {}): Record<string, unknown> => ({
    model: 'sim-nova',
    messages: [{ role: 'user', content }],
    ...more,
  });

  async function refusal(body: object): Promise<{ status: number; type: string; detail: string }> {
    const reply = await gateway.chat(body);
    return { status: reply.status, ...((await reply.json()) as { type: string; detail: string }) };
  }

  async function callRow(id: string | null): Promise<Record<string, unknown>> {
    const [row] = await gateway.query<Record<string, unknown>>(sql`select * from calls where id = ${id}`);
    if (row === undefined) throw new Error(`no call ${id}`);
    return row;
  }

  test('an answer has its text, and costs what Bedrock counted, the cache beside the input', async () => {
    const system = '[[cached 4]] [[cache-write 3]] Be exact, be brief, be on time.';
    const content = 'Reply with exactly: 잘 됩니다';
    const { data, response } = await openai.chat.completions
      .create({
        model: 'sim-nova',
        messages: [
          { role: 'system', content: system },
          { role: 'user', content },
        ],
      })
      .withResponse();
    expect(data.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: '잘 됩니다' } });
    const { prompt_tokens: input = 0, completion_tokens: output = 0 } = data.usage ?? {};
    expect(input).toBe(countTokens(system) + countTokens(content));
    expect(data.usage).toMatchObject({ prompt_tokens_details: { cached_tokens: 4 } });
    const row = await callRow(response.headers.get('x-request-id'));
    expect(row).toMatchObject({ outcome: 'completed', usage_source: 'provider', finish_reason: 'end_turn' });
    expect([row.input_tokens, row.output_tokens].map(Number)).toEqual([input, output]);
    const expected = 2.5 * (input - 7) + 0.25 * 4 + 3 * 3 + 10 * output;
    expect(Number(row.cost)).toBeCloseTo(expected / 1e6, 12);
    expect(gateway.simulator.calls.at(-1)).toMatchObject({
      path: '/model/sim-nova-v1%3A0/converse',
      model: 'sim-nova-v1:0',
    });
  });

  test('a stream says the same as a whole answer, and costs the same', async () => {
    const body = ask('Tell me about 서울 in 30 words');
    const whole = (await (await gateway.chat(body)).json()) as OpenAI.ChatCompletion & Costed;
    const stream = await openai.chat.completions.create({
      ...(body as unknown as OpenAI.ChatCompletionCreateParams),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: Array<OpenAI.ChatCompletionChunk & Costed> = [];
    for await (const chunk of stream) chunks.push(chunk);
    const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      usage: whole.usage,
      estimated_cost: whole.estimated_cost,
    });
  });

  test('a stream is read the same wherever its bytes are cut', async () => {
    const reply = await gateway.chat(
      ask('[[fault crlf]] Reply with exactly: 하나 둘 셋 🙂', { stream: true }),
    );
    const deltas = [...(await reply.text()).matchAll(/"content":("[^"]*")/g)].map(([, text]) => text);
    expect(deltas.map((text) => JSON.parse(text as string)).join('')).toBe('하나 둘 셋 🙂');
  });

  test('calls are signed by lent keys too, and Bedrock’s own keys are sent as they are', async () => {
    for (const model of ['sim-lent', 'sim-bearer']) {
      for (const stream of [false, true]) {
        const reply = await gateway.chat(ask('Reply with exactly: ok', { model, stream }));
        expect([reply.status, (await reply.text()).includes('ok')]).toEqual([200, true]);
      }
    }
    const { headers } = gateway.simulator.calls.at(-1) as { headers: Record<string, unknown> };
    expect(headers.authorization).toBe('Bearer simulator-key');
    expect(headers).not.toHaveProperty('x-amz-date');
  });

  test('tools are called, streamed or not, and answered', async () => {
    const model = 'sim-nova';
    const tools = ['get_weather', 'get_time'].map((name) => ({
      type: 'function' as const,
      function: { name, parameters: weather },
    }));
    const question = { role: 'user' as const, content: 'Use get_weather and get_time for Seoul' };
    for (const stream of [false, true]) {
      const asked = { model, messages: [question], tools };
      const { choices } = stream
        ? await openai.chat.completions.stream(asked).finalChatCompletion()
        : await openai.chat.completions.create(asked);
      expect(choices[0]?.finish_reason).toBe('tool_calls');
      const calls = (choices[0]?.message.tool_calls ?? []) as OpenAI.ChatCompletionMessageFunctionToolCall[];
      expect(calls.map((call) => call.function.name)).toEqual(['get_weather', 'get_time']);
      expect(JSON.parse(calls[0]?.function.arguments ?? '')).toHaveProperty('city');
      const results = calls.map(({ id }, i) => ({
        role: 'tool' as const,
        tool_call_id: id,
        content: `result ${i}`,
      }));
      const answered = await openai.chat.completions.create({
        ...asked,
        messages: [question, { role: 'assistant', tool_calls: calls }, ...results],
      });
      expect(answered.choices[0]?.message.content).toBe('The tool answered: result 0\nresult 1');
    }
  });

  test('images are seen, a cap and a stop sequence are kept to', async () => {
    const image = {
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${drawColour('red').toString('base64')}` },
    };
    const seen = await (await gateway.chat(ask([{ type: 'text', text: 'Which colour?' }, image]))).json();
    expect(seen).toMatchObject({ choices: [{ message: { content: 'The image is mostly red.' } }] });
    const capped = await (await gateway.chat(ask('50 words, please', { max_tokens: 8 }))).json();
    expect(capped).toMatchObject({ choices: [{ finish_reason: 'length' }] });
    const stopped = await gateway.chat(ask('Reply with exactly: one two three', { stop: ' two' }));
    expect(await stopped.json()).toMatchObject({
      choices: [{ message: { content: 'one' }, finish_reason: 'stop' }],
    });
    const filtered = await (await gateway.chat(ask('[[filter]]', { stream: true }))).text();
    expect(filtered).toContain('"finish_reason":"content_filter"');
  });

  test('errors come in our words, without a word of the provider', async () => {
    expect(await refusal(ask('x '.repeat(3_000), { model: 'sim-small' }))).toMatchObject({
      status: 400,
      type: 'context_length_exceeded',
    });
    const locked = await refusal(ask('Hi', { model: 'sim-locked' }));
    expect(locked).toMatchObject({ status: 502, type: 'upstream_error' });
    expect(locked.detail).toMatch(/operator/);
    expect(await refusal(ask('Hi', { model: 'sim-limited' }))).toMatchObject({ type: 'rate_limit_exceeded' });
    expect(await refusal(ask('Hi', { model: 'sim-busy' }))).toMatchObject({ type: 'upstream_unavailable' });
    const leaked = await refusal(ask('[[fault secret-leak]]'));
    expect(leaked.type).toBe('invalid_parameter');
    expect(leaked.detail).not.toMatch(/bedrock|amazon|simulat|org-|https|Signature=[0-9a-f]/i);
  });

  test('what Converse has no word for is refused by its name in the request', async () => {
    const params = [];
    for (const body of [
      ask('Hi', { seed: 1 }),
      ask('Hi', { n: 2 }),
      ask('Hi', { response_format: { type: 'json_object' } }),
      ask('Hi', { top_k: 3 }),
    ]) {
      const { error } = (await (await gateway.chat(body)).json()) as { error: { param: string } };
      params.push(error.param);
    }
    expect(params).toEqual(['seed', 'n', 'response_format', 'top_k']);
  });

  test('a stream that breaks ends in an error frame, and what was said so far is charged', async () => {
    const faults = ['cut-stream', 'cut-frame', 'error-in-stream', 'invalid-sse', 'end-without-done'];
    for (const fault of faults) {
      const reply = await gateway.chat(ask(`[[fault ${fault}]] 40 words`, { stream: true }));
      const text = await reply.text();
      expect(text).not.toContain('[DONE]');
      expect(text.trimEnd().split('\n').at(-1)).toMatch(/"type":"upstream_(?:error|unavailable)"/);
      const row = await callRow(reply.headers.get('x-request-id'));
      expect(row).toMatchObject({ outcome: 'partial', usage_source: 'estimated' });
      expect(Number(row.output_tokens)).toBeGreaterThan(0);
    }
  });

  test('counts that cannot be true are replaced by our own, and say so', async () => {
    for (const fault of ['missing-usage', 'absurd-usage']) {
      for (const stream of [false, true]) {
        const reply = await gateway.chat(ask(`[[fault ${fault}]] Reply with exactly: fine`, { stream }));
        expect(await reply.text()).toContain('fine');
        const row = await callRow(reply.headers.get('x-request-id'));
        expect(row).toMatchObject({ outcome: 'completed', usage_source: 'estimated' });
      }
    }
  });
});

interface Costed {
  estimated_cost?: { amount: string };
}

const weather = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'number' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
};
