/**
 * Answers of calls with an Idempotency-Key: what one space has running takes nothing away from another. `npm run test:chaos`
 * fills the memory more often (TOLLGATE_GREEDY_ROUNDS).
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { HELD_BYTES_MAX } from '../../src/stored-answers/answer-shares.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { metricsOf, parseMetrics, sumOf } from '../support/read-metrics.ts';

const models = `  endless: { capabilities: [streaming], routes: [{ provider: simulator, model: sim-fault-endless }] }`;
/** Just small enough to be kept. */
const FRAME_BYTES = 4_150_000;
/** As many as fit into the memory for running answers; what is left is less than the answers below need. */
const STREAMS = Math.floor(HELD_BYTES_MAX / FRAME_BYTES);
const path = '/v1/chat/completions';
const ROUNDS = Number(process.env.TOLLGATE_GREEDY_ROUNDS ?? 1);

describe.each(engines)('repeats beside a greedy space on %s', (engine) => {
  let gateway: TestGateway;
  let round = 0;
  beforeAll(async () => {
    const prices = { endless: { input: 1, output: 2 } };
    gateway = await startGateway({ engine, config: testConfig({ models, prices }) });
    await gateway.admin('spaces.create', { name: 'greedy', overage: true });
  });
  afterAll(() => gateway.stop());

  /** A stream with one large event and then nothing, whose caller leaves when it has the event. */
  async function occupy(name: string, key: string): Promise<void> {
    const leaving = new AbortController();
    const content = `[[bytes ${FRAME_BYTES}]] [[pace 600000]] ${name}`;
    const reply = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        'idempotency-key': name,
      },
      body: JSON.stringify({ model: 'endless', stream: true, messages: [{ role: 'user', content }] }),
      signal: leaving.signal,
    });
    expect(reply.status).toBe(200);
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    for (let bytes = 0; bytes < FRAME_BYTES; ) bytes += (await reader.read()).value?.length ?? 0;
    leaving.abort();
  }

  async function metric(name: string): Promise<number> {
    return sumOf(parseMetrics(await (await metricsOf(gateway)).text()), name) ?? 0;
  }
  const heldBytes = () => metric('tollgate_repeatable_answer_bytes');

  /** An answer of a megabyte and more, whole or as a stream. */
  function prepare(name: string): void {
    const part = 'y'.repeat(100_000);
    const frame = (delta: object, finish: string | null = null): string =>
      `data: ${JSON.stringify({
        ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'sim-chat' },
        choices: [{ index: 0, delta, finish_reason: finish }],
      })}\n\n`;
    gateway.simulator.answers.set(name, {
      body: JSON.stringify({
        ...{ id: 'c', object: 'chat.completion', created: 1, model: 'sim-chat' },
        choices: [
          { index: 0, message: { role: 'assistant', content: part.repeat(15) }, finish_reason: 'stop' },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      }),
      frames: [
        frame({ role: 'assistant', content: '' }),
        ...Array.from({ length: 15 }, () => frame({ content: part })),
        frame({}, 'stop'),
        `data: ${JSON.stringify({
          ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'sim-chat', choices: [] },
          usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
        })}\n\n`,
        'data: [DONE]\n\n',
      ],
    });
  }

  const fills =
    'a space that fills the memory and leaves takes no repeat away from another, and its bytes are freed';
  test(fills, { repeats: ROUNDS - 1 }, async () => {
    const name = `greedy-${round++}`;
    const { key } = await gateway.admin('keys.create', { name, kind: 'shared', space: 'greedy' });
    await Promise.all(Array.from({ length: STREAMS }, (_, i) => occupy(`${name}-${i}`, key)));
    for (const stream of [false, true]) {
      const modest = `modest-${round}-${stream}`;
      prepare(modest);
      const body = {
        model: 'sim-chat',
        stream,
        messages: [{ role: 'user', content: `[[say ${modest}]] go` }],
      };
      const first = await gateway.chat(body, { 'idempotency-key': modest });
      const text = await first.text();
      expect([first.status, text.length > 1_500_000]).toEqual([200, true]);
      const again = await gateway.chat(body, { 'idempotency-key': modest });
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect((await again.text()) === text).toBe(true);
    }
    await expect.poll(heldBytes, PATIENCE).toBeLessThan(FRAME_BYTES);
    // Nothing of the greedy space is lost either: its events are in the store, for a repeat that joins.
    const [stored] = await gateway.query<{ calls: number }>(sql`
      select count(distinct call_id) as calls from repeatable_call_parts p
        join repeatable_calls c using (space_id, call_id)
      where starts_with(c.key, ${`${name}-`}) and length(p.body) > ${FRAME_BYTES}`);
    expect(stored?.calls).toBe(STREAMS);
    const content = `[[bytes ${FRAME_BYTES}]] [[pace 600000]] ${name}-0`;
    const joined = await gateway.post(
      path,
      { model: 'endless', stream: true, messages: [{ role: 'user', content }] },
      { authorization: `Bearer ${key}`, 'idempotency-key': `${name}-0` },
    );
    const reader = (joined.body as ReadableStream<Uint8Array>).getReader();
    for (let bytes = 0; bytes < FRAME_BYTES; ) bytes += (await reader.read()).value?.length ?? 0;
    await reader.cancel();
    await gateway.admin('keys.revoke', { space: 'greedy', name });
    await expect.poll(heldBytes, PATIENCE).toBe(0);
  });

  test('beyond the share of its key a stream waits until its events are stored, and is kept', async () => {
    const { key } = await gateway.admin('keys.create', { name: 'patient', kind: 'shared', space: 'greedy' });
    await gateway.query(
      sql`alter table repeatable_call_parts add constraint nothing_now check (false) not valid`,
    );
    const paused = () => metric('tollgate_streams_paused');
    for (let i = 0; i * FRAME_BYTES < HELD_BYTES_MAX / 4; i++) await occupy(`patient-${i}`, key);
    await expect.poll(paused, PATIENCE).toBe(1);
    prepare('patient');
    const body = {
      model: 'sim-chat',
      stream: true,
      messages: [{ role: 'user', content: '[[say patient]] go' }],
    };
    const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'patient' };
    const first = gateway.post(path, body, headers).then((reply) => reply.text());
    await expect.poll(paused, PATIENCE).toBe(2);
    await gateway.query(sql`alter table repeatable_call_parts drop constraint nothing_now`);
    const text = await first;
    expect([text.length > 1_500_000, text.includes('[DONE]')]).toEqual([true, true]);
    const again = await gateway.post(path, body, headers);
    expect([again.status, (await again.text()) === text]).toEqual([200, true]);
    await expect.poll(async () => [await paused(), await heldBytes()], PATIENCE).toEqual([0, 0]);
    await gateway.admin('keys.revoke', { space: 'greedy', name: 'patient' });
  });

  test('within a space, the owner who stores most loses the oldest answers', async () => {
    // Rows as calls leave them: an answer of a modest owner that is older than everything else.
    await gateway.admin('spaces.create', { name: 'full', overage: true });
    const { key } = await gateway.admin('keys.create', { name: 'full', kind: 'shared', space: 'full' });
    const [space] = await gateway.query<{ id: string }>(sql`select id from spaces where name = 'full'`);
    const spaceId = space?.id ?? '';
    for (const [owner, from, to] of [
      ['modest', 0, 1],
      ['greedy', 1, 10],
    ] as const)
      await gateway.query(sql`
        insert into repeatable_calls (space_id, owner, operation, key, digest, call_id, state, streamed, lease_until,
          created_at, expires_at, charged, bytes)
        select ${spaceId}, ${owner}, 'chat', n::text, '', ${owner} || n, 'answered', false, now(),
          now() + n * interval '1 second', now() + interval '1 day', true, 40 * 1024 * 1024
        from generate_series(${from}::int, ${to - 1}::int) as n`);
    await vi.waitFor(async () => {
      // The quota is checked when the space has stored some more.
      const name = `quota-${Math.random()}`;
      prepare(name);
      const body = { model: 'sim-chat', messages: [{ role: 'user', content: `[[say ${name}]] go` }] };
      const headers = { authorization: `Bearer ${key}`, 'idempotency-key': name };
      await (await gateway.chat(body, headers)).text();
      await gateway.sweepAll();
      const rows = await gateway.query<{ owner: string; kept: number; first: string }>(sql`
        select owner, count(*) as kept, min(key::int)::text as first from repeatable_calls
        where space_id = ${spaceId} and state = 'answered' and bytes = 40 * 1024 * 1024
        group by owner order by owner`);
      expect(rows).toEqual([
        { owner: 'greedy', kept: 5, first: '5' },
        { owner: 'modest', kept: 1, first: '0' },
      ]);
    }, PATIENCE);
  });
});
