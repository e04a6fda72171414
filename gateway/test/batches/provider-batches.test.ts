/** Batches that the provider runs: what callers see, and what the provider is sent. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchObject } from '../../src/contract/batches.ts';
import { sql } from '../../src/database/sql.ts';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { BatchStage, type ResultLine } from '../support/batches-stage.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import {
  checkBatch,
  checkChatCompletion,
  checkEmbeddings,
  checkResponse,
} from '../support/openai-schemas.ts';
import { PATIENCE } from '../support/patience.ts';
import { batchLine, madeOf, numbered, providerConfig } from '../support/provider-batches-stage.ts';

const RESPONSES = '/v1/responses';
const EMBEDDINGS = '/v1/embeddings';
const weather = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** Lines of every kind for each format: valid ones, and ones that fail in different ways. */
function linesFor(url: string, model: string): string[] {
  const line = (id: string, body: Record<string, unknown>): string =>
    batchLine(id, { url, body: { model, ...body } });
  if (url === EMBEDDINGS) {
    return [
      line('one', { input: 'a text' }),
      line('several', { input: ['one', 'two'], encoding_format: 'base64', dimensions: 8 }),
      line('rejected by us', { input: 'a text', dimensions: -1 }),
    ];
  }
  const says = (content: string): Record<string, unknown> =>
    url === RESPONSES ? { input: content } : { messages: [{ role: 'user', content }] };
  const cap = url === RESPONSES ? 'max_output_tokens' : 'max_completion_tokens';
  const tool = { name: 'get_weather', description: 'Weather', parameters: weather };
  return [
    line('"exact" / ünïcode 🎈', says('Reply with exactly: héllo 🎈')),
    line('capped', { ...says('Tell me 50 words'), [cap]: 20 }),
    line('tools', {
      ...says('Call get_weather for Paris'),
      tools: [url === RESPONSES ? { type: 'function', ...tool } : { type: 'function', function: tool }],
    }),
    line('rejected by us', { ...says('hi'), temperature: 9 }),
    line('rejected by them', says('hi [[fault error-422]]')),
  ];
}

/** What both engines must answer alike: everything except ids, times and model names. */
function comparable({ response, error }: ResultLine): unknown {
  const body = JSON.stringify(response?.body ?? null)
    .replace(/(?:own|their)-(\w+)/g, 'model-$1')
    .replace(/"(id|call_id|error_ref)":"[^"]*"/g, '"$1":"…"')
    .replace(/"(created|created_at|completed_at)":\d+/g, '"$1":0')
    .replace(/"detail":"[^"]*error_ref[^"]*"/g, '');
  return { status: response?.status_code, body: JSON.parse(body), error };
}

const checks: Record<string, (body: unknown) => void> = {
  '/v1/chat/completions': checkChatCompletion,
  [RESPONSES]: checkResponse,
  [EMBEDDINGS]: (body) => {
    const [first] = (body as { data: Array<{ embedding: unknown }> }).data;
    if (typeof first?.embedding !== 'string') checkEmbeddings(body);
  },
};

