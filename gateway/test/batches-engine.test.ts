/** How our own workers run the lines of a batch: cancelled, expired, refused for a while, taken over. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../src/database/sql.ts';
import { BatchStage, chatLine } from './support/batches-stage.ts';
import { engines } from './support/engines.ts';
import { startGateway, type TestGateway, testConfig } from './support/gateway.ts';

/** A provider that refuses for a while, then answers. */
interface Moody {
  readonly server: Server;
  /** Answers this many 429 first. */
  refuse: number;
  asked: number;
  /** What a request of this number waits for. */
  gate: (asked: number) => Promise<void> | null;
}

async function startMoody(): Promise<Moody> {
  const moody: Omit<Moody, 'server'> = { refuse: 0, asked: 0, gate: () => null };
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      await moody.gate(++moody.asked);
      const refused = moody.refuse-- > 0;
      response.writeHead(refused ? 429 : 200, { 'content-type': 'application/json', 'retry-after': '0' });
      const message = { role: 'assistant', content: 'ok' };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const head = { id: 'x', object: 'chat.completion', created: 1, model: 'm', usage };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      response.end(JSON.stringify(refused ? { error: { message: 'slow down' } } : { ...head, choices }));
    };
    request.resume().on('end', () => void answer());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(moody, { server });
}

describe.each(engines)('our own engine on %s', (engine) => {
  let gateway: TestGateway;
  let stage: BatchStage;
  let moody: Moody;
  beforeAll(async () => {
    moody = await startMoody();
    const { port } = moody.server.address() as AddressInfo;
    const config = testConfig({
      providers: `  moody: { dialect: openai, base_url: 'http://127.0.0.1:${port}/v1', api_key: k }`,
      models: '  moody: { batch: true, routes: [{ provider: moody, model: m }] }',
      limits: 'limits: { batch_lines: 4 }',
    })
      .replace('models:\n  sim-chat: {', 'models:\n  sim-chat: { batch: true,')
      .replace(
        'sim-chat: { input: 2.5,',
        'moody: { batch_input: 1, batch_output: 1 }\n    sim-chat: { batch_input: 1.25, batch_output: 5, input: 2.5,',
      );
    gateway = await startGateway({ engine, config });
    stage = new BatchStage(gateway);
  });
  afterAll(async () => {
    await gateway.stop();
    moody.server.close();
  });
  afterEach(async () => {
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
  });

  const slowLines = (count: number): string[] =>
    Array.from({ length: count }, (_, i) =>
      chatLine(`slow-${i}`, `[[fault slow-first-byte]] [[delay 150]] ${i}`),
    );

  async function files(batch: { output_file_id: string | null; error_file_id: string | null }) {
    return [await stage.lines(batch.output_file_id), await stage.lines(batch.error_file_id)] as const;
  }

  const moodyLines = (count: number): string[] =>
    Array.from({ length: count }, (_, i) => chatLine(`m-${i}`, `${i}`, { model: 'moody' }));

  test('a cancelled batch keeps and charges what was done; the rest is told line by line', async () => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = (asked: number) => (asked <= 10 ? first.promise : second.promise);
    Object.assign(moody, { asked: 0, gate: (asked: number) => (asked <= 6 ? null : held(asked)) });
    const { id } = await stage.submitted(moodyLines(24));
    await stage.until(id, ({ request_counts }) => request_counts.completed === 6);
    const reply = await stage.cancel(id);
    expect([reply.status, ((await reply.json()) as { status: string }).status]).toEqual([200, 'cancelling']);
    // With the lines under way the worker hears of it; those that began meanwhile come to their end too.
    first.resolve();
    await stage.until(id, ({ request_counts }) => request_counts.completed === 10);
    second.resolve();
    const batch = await stage.settled(id);
    moody.gate = () => null;
    expect(batch.status).toBe('cancelled');
    const { completed } = batch.request_counts;
    const [output, errors] = await files(batch);
    expect(completed).toBeGreaterThanOrEqual(10);
    expect(completed).toBeLessThan(24);
    expect([output.size, errors.size]).toEqual([completed, 24 - completed]);
    for (const line of errors.values())
      expect(line).toMatchObject({ response: null, error: { code: 'batch_cancelled' } });
    expect(Number(batch.settled_units)).toBeGreaterThan(0);
  });

  test('a batch expires after its window with what was done by then', async () => {
    // Its window is made short as it is written.
    await gateway.query(sql`
      create function short_window() returns trigger language plpgsql as $$
      begin new.expires_at := new.created_at + interval '400 milliseconds'; return new; end $$`);
    await gateway.query(
      sql`create trigger short before insert on batches for each row execute function short_window()`,
    );
    const { id } = await stage.submitted(slowLines(40));
    await gateway.query(sql`drop trigger short on batches`);
    const batch = await stage.settled(id);
    expect(batch.status).toBe('expired');
    const [output, errors] = await files(batch);
    expect(output.size).toBeLessThan(40);
    expect(output.size + errors.size).toBe(40);
    for (const line of errors.values()) expect(line.error?.code).toBe('batch_expired');
  });

  test('lines that the provider has no room for wait, and fail none', async () => {
    moody.refuse = 30;
    moody.asked = 0;
    const { id } = await stage.submitted(moodyLines(10));
    const batch = await stage.settled(id);
    expect(batch.request_counts).toEqual({ total: 10, completed: 10, failed: 0 });
    expect(moody.asked).toBe(40);
  });

  test('whoever lost a batch can write nothing more of it, and it still comes to its end', async () => {
    const { id } = await stage.submitted(slowLines(16));
    await stage.until(id, ({ request_counts }) => request_counts.completed >= 2);
    // As if the lease had run out while the holder slept.
    await gateway.query(
      sql`update jobs set epoch = epoch + 1, lease_until = null, due_at = now() where subject = ${id}`,
    );
    const batch = await stage.settled(id);
    expect(batch.request_counts).toEqual({ total: 16, completed: 16, failed: 0 });
    const [output] = await files(batch);
    expect(output.size).toBe(16);
  });

  test('blank lines and line ends are as they were, and results keep the order of the input', async () => {
    const { id } = await stage.submitted([
      chatLine('a', 'x'),
      '',
      chatLine('b', 'x'),
      '   ',
      `${chatLine('c', 'x')}\r`,
    ]);
    const batch = await stage.settled(id);
    expect([...(await files(batch))[0].keys()]).toEqual(['a', 'b', 'c']);
  });
});
