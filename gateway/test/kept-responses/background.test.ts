/** Background responses, with the official client: polled, streamed, resumed and cancelled. */
import type OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { ResponseObject } from '../../src/contract/responses-answer.ts';
import { sql } from '../../src/database/sql.ts';
import { callIdOf } from '../../src/text/answer-ids.ts';
import { openaiClient } from '../support/clients.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { checkResponse } from '../support/openai-schemas.ts';
import { BACKGROUND_PATIENCE, PATIENCE } from '../support/patience.ts';
import { askedFor } from '../support/repeats-stage.ts';

const config = testConfig({
  providers: '  anthropic: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, api_key: simulator-key }',
  models: `  claude: { capabilities: [streaming], routes: [{ provider: anthropic, model: sim-claude }] }
  whole: { capabilities: [], routes: [{ provider: simulator, model: sim-chat }] }
  broken: { capabilities: [streaming], routes: [{ provider: simulator, model: sim-fault-error-500 }] }
  cut: { capabilities: [streaming], routes: [{ provider: simulator, model: sim-fault-cut-stream }] }`,
  prices: {
    claude: { input: 2.5, output: 10 },
    whole: { input: 1, output: 2 },
    broken: { input: 1, output: 2 },
    cut: { input: 1, output: 2 },
  },
  limits: { background_per_key: 4 },
});

type Made = OpenAI.Responses.Response & { estimated_cost?: { amount: string } | null };

const shape = new Shape(ResponseObject);

