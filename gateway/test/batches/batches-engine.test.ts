/** How our own workers run the lines of a batch: cancelled, expired, rate limited, taken over. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { testConfig, withBatches } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** A provider that answers 429 for a while. */
interface BusyProvider {
  readonly server: Server;
  /** The number of requests that still get 429. */
  refuse: number;
  asked: number;
  /** What the request with this number waits for. */
  gate: (asked: number) => Promise<void> | null;
}

async function startBusyProvider(): Promise<BusyProvider> {
  const busy: Omit<BusyProvider, 'server'> = { refuse: 0, asked: 0, gate: () => null };
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      await busy.gate(++busy.asked);
      const rejected = busy.refuse-- > 0;
      response.writeHead(rejected ? 429 : 200, { 'content-type': 'application/json', 'retry-after': '0' });
      const message = { role: 'assistant', content: 'ok' };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const head = { id: 'x', object: 'chat.completion', created: 1, model: 'm', usage };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      response.end(JSON.stringify(rejected ? { error: { message: 'slow down' } } : { ...head, choices }));
    };
    request.resume().on('end', () => void answer());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(busy, { server });
}

describe.each(engines)('our own engine on %s', (engine) => {
  let gateway: TestGateway;
  let stage: BatchStage;
  let busy: BusyProvider;
  beforeAll(async () => {
    busy = await startBusyProvider();
    const { port } = busy.server.address() as AddressInfo;
    const batches = testConfig({
      providers: `  busy: { dialect: openai, base_url: 'http://127.0.0.1:${port}/v1', api_key: k }`,
      models: '  busy: { batch: true, routes: [{ provider: busy, model: m }] }',
      limits: 'limits: { batch_lines: 4 }',
      prices: { busy: { batch_input: 1, batch_output: 1 } },
    });
    gateway = await startGateway({ engine, config: withBatches(batches) });
    stage = new BatchStage(gateway);
  });
  afterAll(async () => {
    // Whatever the tests did, the books agree.
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
    await gateway.stop();
    busy.server.close();
  });

  const slowLines = (count: number): string[] =>
    Array.from({ length: count }, (_, i) =>
      chatLine(`slow-${i}`, `[[fault slow-first-byte]] [[delay 150]] ${i}`),
    );

  async function files(batch: { output_file_id: string | null; error_file_id: string | null }) {
    return [await stage.lines(batch.output_file_id), await stage.lines(batch.error_file_id)] as const;
  }

  const busyLines = (count: number): string[] =>
    Array.from({ length: count }, (_, i) => chatLine(`m-${i}`, `${i}`, { model: 'busy' }));

  test('a cancelled batch keeps and charges the finished lines, and reports every other line as an error', async () => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const gateOf = (asked: number) => (asked <= 10 ? first.promise : second.promise);
    Object.assign(busy, { asked: 0, gate: (asked: number) => (asked <= 6 ? null : gateOf(asked)) });
    const { id } = await stage.submitted(busyLines(24));
    await stage.until(id, ({ request_counts }) => request_counts.completed === 6);
    const reply = await stage.cancel(id);
    expect([reply.status, ((await reply.json()) as { status: string }).status]).toEqual([200, 'cancelling']);
    // The worker notices the cancellation when it stores running lines; lines that started meanwhile finish too.
    first.resolve();
    await stage.until(id, ({ request_counts }) => request_counts.completed === 10);
    second.resolve();
    const batch = await stage.settled(id);
    busy.gate = () => null;
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

  test('a batch expires after its window and keeps the lines that are done', async () => {
    // A trigger shortens the window.
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

  test('lines that get 429 are retried until they succeed', async () => {
    busy.refuse = 30;
    busy.asked = 0;
    const { id } = await stage.submitted(busyLines(10));
    const batch = await stage.settled(id);
    expect(batch.request_counts).toEqual({ total: 10, completed: 10, failed: 0 });
    expect(busy.asked).toBe(40);
  });

  test('a batch that another process takes over ends with every line exactly once', async () => {
    const { id } = await stage.submitted(slowLines(16));
    await stage.until(id, ({ request_counts }) => request_counts.completed >= 2);
    // As if the lease had expired while its process was suspended.
    await gateway.query(
      sql`update jobs set epoch = epoch + 1, lease_until = null, due_at = now() where subject = ${id}`,
    );
    const batch = await stage.settled(id);
    expect(batch.request_counts).toEqual({ total: 16, completed: 16, failed: 0 });
    const [output] = await files(batch);
    expect(output.size).toBe(16);
  });

  test('blank lines and CRLF are accepted, and results keep the order of the input', async () => {
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