describe.each(engines)('batches at the provider on %s', (engine) => {
  let gateway: TestGateway;
  let stage: BatchStage;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: providerConfig(5_000) });
    stage = new BatchStage(gateway);
  });
  afterAll(async () => {
    // Whatever the tests did, the books agree.
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
    await gateway.stop();
  });

  const allLines = async ({ output_file_id, error_file_id }: BatchObject): Promise<Map<string, ResultLine>> =>
    new Map([...(await stage.lines(output_file_id)), ...(await stage.lines(error_file_id))]);
  const quarantined = (id: string): Promise<BatchObject> =>
    stage.until(id, ({ settlement_status }) => settlement_status === 'quarantined');
  const charges = async (id: string): Promise<number> =>
    (await gateway.query(sql`select 1 from journal where ref = ${id}`)).length;

  describe.concurrent('results', () => {
    test.each([
      ['chat', '/v1/chat/completions'],
      ['chat', RESPONSES],
      ['embed', EMBEDDINGS],
      ['claude', '/v1/chat/completions'],
      ['claude', RESPONSES],
      ['azure', '/v1/chat/completions'],
      ['compatible', RESPONSES],
    ])('of %s on %s equal those of our own engine in shape, content and cost', async (name, url) => {
      const [own, theirs] = await Promise.all(
        [`own-${name}`, `their-${name}`].map(async (model) => {
          const made = await stage.submitted(linesFor(url, model), { endpoint: url });
          return await stage.settled(made.id);
        }),
      );
      checkBatch(theirs);
      expect(madeOf(gateway, own?.id as string)).toEqual([]);
      expect(madeOf(gateway, theirs?.id as string)).toHaveLength(1);
      const expected = await allLines(own as BatchObject);
      const found = await allLines(theirs as BatchObject);
      expect([...found.keys()]).toEqual([...expected.keys()]);
      for (const [id, line] of found) {
        expect(comparable(line), id).toEqual(comparable(expected.get(id) as ResultLine));
        if (line.response?.status_code === 200) checks[url]?.(line.response.body);
      }
      expect(theirs?.request_counts).toEqual(own?.request_counts);
      expect(theirs?.settled_units).toBe(own?.settled_units);
      expect(Number(theirs?.settled_units)).toBeGreaterThan(0);
      const costs = [...found.values()].map((line) => line.response?.body.estimated_cost?.amount ?? '0');
      expect(printUnits(sumUnits(costs.map(parseUnits)))).toBe(theirs?.settled_units);
    });
  });

  test('the provider sees our ids and its own model name, and nothing that identifies the caller', async () => {
    const made = await stage.submitted(numbered('their-chat', 3));
    await stage.settled(made.id);
    const [batch] = madeOf(gateway, made.id);
    expect(batch?.metadata).toEqual({ tollgate_batch: made.id });
    expect(batch?.lines.map(({ customId }) => customId)).toEqual([1, 2, 3].map((row) => `${made.id}-${row}`));
    const upload = gateway.simulator.calls.find(
      ({ path, bytes }) => path === '/v1/files' && bytes.includes(made.id),
    );
    const sent = upload?.bytes.toString('utf8') ?? '';
    expect(sent).toContain('"model":"sim-chat"');
    for (const ours of ['their-chat', 'row 1', 'service_tier', gateway.key]) expect(sent).not.toContain(ours);
  });

  test('its lines are charged to what they and the batch are attributed to', async () => {
    const line = (id: string, more: object) =>
      batchLine(id, { body: { model: 'their-chat', messages: [{ role: 'user', content: 'hi' }], ...more } });
    const input = await stage.upload([line('1', { metadata: { team: 'line' } }), line('2', { user: 'kim' })]);
    const reply = await stage.submit({
      input_file_id: input,
      metadata: { team: 'batch', run: 'at-provider' },
    });
    const { id } = (await reply.json()) as { id: string };
    const { settled_units: units } = await stage.settled(id);
    expect(madeOf(gateway, id)).toHaveLength(1);
    const usage = (and: string) => gateway.admin('reports.usage', { space: 'acme', by: 'tag:run', and });
    const ofRun = async (and: string) =>
      (await usage(and)).rows
        .filter(({ name }) => name === 'at-provider')
        .map(({ and_name, and_kind, requests }) => [and_name, and_kind, requests])
        .toSorted();
    expect(await ofRun('tag:team')).toEqual([
      ['batch', 'value', 1],
      ['line', 'value', 1],
    ]);
    expect(await ofRun('end_user')).toEqual([
      ['kim', 'value', 1],
      ['untagged', 'untagged', 1],
    ]);
    const { rows } = await gateway.admin('reports.usage', { space: 'acme', by: 'tag:run' });
    expect(rows.find(({ name }) => name === 'at-provider')?.cost).toBe(units);
  });

  test('a settled batch is removed from the provider', async () => {
    const [chat, claude] = await Promise.all(
      ['their-chat', 'their-claude'].map(async (model) => {
        const made = await stage.submitted(numbered(model, 2));
        await stage.settled(made.id);
        return madeOf(gateway, made.id)[0];
      }),
    );
    const left = (): string[] =>
      [...gateway.simulator.shop.files.values()]
        .map(({ name }) => name)
        .filter((name) => name.includes(chat?.id as string));
    // The removal happens after the settlement, in the background.
    await expect.poll(() => claude?.removed, PATIENCE).toBe(true);
    await expect.poll(left, PATIENCE).toEqual([]);
  });

  test('no batch is created at the provider when every line fails before it is sent', async () => {
    const body = { model: 'their-chat', messages: [{ role: 'user', content: 'hi' }], temperature: 9 };
    const made = await stage.submitted([batchLine('a', { body }), batchLine('b', { body })]);
    const batch = await stage.settled(made.id);
    expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: 0, failed: 2 } });
    expect(madeOf(gateway, made.id)).toEqual([]);
  });

  describe.concurrent('ends', () => {
    test.each(['their-chat', 'their-claude'])(
      '%s: a cancellation is sent to the provider, and finished lines are kept and charged',
      async (model) => {
        const made = await stage.submitted(numbered(model, 6, 'stay'));
        await expect.poll(() => madeOf(gateway, made.id).length, PATIENCE).toBe(1);
        expect((await stage.cancel(made.id)).status).toBe(200);
        const batch = await stage.settled(made.id);
        expect(batch).toMatchObject({
          status: 'cancelled',
          request_counts: { total: 6, completed: 3, failed: 0 },
        });
        const errors = await stage.lines(batch.error_file_id);
        expect([...errors.values()].map(({ error }) => error?.code)).toEqual(
          Array(3).fill('batch_cancelled'),
        );
        expect(Number(batch.settled_units)).toBeGreaterThan(0);
        expect(madeOf(gateway, made.id)[0]?.cancelledAt).not.toBeNull();
      },
    );

    test.each(['their-chat', 'their-claude'])(
      '%s: a batch that expires at the provider is expired, and its finished lines are charged',
      async (model) => {
        const made = await stage.submitted(numbered(model, 4, 'expired'));
        const batch = await stage.settled(made.id);
        expect(batch).toMatchObject({
          status: 'expired',
          request_counts: { total: 4, completed: 2, failed: 0 },
        });
        const errors = await stage.lines(batch.error_file_id);
        expect([...errors.values()].map(({ error }) => error?.code)).toEqual(Array(2).fill('batch_expired'));
      },
    );

    test('at the end of our own window the batch is cancelled at the provider', async () => {
      const made = await stage.submitted(numbered('their-chat', 4, 'stay'));
      await expect.poll(() => madeOf(gateway, made.id).length, PATIENCE).toBe(1);
      await gateway.query(sql`update batches set expires_at = now() where id = ${made.id}`);
      const batch = await stage.settled(made.id);
      expect(batch).toMatchObject({ status: 'expired', request_counts: { completed: 2 } });
    });

    test.each(['their-chat', 'their-claude'])(
      '%s: a batch that was cancelled at the provider is cancelled',
      async (model) => {
        const made = await stage.submitted(numbered(model, 4, 'cancelled'));
        expect(await stage.settled(made.id)).toMatchObject({
          status: 'cancelled',
          request_counts: { completed: 2 },
        });
      },
    );

    test('a batch that the provider cannot run fails, with masked reasons that name the rows of the file', async () => {
      const lines = numbered('their-chat', 3, 'failed');
      const bad = batchLine('bad', {
        body: { model: 'their-chat', messages: [{ role: 'user', content: 'hi' }], temperature: 9 },
      });
      const made = await stage.submitted([lines[0] as string, '', bad, ...lines.slice(1)]);
      const batch = await stage.settled(made.id);
      expect(batch).toMatchObject({ status: 'failed', settled_units: '0' });
      expect(batch.errors?.data).toMatchObject([
        { code: 'rate_limit_exceeded', line: null },
        { code: 'upstream_error', line: 4 },
      ]);
      const shown = JSON.stringify(batch.errors);
      expect(shown).toContain('token limit reached for their-chat');
      expect(shown).not.toMatch(/org-|sim-chat/);
      const errors = await stage.lines(batch.error_file_id);
      expect(errors.get('row 0')?.error?.code).toBe('batch_failed');
    });

    test.each(['their-chat', 'their-claude'])(
      '%s: a batch that the provider rejects fails, and costs nothing',
      async (model) => {
        const made = await stage.submitted(numbered(model, 2, 'create-400'));
        const batch = await stage.settled(made.id);
        expect(batch).toMatchObject({ status: 'failed', settled_units: '0', output_file_id: null });
        expect(batch.errors?.data).toMatchObject([{ code: 'invalid_parameter' }]);
        expect(JSON.stringify(batch.errors)).not.toMatch(/org-9|sim-|Claude/);
        expect(madeOf(gateway, made.id)).toEqual([]);
      },
    );
  });

  describe.concurrent('faults', () => {
    test.each(
      ['their-chat', 'their-claude'].flatMap((model) =>
        [
          ['create-500'],
          ['create-reset'],
          ['create-reset', 'slow'],
          ['create-500', 'list-late'],
          ['cut-results'],
          ...(model === 'their-chat' ? [['upload-500']] : []),
        ].map((cues): [string, string[]] => [model, cues]),
      ),
    )('%s: after %j the batch completes, and was created once', async (model, cues) => {
      const made = await stage.submitted(numbered(model, 5, ...cues));
      const batch = await stage.settled(made.id);
      expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 5, completed: 5 } });
      expect((await stage.lines(batch.output_file_id)).size).toBe(5);
      expect(madeOf(gateway, made.id)).toHaveLength(1);
      expect(await charges(made.id)).toBe(1);
    });

    const off = /counts 4 lines (?:that succeeded, its results have 5|where 5 were sent)/;
    test.each([
      ['their-chat', 'missing-line', /results have 4 of 5 lines/],
      ['their-claude', 'missing-line', /results have 4 of 5 lines/],
      ['their-chat', 'wrong-counts', off],
      ['their-claude', 'wrong-counts', off],
      ['their-chat', 'unreadable-line', /1 lines of the provider's results cannot be read/],
      ['their-claude', 'double-line', /1 lines of the provider's results cannot be read/],
      ['their-chat', 'foreign-line', /belong to no line that was sent/],
      ['their-claude', 'gone-results', /no longer has the batch's results/],
      ['their-chat', 'gone-results', /no longer has the batch's results/],
    ])('%s: %s quarantines the batch with the reason, and nothing is charged', async (model, cue, reason) => {
      const made = await stage.submitted(numbered(model, 5, cue));
      const batch = await quarantined(made.id);
      expect(batch).toMatchObject({ status: 'completed', settled_units: null, output_file_id: null });
      expect(batch.settlement_reason).toMatch(reason);
      expect(await charges(made.id)).toBe(0);
      expect(madeOf(gateway, made.id)).toHaveLength(1);
    });

    test.each(['their-chat', 'their-claude'])(
      '%s: a result without usage quarantines the batch',
      async (model) => {
        const lines = numbered(model, 2);
        const content = 'hi [[fault missing-usage]]';
        lines.push(batchLine('bare', { body: { model, messages: [{ role: 'user', content }] } }));
        const made = await stage.submitted(lines);
        expect((await quarantined(made.id)).settlement_reason).toMatch(/1 of 3 lines .* no known usage/);
        expect(await charges(made.id)).toBe(0);
      },
    );

    test('a quarantined batch is settled when an operator requeues it and the results are complete', async () => {
      const made = await stage.submitted(numbered('their-claude', 3, 'missing-line'));
      await quarantined(made.id);
      // Nothing has changed, so it is read again and quarantined again.
      await gateway.admin('batches.requeue', { batch: made.id });
      expect((await quarantined(made.id)).settlement_reason).toMatch(/results have 2 of 3/);
      const [batch] = madeOf(gateway, made.id);
      const lost = batch?.lines[0]?.run().text as string;
      const good = batch?.results?.good as string[];
      good.push(lost);
      await gateway.admin('batches.requeue', { batch: made.id });
      expect(await stage.settled(made.id)).toMatchObject({ request_counts: { completed: 3 } });
      expect(await charges(made.id)).toBe(1);
    });
  });
});