describe.each(engines)('background responses on %s', (engine) => {
  let gateway: TestGateway;
  let openai: OpenAI;
  let elsewhere: string;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    openai = openaiClient(gateway);
    await gateway.admin('spaces.create', { name: 'elsewhere', overage: true });
    elsewhere = (await gateway.admin('keys.create', { name: 'e', kind: 'shared', space: 'elsewhere' })).key;
  });
  afterAll(() => gateway.stop());

  function create(input: string, more: object = {}, options: object = {}): Promise<Made> {
    return openai.responses.create(
      { model: 'sim-chat', input, ...more, background: true, stream: false },
      options,
    ) as Promise<Made>;
  }
  async function ended(id: string): Promise<Made> {
    return await vi.waitFor(async () => {
      const response = (await openai.responses.retrieve(id)) as Made;
      expect(['queued', 'in_progress']).not.toContain(response.status);
      return response;
    }, PATIENCE);
  }
  async function calls(
    id: string,
  ): Promise<Array<{ outcome: string; problem: string | null; cost: string }>> {
    return await vi.waitFor(async () => {
      const rows = await gateway.query<{ outcome: string; problem: string | null; cost: string }>(
        sql`select outcome, problem, trim_scale(cost)::text as cost from calls where id = ${callIdOf(id)}`,
      );
      expect(rows).toHaveLength(1);
      return rows;
    }, PATIENCE);
  }
  function ask(path: string, { method = 'GET', key = gateway.key } = {}): Promise<Response> {
    return fetch(`${gateway.url}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  }

  test.each(['sim-chat', 'claude', 'whole'])(
    'are answered at once and polled until they are completed, with their usage and cost: %s',
    async (model) => {
      const made = await create('Reply with exactly: done at last', { model, metadata: { a: 'b' } });
      expect(made).toMatchObject({
        status: 'queued',
        background: true,
        output: [],
        usage: null,
        metadata: { a: 'b' },
      });
      checkResponse(made);
      const response = await ended(made.id);
      checkResponse(response);
      shape.check(response);
      expect(response).toMatchObject({
        ...{ id: made.id, status: 'completed', background: true, store: true, model, error: null },
        output_text: 'done at last',
      });
      const [call] = await calls(made.id);
      expect(call).toMatchObject({ outcome: 'completed', problem: null });
      expect(response.estimated_cost?.amount).toBe(call?.cost);
      expect(response.usage?.output_tokens).toBeGreaterThan(0);
      const items = await openai.responses.inputItems.list(made.id);
      expect(items.data).toMatchObject([{ content: [{ text: 'Reply with exactly: done at last' }] }]);
      const next = await openai.responses.create({
        ...{ model: 'sim-chat', input: 'Reply with exactly: more', previous_response_id: made.id },
      });
      expect(next.output_text).toBe('more');
      const receipt = await ask(`/v1/receipts/${callIdOf(made.id)}`);
      expect(await receipt.json()).toMatchObject({ endpoint: 'responses', outcome: 'completed' });
    },
  );

  test('run on although their caller has gone, and are streamed again from any event', async () => {
    const stream = await openai.responses.create({
      ...{
        model: 'sim-chat',
        input: '[[pace 30]] [[chunks 12]] Reply with exactly: a b c d e f g h i j k l',
      },
      ...{ background: true, stream: true },
    });
    let [id, last] = ['', -1];
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id;
      last = event.sequence_number;
      if (last >= 5) break;
    }
    expect((await openai.responses.retrieve(id)).status).toBe('in_progress');
    const resumed: number[] = [];
    let final: Made | null = null;
    const rest = await openai.responses.retrieve(id, { stream: true, starting_after: last });
    for await (const event of rest) {
      resumed.push(event.sequence_number);
      if (event.type === 'response.completed') final = event.response as Made;
    }
    expect(resumed[0]).toBe(last + 1);
    expect(resumed).toEqual(resumed.map((_, i) => last + 1 + i));
    expect(final).toMatchObject({ id, status: 'completed', background: true });
    const response = await ended(id);
    expect(response.output_text).toBe('a b c d e f g h i j k l');
    expect(response.estimated_cost).toEqual(final?.estimated_cost);
    const again = await (await ask(`/v1/responses/${id}?stream=true&starting_after=${last}`)).text();
    expect([...again.matchAll(/"sequence_number":(\d+)/g)].map((match) => Number(match[1]))).toEqual(resumed);
    expect(askedFor(gateway, 'a b c d e f g h i j k l')).toBe(1);
    expect(await calls(id)).toHaveLength(1);
  });

  test.each(['sim-chat', 'claude'])(
    'that are cancelled stop the provider and are charged for what was produced: %s',
    async (model) => {
      const word = `cancel ${model}`;
      const made = await create(`[[pace 100]] [[chunks 300]] Reply with exactly: ${`${word} `.repeat(100)}`, {
        model,
      });
      const follower = ask(`/v1/responses/${made.id}?stream=true`).then((reply) => reply.text());
      const path = sql`select 1 from repeatable_call_parts where call_id = ${callIdOf(made.id)} and body like '%.delta%'`;
      await vi.waitFor(async () => expect(await gateway.query(path)).not.toHaveLength(0), PATIENCE);
      const cancelled = (await openai.responses.cancel(made.id)) as Made;
      checkResponse(cancelled);
      expect(cancelled).toMatchObject({ id: made.id, status: 'cancelled', error: null, background: true });
      expect(cancelled.usage?.output_tokens).toBeGreaterThan(0);
      const [call] = await calls(made.id);
      expect(call).toMatchObject({ outcome: 'partial', problem: 'response_cancelled' });
      expect(cancelled.estimated_cost?.amount).toBe(call?.cost);
      const last = (await follower).split('\n\n').at(-2) ?? '';
      expect(last).toContain('event: response.incomplete');
      expect(last).toContain('"status":"cancelled"');
      // Again, it is returned as it is.
      expect(await openai.responses.cancel(made.id)).toEqual(cancelled);
      expect(await openai.responses.retrieve(made.id)).toMatchObject(cancelled);
      const continued = await gateway.post('/v1/responses', {
        ...{ model: 'sim-chat', input: 'x', previous_response_id: made.id },
      });
      expect([continued.status, await continued.text()]).toEqual([
        400,
        expect.stringContaining('was cancelled'),
      ]);
    },
  );

  test('that have ended are returned unchanged by a cancellation; others cannot be cancelled', async () => {
    const made = await create('Reply with exactly: over');
    const response = await ended(made.id);
    expect(response).toMatchObject(await openai.responses.cancel(made.id));
    const plain = await openai.responses.create({ model: 'sim-chat', input: 'Reply with exactly: plain' });
    const wrong = await ask(`/v1/responses/${plain.id}/cancel`, { method: 'POST' });
    expect([wrong.status, await wrong.json()]).toMatchObject([
      400,
      { error: { code: 'invalid_parameter', param: 'response_id' } },
    ]);
    for (const path of ['', '/cancel', '/input_items', '?stream=true'])
      expect(
        (
          await ask(`/v1/responses/${made.id}${path}`, {
            method: path === '/cancel' ? 'POST' : 'GET',
            key: elsewhere,
          })
        ).status,
      ).toBe(404);
    const unknown = await ask('/v1/responses/resp_00000000000000000000000000/cancel', { method: 'POST' });
    expect(unknown.status).toBe(404);
  });

  test('that are deleted while they run are cancelled first', async () => {
    const made = await create('[[pace 100]] [[chunks 300]] Reply with exactly: deleted in the middle of it');
    await openai.responses.delete(made.id);
    await expect(openai.responses.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
    const [call] = await calls(made.id);
    expect(call?.outcome).not.toBe('completed');
  });

  test.each([
    ['broken', 'failed', null],
    ['cut', 'partial', 'upstream_error'],
  ])(
    'of a provider that fails (%s) say so, and are charged for what was produced',
    async (model, outcome, charged) => {
      const made = await create('Reply with exactly: a provider that fails in the middle', { model });
      const response = await ended(made.id);
      checkResponse({ ...response, error: null });
      expect(response).toMatchObject({
        status: 'failed',
        error: { code: expect.any(String), message: expect.any(String) },
      });
      const [call] = await calls(made.id);
      expect(call?.outcome).toBe(outcome);
      if (charged !== null) expect([call?.problem, response.error?.code]).toEqual([charged, charged]);
      expect(response.estimated_cost?.amount ?? null).toBe(call?.cost ?? null);
      const events = await (await ask(`/v1/responses/${made.id}?stream=true`)).text();
      expect(events.split('\n\n').at(-2)).toContain('event: response.failed');
    },
  );

  test('with an Idempotency-Key are created once', async () => {
    const options = { headers: { 'idempotency-key': 'create me once' } };
    const input = '[[pace 20]] Reply with exactly: created once';
    const [one, two] = await Promise.allSettled([create(input, {}, options), create(input, {}, options)]);
    const ids = [one, two].flatMap((made) => (made.status === 'fulfilled' ? [made.value.id] : []));
    expect(new Set(ids).size).toBe(1);
    const response = await ended(ids[0] ?? '');
    expect(await create(input, {}, options)).toEqual(response);
    await expect(create('another', {}, options)).rejects.toMatchObject({ status: 409 });
    expect(askedFor(gateway, 'created once')).toBe(1);
    expect(await calls(response.id)).toHaveLength(1);
    const bad = { headers: { 'idempotency-key': 'bad' } };
    for (let i = 0; i < 2; i++)
      await expect(create('x', { temperature: 9 }, bad)).rejects.toMatchObject({ status: 400 });
  });

  test('are rejected if they could not be read later; nobody continues one before its end', async () => {
    const unstored = await gateway.post('/v1/responses', {
      model: 'sim-chat',
      input: 'x',
      background: true,
      store: false,
    });
    expect([unstored.status, await unstored.json()]).toMatchObject([400, { error: { param: 'store' } }]);
    await gateway.admin('spaces.keepResponses', { space: 'elsewhere', keep: false });
    const unkept = await gateway.post(
      '/v1/responses',
      { model: 'sim-chat', input: 'x', background: true },
      { authorization: `Bearer ${elsewhere}` },
    );
    expect([unkept.status, await unkept.json()]).toMatchObject([400, { error: { param: 'background' } }]);
    const running = await create('[[pace 100]] [[chunks 300]] Reply with exactly: still running here');
    const early = await gateway.post('/v1/responses', {
      ...{ model: 'sim-chat', input: 'x', previous_response_id: running.id },
    });
    expect([early.status, await early.text()]).toEqual([400, expect.stringContaining('still running')]);
    await openai.responses.cancel(running.id);
  });

  test('are limited in number for a key, and others are not affected', async () => {
    const made: Made[] = [];
    for (let i = 0; i < 4; i++)
      made.push(await create(`[[pace 100]] [[chunks 300]] Reply with exactly: open number ${i}`));
    const more = await gateway.post('/v1/responses', { model: 'sim-chat', input: 'x', background: true });
    expect(more.status).toBe(429);
    expect(await more.text()).toContain('background responses');
    expect((await gateway.post('/v1/responses', { model: 'sim-chat', input: 'x' })).status).toBe(200);
    await Promise.all(made.map(({ id }) => openai.responses.cancel(id)));
    await vi.waitFor(async () => {
      const { id } = await create('Reply with exactly: room again');
      await ended(id);
    }, BACKGROUND_PATIENCE);
  });
});
