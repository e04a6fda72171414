/** The first vertical slice: a chat call through every layer, on both engines. */
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { parseUnits, printUnits } from '../../src/kernel/units.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

interface CallRow {
  id: string;
  cost: string | null;
  outcome: string;
  usage_source: string;
  input_tokens: number;
  output_tokens: number;
  price_version: string | null;
}

describe.each(engines)('chat on %s', (engine) => {
  let gateway: TestGateway;
  let openai: OpenAI;

  beforeAll(async () => {
    gateway = await startGateway({ engine });
    openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
  });
  afterAll(() => gateway.stop());

  async function callRow(id: string): Promise<CallRow> {
    const [row] = await gateway.query<CallRow>(sql`select * from calls where id = ${id}`);
    if (row === undefined) throw new Error(`no call ${id}`);
    return row;
  }

  test('the official client gets an answer whose cost is the charged amount, digit for digit', async () => {
    const { data, response } = await openai.chat.completions
      .create({ model: 'sim-chat', messages: [{ role: 'user', content: 'Reply with exactly: It works' }] })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe('It works');
    expect(data.model).toBe('sim-chat');
    const row = await callRow(response.headers.get('x-request-id') as string);
    const cost = (data as unknown as { estimated_cost: { amount: string; currency: string } }).estimated_cost;
    expect(cost.currency).toBe('unit');
    expect(response.headers.get('x-tollgate-cost-units')).toBe(cost.amount);
    const expected =
      (2.5 * (data.usage?.prompt_tokens ?? 0) + 10 * (data.usage?.completion_tokens ?? 0)) / 1e6;
    expect(Number(cost.amount)).toBeCloseTo(expected, 12);
    expect(Number(row.cost)).toBe(Number(cost.amount));
    expect(row).toMatchObject({ outcome: 'completed', usage_source: 'provider', price_version: 'test-1' });
  });

  test('a stream with usage carries usage and cost once, on the frame that ends it', async () => {
    const stream = await openai.chat.completions.create({
      model: 'sim-chat',
      messages: [{ role: 'user', content: 'Reply with exactly: 하나 둘 셋' }],
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk as Chunk);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('하나 둘 셋');
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.every((chunk) => chunk.model === 'sim-chat')).toBe(true);
    const withUsage = chunks.filter((chunk) => chunk.usage);
    expect(withUsage).toEqual([chunks.at(-1)]);
    expect(chunks.at(-1)).toMatchObject({ choices: [{ delta: {}, finish_reason: 'stop' }] });
    const [row] = await gateway.query<CallRow>(
      sql`select * from calls where streamed order by id desc limit 1`,
    );
    expect(chunks.at(-1)?.estimated_cost?.amount).toBe(printUnits(parseUnits(row?.cost as string)));
    expect(row).toMatchObject({ outcome: 'completed', usage_source: 'provider' });
  });

  test('a stream without the option shows neither, and is charged all the same', async () => {
    const reply = await gateway.chat({
      model: 'sim-chat',
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    });
    const text = await reply.text();
    expect(text).not.toMatch(/usage|estimated_cost/);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const row = await callRow(reply.headers.get('x-request-id') as string);
    expect(Number(row.cost)).toBeGreaterThan(0);
  });

  test('the official client can read every error: its message, code, field and reference', async () => {
    const wrong = openai.chat.completions.create({
      model: 'sim-chta',
      messages: [{ role: 'user', content: 'x' }],
    });
    const error = await wrong.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
    expect((error as Error).message).toContain('Did you mean sim-chat?');
    expect((error as InstanceType<typeof OpenAI.APIError>).requestID).toMatch(/^req_/);
    const stranger = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'sk_nonsense', maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toThrow(/cut off/);
  });

  test('the official client lists the models with their prices', async () => {
    const { data } = await openai.models.list();
    const model = data.find(({ id }) => id === 'sim-chat') as unknown as Record<string, unknown>;
    expect(model).toMatchObject({
      object: 'model',
      owned_by: 'tollgate',
      max_input_tokens: null,
      pricing: { currency: 'unit', per: '1000000_tokens', input: '2.5', cached_input: '0.25', output: '10' },
      endpoints: ['/v1/chat/completions', '/v1/responses', '/v1/messages'],
    });
  });

  test('tools, schemas, images in and images out pass through', async () => {
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters: weather } }] as const;
    const called = await openai.chat.completions.create({
      model: 'sim-chat',
      messages: [{ role: 'user', content: 'Use get_weather for Seoul' }],
      tools: [...tools],
    });
    expect(called.choices[0]).toMatchObject({ finish_reason: 'tool_calls' });
    expect(called.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'get_weather' } });
    const schema = { name: 'weather', schema: weather };
    const shaped = await openai.chat.completions.create({
      model: 'sim-chat',
      messages: [{ role: 'user', content: 'The weather, please' }],
      response_format: { type: 'json_schema', json_schema: schema },
    });
    expect(JSON.parse(shaped.choices[0]?.message.content ?? '')).toHaveProperty('city');
    const drawn = await openai.chat.completions.create({
      model: 'sim-image-chat',
      messages: [{ role: 'user', content: 'A red square' }],
    });
    const message = drawn.choices[0]?.message as unknown as { images: Array<{ image_url: { url: string } }> };
    const { url } = message.images[0]?.image_url ?? { url: '' };
    expect(url).toMatch(/^data:image\/png;base64,/);
    const seen = await openai.chat.completions.create({
      model: 'sim-chat',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What colour?' },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
    });
    expect(seen.choices[0]?.message.content).toMatch(/red/i);
  });

  test('what the catalogue says a model cannot do is refused before anybody pays for it', async () => {
    const before = await gateway.query(sql`select id from calls`);
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const codes = [];
    for (const body of [
      { messages: [{ role: 'user', content: [image] }] },
      { messages: [{ role: 'user', content: 'x' }], tools: [{ type: 'function', function: { name: 'f' } }] },
      { messages: [{ role: 'user', content: 'x' }], response_format: { type: 'json_object' } },
    ]) {
      const reply = await gateway.chat({ model: 'sim-text-only', ...body });
      codes.push(((await reply.json()) as { type: string }).type);
    }
    expect(codes).toEqual(['vision_not_supported', 'tools_not_supported', 'response_format_not_supported']);
    expect(await gateway.query(sql`select id from calls`)).toHaveLength(before.length);
  });

  test('a model without a price is recorded as unpriced: cost null, never zero', async () => {
    const reply = await gateway.chat({ model: 'unpriced', messages: [{ role: 'user', content: 'Hi' }] });
    expect(((await reply.json()) as { estimated_cost: unknown }).estimated_cost).toBeNull();
    expect(reply.headers.get('x-tollgate-cost-units')).toBeNull();
    const row = await callRow(reply.headers.get('x-request-id') as string);
    expect(row).toMatchObject({ cost: null, price_version: null, outcome: 'completed' });
  });
});

type Chunk = OpenAI.ChatCompletionChunk & { estimated_cost?: { amount: string } };

const weather = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'number' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
};
