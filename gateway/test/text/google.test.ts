/** Chat calls to a model at Google: translated there and back, priced and recorded like any other. */
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const everything = '[vision, tools, json_mode, json_schema, streaming]';
const config = `
providers:
  gemini: { dialect: google, base_url: SIMULATOR_ORIGIN/v1beta, api_key: simulator-key, simulated: true }
  locked: { dialect: google, base_url: SIMULATOR_ORIGIN/v1beta, api_key: another-key, simulated: true }
models:
  sim-gemini: { capabilities: ${everything}, routes: [{ provider: gemini, model: sim-chat }] }
  sim-signed: { capabilities: ${everything}, routes: [{ provider: gemini, model: sim-signed-calls }] }
  sim-small: { capabilities: ${everything}, routes: [{ provider: gemini, model: sim-small-context }] }
  sim-draws: { capabilities: [streaming, image_output], routes: [{ provider: gemini, model: sim-image-chat }] }
  sim-limited: { capabilities: [streaming], routes: [{ provider: gemini, model: sim-fault-error-429 }] }
  sim-busy: { capabilities: [streaming], routes: [{ provider: gemini, model: sim-fault-error-503 }] }
  sim-locked: { capabilities: ${everything}, routes: [{ provider: locked, model: sim-chat }] }
prices:
  version: test-1
  models:
    sim-gemini: { input: 2.5, cached_input: 0.25, output: 10 }
`;

