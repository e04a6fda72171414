import { afterAll, describe, expect, test } from 'vitest';
import { startSimulator } from './simulator.ts';
import { type Heard, post, type Wire } from './testing/call-simulator.ts';

const simulator = await startSimulator();
afterAll(() => simulator.stop());

interface Embedded {
  readonly object: string;
  readonly data: Array<{ object: string; index: number; embedding: number[] }>;
  readonly model: string;
  readonly usage?: Wire;
  readonly error: Wire;
}
interface GoogleEmbedded {
  readonly embedding: { values: number[] };
  readonly embeddings: Array<{ values: number[] }>;
  readonly usageMetadata?: Wire;
  readonly error: { code: number; status: string; message: string };
}

function send(body: Wire, path = '/v1/embeddings'): Promise<Heard> {
  return post(simulator.origin + path, { model: 'sim-embed', ...body });
}

async function embed(body: Wire): Promise<Embedded> {
  return JSON.parse((await send(body)).text) as Embedded;
}

async function vectorOf(input: unknown, more: Wire = {}): Promise<number[]> {
  return (await embed({ input, ...more })).data[0]?.embedding ?? [];
}

async function embedAtGoogle(method: string, body: Wire, model = 'sim-embed'): Promise<GoogleEmbedded> {
  const heard = await post(`${simulator.origin}/v1beta/models/${model}:${method}`, body);
  return JSON.parse(heard.text) as GoogleEmbedded;
}

function lengthOf(vector: readonly number[]): number {
  return Math.hypot(...vector);
}

function product(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}

const content = (text: string): Wire => ({ parts: [{ text }] });

