/** Batches from submission to settlement, run by our own workers. */

import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchObject } from '../../src/contract/batches.ts';
import { sql } from '../../src/database/sql.ts';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { BatchStage, CHAT, chatLine, type ResultLine } from '../support/batches-stage.ts';
import { faultModels, testConfig, withBatches } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const models = { ...faultModels(['slow-first-byte']), unpriced: { batch: true } };
const config = withBatches(testConfig({ models }));

describe.each(engines)('batches on %s', (engine) => {
  let gateway: TestGateway;
  let stage: BatchStage;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    stage = new BatchStage(gateway);
  });
  afterAll(async () => {
    // Whatever the tests did, the books agree.
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
    await gateway.stop();
  });

  const costOf = (lines: Iterable<ResultLine>): string =>
    printUnits(
      sumUnits([...lines].map((line) => parseUnits(line.response?.body.estimated_cost?.amount ?? '0'))),
    );

  test('every line is in one of the two files, and the batch costs what its lines cost', async () => {
    const good = Array.from({ length: 30 }, (_, i) => chatLine(`good-${i}`, `Reply with exactly: ${i}`));
    const bad = [chatLine('bad', 'hi', { temperature: 9 }), chatLine('worse', 'hi', { top_p: 9 })];
    const made = await stage.submitted([...good.slice(0, 10), ...bad, ...good.slice(10)]);
    expect(made).toMatchObject({
      object: 'batch',
      status: 'validating',
      settlement_status: 'pending',
      settled_units: null,
    });
    const batch = await stage.settled(made.id);
    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 32, completed: 30, failed: 2 },
      settlement_reason: null,
    });
    const output = await stage.lines(batch.output_file_id);
    const errors = await stage.lines(batch.error_file_id);
    expect([...output.keys()]).toEqual(good.map((_, i) => `good-${i}`));
    expect([...errors.keys()]).toEqual(['bad', 'worse']);
    expect(output.get('good-7')?.response?.body.choices?.[0]?.message.content).toBe('7');
    expect(errors.get('bad')?.response).toMatchObject({
      status_code: 400,
      body: { error: { code: 'invalid_parameter', param: 'temperature' } },
    });
    expect(batch.settled_units).toBe(costOf(output.values()));
    expect(Number(batch.settled_units)).toBeGreaterThan(0);
  });

  test('lines cost the batch prices, half of what the same call costs', async () => {
    const reply = await gateway.chat({
      model: 'sim-chat',
      messages: [{ role: 'user', content: 'Reply with exactly: one' }],
    });
    const alone = ((await reply.json()) as { estimated_cost: { amount: string } }).estimated_cost.amount;
    const made = await stage.submitted([chatLine('a', 'Reply with exactly: one')]);
    const { settled_units } = await stage.settled(made.id);
    expect(parseUnits(settled_units as string) * 2n).toBe(parseUnits(alone));
  });

  test('the openai client uploads, submits, retrieves, cancels and downloads unmodified', async () => {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
    const file = await client.files.create({
      file: await toFile(Buffer.from(chatLine('a', 'Reply with exactly: hello')), 'in.jsonl'),
      purpose: 'batch',
    });
    const made = await client.batches.create({
      input_file_id: file.id,
      endpoint: CHAT,
      completion_window: '24h',
      metadata: { who: 'me' },
    });
    expect(made.metadata).toEqual({ who: 'me' });
    await stage.settled(made.id);
    const batch = await client.batches.retrieve(made.id);
    const content = await (await client.files.content(batch.output_file_id as string)).text();
    expect(JSON.parse(content)).toMatchObject({ custom_id: 'a', response: { status_code: 200 } });
    await expect(client.batches.cancel(made.id)).rejects.toMatchObject({ status: 409 });
  });

  describe('submission', () => {
    async function rejected(reply: Response, status: number, code: string, param: string | null = null) {
      const body = (await reply.json()) as { type: string; detail: string; error: { param: string | null } };
      expect([reply.status, body.type, body.error.param]).toEqual([status, code, param]);
      return body.detail;
    }

    test('an endpoint that differs from that of the lines is rejected, naming both', async () => {
      const input_file_id = await stage.upload([chatLine('a', 'hi')]);
      const detail = await rejected(
        await stage.submit({ input_file_id, endpoint: '/v1/responses' }),
        400,
        'endpoint_mismatch',
        'endpoint',
      );
      expect(detail).toContain(CHAT);
    });

    test("an unknown file and another owner's are the same 404", async () => {
      const { key } = await gateway.admin('keys.create', {
        name: `other-${Math.random()}`,
        kind: 'shared',
      });
      const theirs = await new BatchStage(gateway, key).upload([chatLine('a', 'hi')]);
      const absent = `file_${'0'.repeat(26)}`;
      const [one, two] = [
        await rejected(await stage.submit({ input_file_id: theirs }), 404, 'file_not_found', 'input_file_id'),
        await rejected(await stage.submit({ input_file_id: absent }), 404, 'file_not_found', 'input_file_id'),
      ];
      expect(one.replace(theirs, '')).toBe(two.replace(absent, ''));
    });

    test.each([
      [{ completion_window: '48h' }, 'completion_window'],
      [{ metadata: { a: 5 } }, 'metadata.a'],
      [{ output_expires_after: {} }, 'output_expires_after'],
      [{ endpoint: 7 }, 'endpoint'],
    ])('%j is rejected, naming the field', async (more, param) => {
      const input_file_id = await stage.upload([chatLine('a', 'hi')]);
      await rejected(await stage.submit({ input_file_id, ...more }), 400, 'invalid_parameter', param);
    });

    test('a space without overage cannot submit a batch, however many units it has', async () => {
      const input_file_id = await stage.upload([chatLine('a', 'hi')]);
      await gateway.admin('spaces.overage', { space: 'acme', allowed: false });
      await rejected(await stage.submit({ input_file_id }), 403, 'OVERAGE_NOT_ALLOWED');
      await gateway.admin('spaces.overage', { space: 'acme', allowed: true });
      expect((await stage.submit({ input_file_id })).status).toBe(200);
    });

    test('a key at its monthly limit cannot submit a batch', async () => {
      const name = `poor-${engine}`;
      const { key } = await gateway.admin('keys.create', { name, kind: 'shared' });
      const poor = new BatchStage(gateway, key);
      const made = await poor.submitted([chatLine('a', 'hi')]);
      await poor.settled(made.id);
      await gateway.admin('keys.limit', { name, month_limit: '0.000000000001' });
      const input_file_id = await poor.upload([chatLine('a', 'hi'), chatLine('b', 'hi')]);
      await rejected(await poor.submit({ input_file_id }), 429, 'policy_limit_exceeded');
    });
  });

  describe('Idempotency-Key', () => {
    test('the same submission again is the same batch; without a key each is its own', async () => {
      const input_file_id = await stage.upload([chatLine('a', 'hi')]);
      const headers = { 'idempotency-key': `k-${engine}-1` };
      const first = (await (await stage.submit({ input_file_id }, headers)).json()) as BatchObject;
      const again = (await (
        await stage.submit({ input_file_id, metadata: null }, headers)
      ).json()) as BatchObject;
      expect(again.id).toBe(first.id);
      const other = (await (await stage.submit({ input_file_id })).json()) as BatchObject;
      expect(other.id).not.toBe(first.id);
    });

    test.each([
      ['another file', async () => ({ input_file_id: await stage.upload([chatLine('b', 'ho')]) })],
      ['other metadata', async () => ({ metadata: { a: 'c' } })],
      ['another endpoint', async () => ({ endpoint: '/v1/responses' })],
    ])('%s under the same key is a conflict', async (what, change) => {
      const input_file_id = await stage.upload([chatLine('a', 'hi')]);
      const headers = { 'idempotency-key': `k-${engine}-${what}` };
      expect((await stage.submit({ input_file_id, metadata: { a: 'b' } }, headers)).status).toBe(200);
      const reply = await stage.submit({ input_file_id, metadata: { a: 'b' }, ...(await change()) }, headers);
      expect(reply.status).toBe(409);
      expect(reply.headers.get('x-should-retry')).toBe('false');
      expect(((await reply.json()) as { type: string }).type).toBe('idempotency_conflict');
    });

    test('a blank Idempotency-Key is rejected, and sixteen requests at once with one key create one batch', async () => {
      const input_file_id = await stage.upload([chatLine('a', 'hi')]);
      expect((await stage.submit({ input_file_id }, { 'idempotency-key': '  ' })).status).toBe(400);
      const headers = { 'idempotency-key': `race-${engine}` };
      const replies = await Promise.all(
        Array.from({ length: 16 }, () => stage.submit({ input_file_id }, headers)),
      );
      const ids = new Set<string>();
      for (const reply of replies) {
        const body = (await reply.json()) as { id: string; type: string };
        if (reply.status === 200) ids.add(body.id);
        else expect([reply.status, body.type]).toEqual([409, 'idempotency_in_flight']);
      }
      expect(ids.size).toBe(1);
    });

    test('while the first submission is running the same key gets idempotency_in_flight, until its lease expires', async () => {
      const input_file_id = await stage.upload([chatLine('a', 'hi')]);
      const key = `claimed-${engine}`;
      // As if another process had claimed the key.
      await gateway.query(sql`
        insert into idempotency_keys (space_id, owner, operation, key, token, expires_at)
        select space_id, id, 'batches.create', ${key}, 'another', now() + interval '20 seconds'
        from keys where name = 'test'`);
      const reply = await stage.submit({ input_file_id }, { 'idempotency-key': key });
      expect([reply.status, reply.headers.get('x-should-retry')]).toEqual([409, 'true']);
      expect(Number(reply.headers.get('retry-after-ms'))).toBeGreaterThan(0);
      expect(((await reply.json()) as { type: string }).type).toBe('idempotency_in_flight');
      await gateway.query(sql`update idempotency_keys set expires_at = now() where key = ${key}`);
      expect((await stage.submit({ input_file_id }, { 'idempotency-key': key })).status).toBe(200);
    });

    test('an error is repeated under its key, and keys of uploads do not affect submissions', async () => {
      const key = `rejected-${engine}`;
      const absent = { input_file_id: `file_${'1'.repeat(26)}` };
      const details = [];
      for (let i = 0; i < 2; i++) {
        const reply = await stage.submit(absent, { 'idempotency-key': key });
        expect(reply.status).toBe(404);
        details.push(((await reply.json()) as { detail: string }).detail);
      }
      expect(details[0]).toBe(details[1]);
      const input_file_id = await stage.upload([chatLine('a', 'hi')], { 'idempotency-key': key });
      const other = await stage.submit({ input_file_id }, { 'idempotency-key': key });
      expect(other.status).toBe(409);
    });

    test('after 24 hours a key can be used again', async () => {
      const input_file_id = await stage.upload([chatLine('a', 'hi')]);
      const headers = { 'idempotency-key': `old-${engine}` };
      const first = (await (await stage.submit({ input_file_id }, headers)).json()) as BatchObject;
      await gateway.query(sql`
        update idempotency_keys set expires_at = now() - interval '1 second' where key = ${`old-${engine}`}`);
      const second = (await (await stage.submit({ input_file_id }, headers)).json()) as BatchObject;
      expect(second.id).not.toBe(first.id);
    });
  });

  test("another owner's batch, another space's and an absent one are the same 404", async () => {
    const made = await stage.submitted([chatLine('a', 'hi')]);
    const { key } = await gateway.admin('keys.create', {
      name: `stranger-${engine}`,
      kind: 'shared',
    });
    const stranger = new BatchStage(gateway, key);
    const details = [];
    for (const id of [made.id, `batch_${'0'.repeat(26)}`, 'nonsense']) {
      for (const reply of [await stranger.ask(`/v1/batches/${id}`), await stranger.cancel(id)]) {
        expect(reply.status).toBe(404);
        details.push(((await reply.json()) as { detail: string }).detail.replace(id, ''));
      }
    }
    expect(new Set(details).size).toBe(1);
    await stage.settled(made.id);
  });

  test('a batch with an unknown price is quarantined, and again after a requeue without a price', async () => {
    const line = (id: string) => chatLine(id, 'hi', { model: 'unpriced' });
    const made = await stage.submitted([line('a'), line('b')]);
    const quarantined = await stage.until(
      made.id,
      ({ settlement_status }) => settlement_status === 'quarantined',
    );
    expect(quarantined).toMatchObject({ status: 'completed', settled_units: null, output_file_id: null });
    expect(quarantined.settlement_reason).toMatch(/2 of 2 lines .* no known usage or price/);
    expect(await gateway.admin('batches.list', { settlement: 'quarantined' })).toMatchObject({
      data: [{ id: made.id, reason: quarantined.settlement_reason }],
    });
    expect(await gateway.admin('quarantine.list')).toMatchObject({ data: [{ id: made.id }] });
    // Nothing has changed, so it is quarantined again.
    await gateway.admin('batches.requeue', { batch: made.id });
    await stage.until(made.id, ({ settlement_status }) => settlement_status === 'quarantined');
  });

  test('results expire 30 days after the batch ended, and are then answered like a missing file', async () => {
    const made = await stage.submitted([chatLine('a', 'hi')]);
    const { output_file_id } = await stage.settled(made.id);
    const [file] = await gateway.query<{ days: number }>(sql`
      select extract(day from f.expires_at - b.completed_at)::integer as days
      from files f join batches b on b.id = f.batch_id where f.id = ${output_file_id}`);
    expect(file?.days).toBe(30);
    await gateway.query(
      sql`update files set expires_at = now() - interval '1 second' where id = ${output_file_id}`,
    );
    expect((await stage.ask(`/v1/files/${output_file_id}/content`)).status).toBe(404);
  });
});
