/** Background responses whose end is disputed: cancelled while they complete, or declared by another process. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { CALL_LEASE_MS } from '../../src/stored-answers/stored-answer.ts';
import { callIdOf } from '../../src/text/answer-ids.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { askedFor } from '../support/repeats-stage.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

const slow = (word: string): string =>
  `[[pace 100]] [[chunks 50]] Reply with exactly: ${`${word} `.repeat(50)}`;

const RESPONSE_BYTES_MAX = 3_500;

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly error: { readonly code: string } | null;
  readonly output: readonly unknown[];
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number } | null;
  readonly estimated_cost: { readonly amount: string } | null;
}

describe.each(engines)('the end of background responses on %s', (engine) => {
  const clock = shiftedClock();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({
      engine,
      clock,
      config: testConfig({
        limits: { kept_response_bytes: RESPONSE_BYTES_MAX },
        models: {
          failing: {
            capabilities: ['streaming'],
            routes: [{ provider: 'simulator', model: 'sim-fault-error-500' }],
            fallbacks: [{ model: 'sim-chat', on: ['outage'] }],
          },
        },
        prices: { failing: { input: 1_000, output: 1_000 } },
      }),
    });
  });
  afterAll(() => gateway.stop());

  async function create(input: string, model = 'sim-chat', more: object = {}): Promise<string> {
    const made = await gateway.post('/v1/responses', { model, input, background: true, ...more });
    expect(made.status).toBe(200);
    return ((await made.json()) as Shown).id;
  }
  async function read(id: string): Promise<Shown> {
    const reply = await fetch(`${gateway.url}/v1/responses/${id}`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    });
    return (await reply.json()) as Shown;
  }
  async function ended(id: string): Promise<Shown> {
    return await vi.waitFor(async () => {
      const response = await read(id);
      expect(response.status).not.toBe('in_progress');
      return response;
    }, PATIENCE);
  }
  const cancel = (id: string): Promise<Response> => gateway.post(`/v1/responses/${id}/cancel`, '');
  async function charges(
    id: string,
  ): Promise<Array<{ outcome: string; problem: string | null; cost: string | null }>> {
    return await gateway.query(sql`
      select outcome, problem, trim_scale(cost)::text as cost from calls where id = ${callIdOf(id)}`);
  }
  async function stored(id: string): Promise<void> {
    await vi.waitFor(async () => {
      const parts = await gateway.query(sql`
        select 1 from repeatable_call_parts where call_id = ${callIdOf(id)} and body like '%.delta%'`);
      expect(parts).not.toHaveLength(0);
    }, PATIENCE);
  }

  test('a cancellation and a completion at the same time have one end and one charge, which agree', async () => {
    const statuses: string[] = [];
    /** Cancels when so many events have come; the last ones are those of the end. */
    const run = async (events: number): Promise<void> => {
      // Without an event it is certain that it is cancelled; the others may end in both ways.
      const cues = events === 0 ? '[[pace 500]] [[chunks 60]]' : '[[pace 30]] [[chunks 8]]';
      const input = `${cues} Reply with exactly: raced ${'words '.repeat(events === 0 ? 60 : 8)}${events}`;
      const body = { model: 'sim-chat', input, background: true, stream: true };
      const stream = await gateway.post('/v1/responses', body);
      const id = `resp_${stream.headers.get('x-request-id')?.slice('req_'.length)}`;
      let seen = '';
      for await (const bytes of stream.body ?? []) {
        seen += Buffer.from(bytes as Uint8Array).toString();
        if (seen.split('\n\n').length > events) break;
      }
      const [shown, again] = await Promise.all(
        [cancel(id), cancel(id)].map(async (reply) => (await reply).json()),
      );
      const { status, estimated_cost: cost } = shown as Shown;
      expect(again).toEqual(shown);
      expect(await read(id)).toEqual(shown);
      statuses.push(status);
      await vi.waitFor(async () => expect(await charges(id)).toHaveLength(1), PATIENCE);
      const [call] = await charges(id);
      expect(call?.cost ?? null).toBe(cost?.amount ?? null);
      expect({ completed: ['completed'], cancelled: ['partial', 'failed'] }[status]).toContain(call?.outcome);
    };
    for (const counts of [[100], [0, 5, 10, 11], [12, 13, 14, 15, 16]]) await Promise.all(counts.map(run));
    expect([...new Set(statuses)].toSorted()).toEqual(['cancelled', 'completed']);
  });

  test('a process that stalls beyond its lease loses the response: its end is declared and charged once', async () => {
    const input = `[[pace 60]] [[chunks 30]] Reply with exactly: ${'stalled words '.repeat(30)}`;
    const id = await create(input, 'sim-chat', { metadata: { team: 'stalled' }, user: 'kim' });
    await stored(id);
    clock.shift(CALL_LEASE_MS + 1_000);
    const lost = await read(id);
    expect(lost).toMatchObject({
      status: 'failed',
      error: { code: 'response_lost', error_ref: callIdOf(id) },
    });
    const [call] = await charges(id);
    expect(call).toMatchObject({ outcome: 'partial', problem: 'response_lost' });
    expect(call?.cost).toBe(lost.estimated_cost?.amount);
    const { rows } = await gateway.admin('reports.usage', { space: 'acme', by: 'tag:team', and: 'end_user' });
    expect(rows).toContainEqual(
      expect.objectContaining({ name: 'stalled', and_name: 'kim', requests: 1, cost: call?.cost }),
    );
    expect(lost.usage?.output_tokens).toBeGreaterThan(0);
    // The stalled process reads the answer to its end, and can neither store nor charge it.
    await vi.waitFor(
      () =>
        expect(gateway.simulator.calls.find(({ text }) => text.includes('stalled words'))?.finished).toBe(
          true,
        ),
      PATIENCE,
    );
    const events = await fetch(`${gateway.url}/v1/responses/${id}?stream=true`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    });
    expect((await events.text()).split('\n\n').at(-2)).toContain('response_lost');
    expect(await read(id)).toEqual(lost);
    expect(await charges(id)).toEqual([call]);
    expect(askedFor(gateway, 'stalled words')).toBe(1);
  });

  test('a lost response that another model was answering is charged at the price of that model', async () => {
    const id = await create(slow('elsewhere'), 'failing');
    await stored(id);
    clock.shift(CALL_LEASE_MS + 1_000);
    const { usage, estimated_cost: cost } = await read(id);
    const { input_tokens: input = 0, output_tokens: output = 0 } = usage ?? {};
    expect(Number(cost?.amount)).toBeCloseTo((input * 2.5 + output * 10) / 1e6, 12);
    const calls = await gateway.query(sql`
      select model, requested_model as requested from calls where id = ${callIdOf(id)}`);
    expect(calls).toEqual([{ model: 'sim-chat', requested: 'failing' }]);
  });

  test('a sweep declares what nobody asks for; one that was to be cancelled is cancelled', async () => {
    const ids = [await create(slow('one')), await create(slow('two'))];
    await gateway.query(
      sql`update repeatable_calls set cancel = true where call_id = ${callIdOf(ids[1] as string)}`,
    );
    clock.shift(CALL_LEASE_MS + 1_000);
    await gateway.sweepAll();
    const rows = await gateway.query<{ state: string }>(sql`
      select state from kept_responses where id = any (${ids}) order by id`);
    // The process itself may have seen the request first.
    expect(rows).toEqual([{ state: 'failed' }, { state: 'cancelled' }]);
    for (const id of ids) expect(await charges(id)).toHaveLength(1);
  });

  test('a response whose call is unknown has failed', async () => {
    const id = await create(slow('unknown'));
    await gateway.query(sql`delete from repeatable_calls where call_id = ${callIdOf(id)}`);
    expect(await read(id)).toMatchObject({ status: 'failed', error: { code: 'response_lost' } });
  });

  test('an answer that is too large to keep is charged and says so; an input that is too large is rejected', async () => {
    const sample = await create(slow('sample'));
    const [{ bytes } = { bytes: 0 }] = await gateway.query<{ bytes: number }>(
      sql`select bytes from kept_responses where id = ${sample}`,
    );
    await cancel(sample);
    // An answer has more fields than an input, so the same text just fits into the one and not into the other.
    const asked = 'Reply with exactly: ';
    const room = RESPONSE_BYTES_MAX - bytes + slow('sample').length - asked.length - 40;
    const id = await create(asked + 'long '.repeat(room / 5));
    expect(await ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'answer_not_kept' },
      output: [],
    });
    expect(await charges(id)).toMatchObject([{ outcome: 'completed', cost: expect.any(String) }]);
    const input = 'long '.repeat(2_000);
    const rejected = await gateway.post('/v1/responses', { model: 'sim-chat', input, background: true });
    expect(rejected.status).toBe(413);
  });
});