describe("OpenAI's embeddings", () => {
  test('come in the order of the inputs, with the fields in the order of OpenAI', async () => {
    const { text } = await send({ input: ['first', 'second'] });
    expect(text).toMatch(
      /^\{"object":"list","data":\[\{"object":"embedding","index":0,"embedding":\[-?0\.\d/,
    );
    const { data, model, usage } = JSON.parse(text) as Embedded;
    expect(data.map(({ index }) => index)).toEqual([0, 1]);
    expect([model, usage]).toEqual(['sim-embed', { prompt_tokens: 4, total_tokens: 4 }]);
    expect(data[1]?.embedding).toEqual(await vectorOf('second'));
  });

  test('are of length one, the same for the same text and far from those of others', async () => {
    const vectors = await Promise.all(['cat', 'cats', 'Cat', '고양이'].map((text) => vectorOf(text)));
    for (const [index, vector] of vectors.entries()) {
      expect(vector).toHaveLength(1_536);
      expect(lengthOf(vector)).toBeCloseTo(1, 5);
      for (const other of vectors.slice(index + 1))
        expect(Math.abs(product(vector, other))).toBeLessThan(0.2);
    }
    expect(await vectorOf('cat')).toEqual(vectors[0]);
  });

  test('of token ids are the same for the same ids, and cost one token each', async () => {
    const { data, usage } = await embed({ input: [[1, 2, 3], [4], [1, 2, 3]] });
    expect(data[2]?.embedding).toEqual(data[0]?.embedding);
    expect(data[1]?.embedding).not.toEqual(data[0]?.embedding);
    expect(usage).toEqual({ prompt_tokens: 7, total_tokens: 7 });
    expect(await vectorOf([1, 2, 3])).toEqual(data[0]?.embedding);
  });

  test('with fewer dimensions are the beginning of the whole, brought to length one again', async () => {
    const whole = (await vectorOf('cat')).slice(0, 250);
    const short = await vectorOf('cat', { dimensions: 250 });
    expect(short).toHaveLength(250);
    expect(lengthOf(short)).toBeCloseTo(1, 5);
    expect(product(short, whole) / lengthOf(whole)).toBeCloseTo(1, 5);
  });

  test('in base64 are the same numbers in 32 bits, the lowest byte first', async () => {
    for (const more of [{}, { dimensions: 10 }]) {
      const coded = (await vectorOf('cat', { encoding_format: 'base64', ...more })) as unknown as string;
      const bytes = Buffer.from(coded, 'base64');
      const numbers = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
      expect(numbers).toEqual((await vectorOf('cat', more)).map(Math.fround));
    }
  });

  test('of sim-embed-fixed have 768 dimensions, and never others', async () => {
    expect(await vectorOf('cat', { model: 'sim-embed-fixed' })).toHaveLength(768);
    expect((await embed({ input: 'cat', model: 'sim-embed-fixed', dimensions: 8 })).error.message).toBe(
      'This model does not support specifying dimensions.',
    );
  });

  test('come for 2,048 inputs at once', async () => {
    const { data } = await embed({ input: Array.from({ length: 2_048 }, (_, index) => `text ${index}`) });
    expect(data.every(({ index, embedding }, place) => index === place && embedding.length === 1_536)).toBe(
      true,
    );
  });

  test('come from Azure as well', async () => {
    const { text } = await send({ input: 'cat' }, '/openai/v1/embeddings');
    expect((JSON.parse(text) as Embedded).data[0]?.embedding).toEqual(await vectorOf('cat'));
  });

  test.each([
    ['an unknown field', { input: 'x', colour: 'red' }, 400, { code: 'unknown_parameter', param: 'colour' }],
    ['no input', {}, 400, { code: 'missing_required_parameter', param: 'input' }],
    ['an empty text', { input: '' }, 400, { message: expect.stringContaining("'$.input' is invalid") }],
    ['an empty list', { input: [] }, 400, { message: expect.stringContaining("'$.input' is invalid") }],
    ['an empty text among others', { input: ['a', ''] }, 400, { type: 'invalid_request_error' }],
    ['texts and token ids together', { input: ['a', [1]] }, 400, { type: 'invalid_request_error' }],
    ['a token id that is none', { input: [1.5] }, 400, { type: 'invalid_request_error' }],
    [
      '2,049 inputs',
      { input: Array.from({ length: 2_049 }, () => 'a') },
      400,
      { code: 'array_above_max_length', message: expect.stringContaining('array too long') },
    ],
    [
      'a text of 8,192 tokens',
      { input: 'abcd'.repeat(8_192) },
      400,
      {
        message: expect.stringMatching(
          /^This model's maximum context length is 8192 tokens, however you requested 8192 tokens/,
        ),
      },
    ],
    [
      'more than 300,000 tokens in all',
      { input: Array.from({ length: 40 }, () => 'abcd'.repeat(8_000)) },
      400,
      { code: 'max_tokens_per_request', type: 'max_tokens_per_request' },
    ],
    ['no dimensions', { input: 'x', dimensions: 0 }, 400, { code: 'integer_below_min_value' }],
    ['too many dimensions', { input: 'x', dimensions: 1_537 }, 400, { type: 'invalid_request_error' }],
    ['another encoding', { input: 'x', encoding_format: 'hex' }, 400, { param: 'encoding_format' }],
    [
      'a model that embeds nothing',
      { input: 'x', model: 'sim-chat' },
      403,
      { message: 'You are not allowed to generate embeddings from this model' },
    ],
    ['a model that does not exist', { input: 'x', model: 'gpt-x' }, 404, { code: 'model_not_found' }],
  ])('are refused for %s', async (_, body, status, error) => {
    const heard = await send(body);
    expect(heard.status).toBe(status);
    expect((JSON.parse(heard.text) as Embedded).error).toMatchObject(error);
  });

  test('are spoiled by every way to call a fault', async () => {
    expect((await send({ input: 'x', model: 'sim-fault-error-503' })).status).toBe(503);
    expect((await send({ input: ['x', '[[fault error-429]]'] })).status).toBe(429);
    expect((await embed({ input: 'x', model: 'sim-fault-missing-usage' })).usage).toBeUndefined();
    expect((await embed({ input: 'x', model: 'sim-fault-zero-usage' })).usage).toMatchObject({
      prompt_tokens: 0,
    });
  });
});

describe("Google's embeddings", () => {
  const request = (text: string, more: Wire = {}): Wire => ({
    model: 'models/sim-embed',
    content: content(text),
    ...more,
  });

  test('come one at a time or in batches, with what they cost', async () => {
    const one = await embedAtGoogle('embedContent', { content: content('cat'), taskType: 'RETRIEVAL_QUERY' });
    expect(one.embedding.values).toEqual(await vectorOf('cat'));
    const batch = await embedAtGoogle('batchEmbedContents', { requests: [request('dogs!'), request('cat')] });
    expect(batch.embeddings[1]).toEqual(one.embedding);
    expect(batch.usageMetadata).toEqual({
      promptTokenCount: 3,
      promptTokenDetails: [{ modality: 'TEXT', tokenCount: 3 }],
    });
  });

  test('with fewer dimensions are not brought to length one', async () => {
    const { embeddings } = await embedAtGoogle('batchEmbedContents', {
      requests: [request('cat', { outputDimensionality: 100 })],
    });
    expect(embeddings[0]?.values).toEqual((await vectorOf('cat')).slice(0, 100));
  });

  test.each([
    [
      '101 requests',
      'batchEmbedContents',
      { requests: Array.from({ length: 101 }, () => request('x')) },
      'BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch',
    ],
    ['no requests', 'batchEmbedContents', { requests: [] }, 'must not be empty'],
    [
      'a request for another model',
      'batchEmbedContents',
      { requests: [request('x', { model: 'models/sim-embed-fixed' })] },
      'requests[0].model',
    ],
    ['an empty text', 'embedContent', { content: content('') }, 'contains an empty Part'],
    ['no content', 'embedContent', {}, 'EmbedContentRequest.content'],
    ['an unknown task', 'embedContent', { content: content('x'), taskType: 'GUESS' }, 'task_type'],
    ['too many dimensions', 'embedContent', { content: content('x'), outputDimensionality: 2_000 }, '1536'],
    ['an unknown field', 'embedContent', { content: content('x'), colour: 'red' }, 'Unknown name "colour"'],
  ])('are refused for %s', async (_, method, body, message) => {
    const { error } = await embedAtGoogle(method, body);
    expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
    expect(error.message).toContain(message);
  });

  test('come from models that embed alone, and fail on cue', async () => {
    const chat = await embedAtGoogle('embedContent', { content: content('x') }, 'sim-chat');
    expect(chat.error).toMatchObject({ code: 404, message: expect.stringContaining('embedContent') });
    const failed = await embedAtGoogle('embedContent', { content: content('[[fault error-503]]') });
    expect(failed.error).toMatchObject({ code: 503, status: 'UNAVAILABLE' });
  });
});
