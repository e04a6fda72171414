/**
 * Every way in which something that is paid can end: afterwards nothing is held of units and limits, and what is left of them
 * can be used to the last unit.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { BatchStage } from '../support/batches-stage.ts';
import { simulated, testConfig } from '../support/config.ts';
import { engines, everythingOnBoth, quickEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { metricsOf, parseMetrics, sumOf } from '../support/read-metrics.ts';
import { VideoStage } from '../support/video-jobs-stage.ts';

/** A provider may be silent for so long. On a busy machine one that answers may need a second or two. */
const SILENCE_MS = 2_500;
const UNITS = 3;
const each = { input: 0, output: 0, request: '1' };
const images = { endpoints: ['images'], routes: [{ provider: 'simulator', model: 'sim-image' }] };
const config = testConfig({
  models: {
    // Limits are hard, so every call has an upper bound.
    'one-unit': { ...simulated('sim-chat'), batch: true },
    failing: { ...simulated('sim-fault-error-500'), fallbacks: [{ model: 'one-unit', on: ['outage'] }] },
    vectors: { endpoints: ['embeddings'], routes: [{ provider: 'simulator', model: 'sim-embed' }] },
    picture: images,
    film: {
      endpoints: ['video'],
      video: { seconds: [4], seconds_default: 4, resolutions: ['720p'] },
      routes: [{ provider: 'simulator', model: 'sim-video' }],
    },
  },
  prices: {
    'one-unit': { ...each, when: [{ batch: true, factor: '1' }] },
    failing: each,
    vectors: { input: 0, request: '1' },
    picture: { per_image: '1' },
    film: { per_second: '0.25' },
  },
  limits: { upstream_silence_ms: SILENCE_MS, video_poll_ms: 50 },
});

/** Words that come slowly enough to leave in the middle. */
const SLOW_WORDS = `[[chunks 100]] [[pace 20]] Reply with exactly: ${'word '.repeat(100)}`;
const NO_ANSWER = '[[fault hang]] hi';

interface Format {
  readonly path: string;
  readonly body: (content: string) => object;
}
const chat: Format = {
  path: '/v1/chat/completions',
  body: (content) => ({ messages: [{ role: 'user', content }] }),
};
const formats: Readonly<Record<string, Format>> = {
  chat,
  responses: { path: '/v1/responses', body: (input) => ({ input }) },
  messages: {
    path: '/v1/messages',
    body: (content) => ({ messages: [{ role: 'user', content }], max_tokens: 500 }),
  },
};