describe.each(oneEngine('postgres', 'translation'))('chat with Gemini on %s', (engine) => {
  let gateway: TestGateway;
  let openai: OpenAI;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
  });
  afterAll(() => gateway.stop());

  const ask = (content: string, more: object = {}): Record<string, unknown> => ({
    model: 'sim-gemini',
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

  test('an answer has its text, and costs what Google counted, thoughts and cache included', async () => {
    const { data, response } = await openai.chat.completions
      .create({
        model: 'sim-gemini',
        messages: [
          { role: 'system', content: '[[cached 4]] Be exact, be brief, be on time.' },
          { role: 'user', content: 'Reply with exactly: 잘 됩니다' },
        ],
      })
      .withResponse();
    expect(data.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: '잘 됩니다' } });
    const { prompt_tokens: input = 0, completion_tokens: output = 0 } = data.usage ?? {};
    expect(data.usage).toMatchObject({ prompt_tokens_details: { cached_tokens: 4 } });
    expect(data.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
    const row = await callRow(response.headers.get('x-request-id'));
    expect(row).toMatchObject({ outcome: 'completed', usage_source: 'provider', finish_reason: 'STOP' });
    expect([row.input_tokens, row.output_tokens].map(Number)).toEqual([input, output]);
    expect(Number(row.cost)).toBeCloseTo((2.5 * (input - 4) + 0.25 * 4 + 10 * output) / 1e6, 12);
    expect(gateway.simulator.calls.at(-1)).toMatchObject({ path: '/v1beta/models/sim-chat:generateContent' });
  });

  test('a stream says the same as a whole answer, and costs the same', async () => {
    const body = ask('Tell me about 서울 in 30 words', { seed: 7 });
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
    expect(gateway.simulator.calls.at(-1)).toMatchObject({
      path: '/v1beta/models/sim-chat:streamGenerateContent',
      query: 'alt=sse',
    });
  });

  test.each(['sim-gemini', 'sim-signed'])(
    'tools of %s are called, streamed or not, and answered',
    async (model) => {
      const tools = ['get_weather', 'get_time'].map((name) => ({
        type: 'function' as const,
        function: { name, parameters: weather },
      }));
      const question = { role: 'user' as const, content: 'Use get_weather and get_time for Seoul' };
      for (const stream of [false, true]) {
        const runner = stream
          ? openai.chat.completions.stream({ model, messages: [question], tools })
          : {
              finalChatCompletion: () =>
                openai.chat.completions.create({ model, messages: [question], tools }),
            };
        const called = (await runner.finalChatCompletion()).choices[0];
        expect(called?.finish_reason).toBe('tool_calls');
        const calls = (called?.message.tool_calls ?? []) as OpenAI.ChatCompletionMessageFunctionToolCall[];
        expect(calls.map((call) => call.function.name)).toEqual(['get_weather', 'get_time']);
        expect(JSON.parse(calls[0]?.function.arguments ?? '')).toHaveProperty('city');
        expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
        const results = calls.map(({ id }, i) => ({
          role: 'tool' as const,
          tool_call_id: id,
          content: `result ${i}`,
        }));
        const answered = await openai.chat.completions.create({
          model,
          messages: [question, { role: 'assistant', tool_calls: calls }, ...results],
          tools,
        });
        expect(answered.choices[0]?.message.content).toBe('The tool answered: result 0\nresult 1');
      }
    },
  );

  test('images are drawn and seen, and a schema is kept to', async () => {
    for (const stream of [false, true]) {
      const reply = await gateway.chat(ask('A red square', { model: 'sim-draws', stream }));
      const url = /data:image\/png;base64,[A-Za-z0-9+/=]+/.exec(await reply.text())?.[0] ?? '';
      const seen = await openai.chat.completions.create({
        model: 'sim-gemini',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Which colour?' },
              { type: 'image_url', image_url: { url } },
            ],
          },
        ],
      });
      expect(seen.choices[0]?.message.content).toMatch(/red/);
    }
    const format = { type: 'json_schema', json_schema: { name: 'weather', schema: weather } };
    const reply = await gateway.chat(ask('The weather, please', { response_format: format }));
    const shaped = (await reply.json()) as OpenAI.ChatCompletion;
    expect(Object.keys(JSON.parse(shaped.choices[0]?.message.content ?? ''))).toEqual(['city', 'degrees']);
  });

  test('several answers, a cap and a stop sequence are kept to', async () => {
    const several = await (await gateway.chat(ask('Tell me', { n: 2, stream: true }))).text();
    expect(several.match(/"finish_reason":"stop"/g)).toHaveLength(2);
    const capped = await (await gateway.chat(ask('50 words, please', { max_tokens: 8 }))).json();
    expect(capped).toMatchObject({ choices: [{ finish_reason: 'length' }] });
    const stopped = await (
      await gateway.chat(ask('Reply with exactly: one two three', { stop: ' two' }))
    ).json();
    expect(stopped).toMatchObject({ choices: [{ message: { content: 'one' }, finish_reason: 'stop' }] });
  });

  test('thoughts are shown where an effort is asked for', async () => {
    const body = ask('Reply with exactly: ok', { reasoning_effort: 'low' });
    const whole = (await (await gateway.chat(body)).json()) as OpenAI.ChatCompletion;
    expect(whole.choices[0]?.message).toMatchObject({ content: 'ok', reasoning_content: expect.any(String) });
    expect(gateway.simulator.calls.at(-1)?.body).toMatchObject({
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 } },
    });
    expect(await (await gateway.chat({ ...body, stream: true })).text()).toContain('"reasoning_content":');
  });

  test('a prompt that Google refuses is an answer without content, and is charged as counted', async () => {
    for (const stream of [false, true]) {
      const reply = await gateway.chat(ask('[[block]] Tell me', { stream }));
      expect(await reply.text()).toContain('"finish_reason":"content_filter"');
      const row = await callRow(reply.headers.get('x-request-id'));
      expect(row).toMatchObject({ outcome: 'completed', usage_source: 'provider', finish_reason: 'SAFETY' });
      expect([Number(row.output_tokens), Number(row.input_tokens) > 0]).toEqual([0, true]);
    }
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
    expect(leaked.detail).not.toMatch(/google|gemini|simulator-key|org-|https/i);
  });

  test('what Google has no word for is refused by its name in the request', async () => {
    const params = [];
    for (const more of [{ stop: ['a', 'b', 'c', 'd', 'e', 'f'] }, { verbosity: 'low' }]) {
      const body = (await (await gateway.chat(ask('Hi', more))).json()) as { error: { param: string } };
      params.push(body.error.param);
    }
    expect(params).toEqual(['stop', 'verbosity']);
  });

  test('a stream that breaks ends in an error frame, and what was sent so far is charged', async () => {
    for (const fault of ['cut-stream', 'error-in-stream', 'invalid-sse', 'end-without-done']) {
      const reply = await gateway.chat(ask(`[[fault ${fault}]] 40 words`, { stream: true }));
      const text = await reply.text();
      expect(text).not.toContain('[DONE]');
      expect(text.trimEnd().split('\n').at(-1)).toMatch(/"type":"upstream_(?:error|unavailable)"/);
      const row = await callRow(reply.headers.get('x-request-id'));
      expect(row).toMatchObject({ outcome: 'partial', usage_source: 'estimated' });
      expect(Number(row.input_tokens)).toBeGreaterThan(0);
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
