/**
 * Calls whose callers leave before their cost is known: what they cost at most is held from that moment on, so that leaving
 * early is no way to get answers that nobody pays for.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { LATE_USAGE_MS } from '../../src/calls/leave-call.ts';
import { sql } from '../../src/database/sql.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { letters } from '../support/random-letters.ts';
import { metricsOf, parseMetrics, sumOf } from '../support/read-metrics.ts';

/** Never sent to its end. */
const long = `[[chunks 400]] [[pace 20]] Reply with exactly: ${'answer '.repeat(400)}`;
const usage = { prompt_tokens: 11, completion_tokens: 22, total_tokens: 33 };

function chunk(more: object): string {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return `data: ${JSON.stringify({ ...head, ...more })}\n\n`;
}

function choice(delta: object, reason: string | null): string {
  return chunk({ choices: [{ index: 0, delta, finish_reason: reason }] });
}

describe.each(engines)('calls whose callers leave early on %s', (engine) => {
  /** The waits for usage that has not arrived; they end when a test says so. */
  const waits: Array<() => void> = [];
  const clock: Clock = {
    ...systemClock,
    after(ms, work) {
      if (ms !== LATE_USAGE_MS) return systemClock.after(ms, work);
      waits.push(work);
      return () => void waits.splice(waits.indexOf(work), 1);
    },
  };
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, clock });
  });
  afterAll(() => gateway.stop());

  async function poorKey(space: string, units: string): Promise<string> {
    await gateway.admin('spaces.create', { name: space });
    await gateway.admin('grants.add', { space, amount: units, kind: 'paid' });
    return (await gateway.admin('keys.create', { name: space, space, kind: 'shared' })).key;
  }

  /** Reads the beginning of an answer and leaves. */
  async function readSome(key: string, content = long): Promise<{ status: number; said: string }> {
    const leaving = new AbortController();
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim-chat', stream: true, messages: [{ role: 'user', content }] }),
      signal: leaving.signal,
    });
    if (reply.status !== 200) return { status: reply.status, said: await reply.text() };
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    let said = '';
    while (!said.includes('answer')) said += Buffer.from((await reader.read()).value ?? []).toString();
    leaving.abort();
    return { status: 200, said };
  }

  /** Leaves an answer whose model has finished and whose usage is missing: it is not counted before `release` or `giveUp`. */
  async function leaveWaiting(key: string, name: string): Promise<{ release(): void; giveUp(): void }> {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    gateway.simulator.answers.set(name, {
      body: '',
      frames: [
        `${choice({ role: 'assistant', content: 'answer' }, null)}${choice({}, 'stop')}`,
        `${chunk({ choices: [], usage })}data: [DONE]\n\n`,
      ],
      beforeLast: promise,
    });
    const padding = 'word '.repeat(400);
    expect((await readSome(key, `[[say ${name}]] ${padding}`)).status).toBe(200);
    await vi.waitFor(async () => {
      const series = parseMetrics(await (await metricsOf(gateway)).text());
      expect(sumOf(series, 'tollgate_left_calls_durable')).toBe(1);
    }, PATIENCE);
    return { release, giveUp: () => waits.shift()?.() };
  }

  async function calls(space: string): Promise<Array<Record<string, string | number>>> {
    return await gateway.query(sql`
      select trim_scale(cost)::text as cost, usage_source, outcome, input_tokens, output_tokens from calls
      where space_id = (select id from spaces where name = ${space}) order by id`);
  }
  const charged = (space: string, count: number) =>
    vi.waitFor(async () => {
      const found = await calls(space);
      expect(found).toHaveLength(count);
      return found;
    }, PATIENCE);

  const soundBooks = async () => expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);

  test('another space that counts long words delays no charge: of 30 answers that are left, few are given', async () => {
    const key = await poorKey('poor', '0.001');
    const other = await poorKey('noisy', '1');
    const leaving = new AbortController();
    for (const text of ['x'.repeat(60_000), letters(500_000)]) {
      fetch(`${gateway.url}/v1/messages/count_tokens`, {
        method: 'POST',
        headers: { 'x-api-key': other, 'vendor-version': '2023-06-01', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'sim-chat', messages: [{ role: 'user', content: text }] }),
        signal: leaving.signal,
      }).catch(() => undefined);
    }
    const statuses: number[] = [];
    for (let i = 0; i < 30; i++) statuses.push((await readSome(key)).status);
    leaving.abort();
    // The first is worth more than the space has. Another one may begin before the gateway notices that the first was left.
    const given = statuses.filter((status) => status === 200).length;
    expect(given).toBeLessThanOrEqual(3);
    expect(statuses.slice(3).every((status) => status === 402)).toBe(true);
    for (const { usage_source, outcome, cost } of await charged('poor', given)) {
      expect([usage_source, outcome]).toEqual(['estimated', 'partial']);
      expect(Number(cost)).toBeGreaterThan(0.001);
    }
    await soundBooks();
  });

  test('a call is held at its upper bound, and durable without a word of it, until the usage of its provider is there', async () => {
    const key = await poorKey('held', '0.004');
    const { release } = await leaveWaiting(key, 'held');
    const refused = await readSome(key);
    expect(refused.status).toBe(402);
    expect(JSON.parse(refused.said)).toMatchObject({
      type: 'insufficient_units',
      detail: expect.stringMatching(
        /has 0\.004 units left, and 0\.005\d+ are held .* again in a few seconds/,
      ),
    });
    expect(await calls('held')).toEqual([]);
    const [row] = await gateway.query<{ row: string }>(sql`select row from left_calls`);
    expect(row?.row).toContain('sim-chat');
    expect(row?.row).not.toMatch(/answer|word/);
    release();
    const cost = '0.0002475';
    const call = { cost, usage_source: 'provider', outcome: 'partial', input_tokens: 11, output_tokens: 22 };
    expect(await charged('held', 1)).toEqual([call]);
    // It cost less than was held.
    await vi.waitFor(async () => expect((await readSome(key)).status).toBe(200), PATIENCE);
    await charged('held', 2);
    const rows = () => gateway.query(sql`select 1 from left_calls`);
    await vi.waitFor(async () => expect(await rows()).toEqual([]), PATIENCE);
    await soundBooks();
  });

  test("it counts against the key's monthly limit, and is counted if the usage does not come in time", async () => {
    await gateway.admin('spaces.create', { name: 'rich', overage: true });
    const { key } = await gateway.admin('keys.create', { name: 'rich', space: 'rich', kind: 'shared' });
    await gateway.admin('keys.limit', { space: 'rich', name: 'rich', month_limit: '0.004' });
    const { giveUp } = await leaveWaiting(key, 'limited');
    const refused = await readSome(key);
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.said).detail).toMatch(/0 of 0\.004 units are spent\. 0\.005\d+ units are held/);
    giveUp();
    const [call] = await charged('rich', 1);
    expect(call).toMatchObject({ usage_source: 'estimated', outcome: 'partial', output_tokens: 1 });
    await soundBooks();
  });
});