describe.each(engines)('what is held for something is free when it has ended, on %s', (engine) => {
  let gateway: TestGateway;
  let made = 0;
  let space = '';
  let email = '';
  let key = '';
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
  });
  afterAll(async () => {
    // Whatever the tests did, the books agree.
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
    await gateway.stop();
  });

  /** Space, member and key may each spend the same. */
  async function begin(overage = false): Promise<void> {
    space = `space-${++made}`;
    email = `person-${made}@example.com`;
    await gateway.admin('spaces.create', { name: space, overage });
    await gateway.admin('spaces.hard_limits', { space, hard: true });
    await gateway.admin('grants.add', { space, amount: String(UNITS), kind: 'paid' });
    await gateway.admin('members.add', { space, email, role: 'member' });
    await gateway.admin('members.limit', { space, email, month_limit: String(UNITS) });
    key = await newKey('own');
  }

  async function newKey(name: string): Promise<string> {
    const limit = { month_limit: String(UNITS) };
    return (await gateway.admin('keys.create', { space, name, kind: 'personal', email, ...limit })).key;
  }

  function post(path: string, body: object, init: { headers?: object; signal?: AbortSignal } = {}) {
    return fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...{ 'anthropic-version': '2023-06-01', ...init.headers },
      },
      body: JSON.stringify(body),
      ...(init.signal && { signal: init.signal }),
    });
  }

  async function ended(reply: Response): Promise<number> {
    // A stream that is cut ends in the middle.
    await reply.text().catch(() => '');
    return reply.status;
  }

  /** Sends a call and leaves it when the provider has it. */
  async function leave(path: string, body: object, mark: string): Promise<void> {
    const leaving = new AbortController();
    const seen = gateway.simulator.waitFor(({ body: sent }) => `${JSON.stringify(sent)}`.includes(mark));
    const gone = post(path, body, { signal: leaving.signal });
    await seen;
    leaving.abort();
    await expect(gone).rejects.toThrow();
  }

  /** A stream whose first bytes are there. */
  async function reading(path: string, body: object, headers: object = {}) {
    const leaving = new AbortController();
    const reply = await post(path, body, { headers, signal: leaving.signal });
    expect(reply.status).toBe(200);
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    let said = '';
    while (!said.includes('word')) said += Buffer.from((await reader.read()).value ?? []).toString();
    return { reader, leave: () => leaving.abort() };
  }

  /** It cost this much, nothing is held, and the rest is there: no more and no less. */
  async function isFree(cost: number): Promise<void> {
    await vi.waitFor(async () => {
      const series = parseMetrics(await (await metricsOf(gateway)).text());
      expect(sumOf(series, 'tollgate_purse_holds')).toBe(0);
      expect(sumOf(series, 'tollgate_purse_held_units')).toBe(0);
      expect(sumOf(series, 'tollgate_left_calls')).toBe(0);
    }, PATIENCE);
    let left = 0;
    for (; left <= UNITS; left++) {
      const reply = await post(chat.path, { model: 'one-unit', ...chat.body('hi') });
      if ((await ended(reply)) !== 200) break;
    }
    expect({ cost: UNITS - left }).toEqual({ cost });
  }

  // The formats end in the same way; the other engine has one of them.
  const tried = engine === quickEngine || everythingOnBoth ? formats : { chat };
  for (const [name, { path, body }] of Object.entries(tried)) {
    const send = (stream: boolean, content: string, more: object = {}) =>
      ({ path, body: { model: 'one-unit', stream, ...body(content), ...more } }) as const;

    describe(name, () => {
      test.each<[string, boolean, string, number]>([
        ['is answered', false, 'hi', 1],
        ['is streamed to its end', true, 'hi', 1],
        ['is rejected by the provider', false, '[[fault error-400]] hi', 0],
        ['fails at the provider', true, '[[fault error-500]] hi', 0],
        ['gets no answer in time', false, NO_ANSWER, 0],
        ['gets no stream in time', true, NO_ANSWER, 0],
        ['is cut by the provider', true, '[[fault cut-stream]] hi', 1],
        ['ends with an error in the stream', true, '[[fault error-in-stream]] hi', 1],
        ['stops in the middle', true, '[[fault hang-mid-stream]] hi', 1],
        ['gets an answer that is cut', false, '[[fault cut-body]] hi', 0],
        ['gets no usage', true, '[[fault missing-usage]] hi', 1],
      ])('a call that %s', async (_, stream, content, cost) => {
        await begin();
        const call = send(stream, content);
        await ended(await post(call.path, call.body));
        await isFree(cost);
      });

      test.each([false, true])(
        'a call that its caller leaves before the answer (stream: %s)',
        async (stream) => {
          await begin();
          const mark = `left ${name} ${stream}`;
          const call = send(stream, `[[fault slow-first-byte]] [[delay 60000]] ${mark}`);
          await leave(call.path, call.body, mark);
          await isFree(0);
        },
      );

      test('a stream that its caller leaves', async () => {
        await begin();
        const call = send(true, SLOW_WORDS);
        (await reading(call.path, call.body)).leave();
        await isFree(1);
      });

      test('a stream whose key is revoked', async () => {
        await begin();
        const call = send(true, SLOW_WORDS);
        const { reader } = await reading(call.path, call.body);
        await gateway.admin('keys.revoke', { space, name: 'own' });
        while (!(await reader.read()).done);
        key = await newKey('next');
        await isFree(1);
      });

      test.each([false, true])(
        'a call with an Idempotency-Key, and its repeat (stream: %s)',
        async (stream) => {
          await begin();
          const call = send(stream, 'hi');
          const headers = { 'idempotency-key': `${engine} ${name} ${stream}` };
          for (let i = 0; i < 2; i++)
            expect(await ended(await post(call.path, call.body, { headers }))).toBe(200);
          await isFree(1);
        },
      );

      test('a stream with an Idempotency-Key that its caller leaves, and asks for again', async () => {
        await begin();
        const headers = { 'idempotency-key': `${engine} ${name} left` };
        const call = send(true, SLOW_WORDS);
        (await reading(call.path, call.body, headers)).leave();
        expect(await ended(await post(call.path, call.body, { headers }))).toBe(200);
        await isFree(1);
      });

      test('a call that another model answers', async () => {
        await begin();
        const call = send(true, 'hi', { model: 'failing' });
        expect(await ended(await post(call.path, call.body))).toBe(200);
        await isFree(1);
      });
    });
  }

  describe('a background response', () => {
    async function start(input: string): Promise<string> {
      await begin();
      const reply = await post('/v1/responses', { model: 'one-unit', background: true, input });
      expect(reply.status).toBe(200);
      return ((await reply.json()) as { id: string }).id;
    }
    async function end(id: string): Promise<void> {
      await vi.waitFor(async () => {
        const headers = { authorization: `Bearer ${key}` };
        const reply = await fetch(`${gateway.url}/v1/responses/${id}`, { headers });
        expect(['queued', 'in_progress']).not.toContain(((await reply.json()) as { status: string }).status);
      }, PATIENCE);
    }

    test.each([
      ['that is completed', 'hi', 1],
      ['that fails', '[[fault error-500]] hi', 0],
      ['that is cut', '[[fault cut-stream]] hi', 1],
    ])('%s', async (_, input, cost) => {
      await end(await start(input));
      await isFree(cost);
    });

    test('that is cancelled before its first word', async () => {
      const mark = 'cancelled early';
      const seen = gateway.simulator.waitFor(({ body }) => `${JSON.stringify(body)}`.includes(mark));
      const id = await start(`[[fault slow-first-byte]] [[delay 60000]] ${mark}`);
      await seen;
      await ended(await post(`/v1/responses/${id}/cancel`, {}));
      await end(id);
      await isFree(0);
    });
  });

  describe('a call for', () => {
    const input = { model: 'vectors', input: 'hi' };
    const prompt = { model: 'picture', prompt: 'A cat', size: '1024x1024', quality: 'low' };
    test.each<[string, string, object, number]>([
      ['an embedding', '/v1/embeddings', input, 1],
      ['an embedding that fails', '/v1/embeddings', { ...input, input: '[[fault error-500]] hi' }, 0],
      ['an embedding without an answer', '/v1/embeddings', { ...input, input: NO_ANSWER }, 0],
      ['an image', '/v1/images/generations', prompt, 1],
      ['an image that fails', '/v1/images/generations', { ...prompt, prompt: '[[fault error-500]] hi' }, 0],
      ['an image without an answer', '/v1/images/generations', { ...prompt, prompt: NO_ANSWER }, 0],
    ])('%s', async (_, path, body, cost) => {
      await begin();
      expect((await ended(await post(path, body))) === 200).toBe(cost === 1);
      await isFree(cost);
    });

    test.each<[string, string, (content: string) => object]>([
      ['an embedding', '/v1/embeddings', (content) => ({ ...input, input: content })],
      ['an image', '/v1/images/generations', (content) => ({ ...prompt, prompt: content })],
    ])('%s that its caller leaves', async (what, path, body) => {
      await begin();
      const mark = `left ${what}`;
      await leave(path, body(`[[fault hang]] ${mark}`), mark);
      await isFree(0);
    });
  });

  describe('a batch', () => {
    const line = (content: string) =>
      JSON.stringify({
        ...{ custom_id: 'a', method: 'POST', url: '/v1/chat/completions' },
        body: {
          ...{ model: 'one-unit', service_tier: 'default', max_completion_tokens: 100 },
          messages: [{ role: 'user', content }],
        },
      });
    test.each([
      ['that is completed', 'hi', 1],
      ['whose line fails', '[[fault error-400]] hi', 0],
    ])('%s', async (_, content, cost) => {
      // A space needs overage for batches; the key and the member have their limits.
      await begin(true);
      const stage = new BatchStage(gateway, key);
      await stage.settled((await stage.submitted([line(content)])).id);
      await isFree(cost);
    });

    test('that is cancelled while its line runs', async () => {
      await begin(true);
      const stage = new BatchStage(gateway, key);
      const mark = 'cancelled batch';
      const seen = gateway.simulator.waitFor(({ body }) => `${JSON.stringify(body)}`.includes(mark));
      const { id } = await stage.submitted([line(`[[fault slow-first-byte]] [[delay 60000]] ${mark}`)]);
      await seen;
      await stage.cancel(id);
      await stage.settled(id);
      await isFree(0);
    });
  });

  describe('a video', () => {
    test.each([
      ['that is made', 'a red kite', 1],
      ['that fails', '[[video failed]] a kite', 0],
    ])('%s', async (_, prompt, cost) => {
      await begin();
      const stage = new VideoStage(gateway, key);
      await stage.ended((await stage.created(prompt)).id);
      await isFree(cost);
    });
  });
});
