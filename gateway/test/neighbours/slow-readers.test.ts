/** Readers that are slower than their provider: the gateway waits for them, and holds little meanwhile. */

import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { COALESCED_CHARACTERS_MAX } from '../../src/calls/write-coalescer.ts';
import { sql } from '../../src/database/sql.ts';
import { KEPT_CHARACTERS_MAX } from '../../src/text/relayed-frames.ts';
import { testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const READERS_OF_EACH = 6;
const FRAME_BYTES = 60_000;
/** What one stream may hold: what is gathered, what was read at once, what is kept for an estimate. */
const STREAM_BYTES_MAX = 1024 * 1024;
/** What the process may grow by for other reasons, of which the test itself is one. */
const OTHER_BYTES = 80 * 1024 * 1024;

const providers =
  '  anthropic: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, api_key: simulator-key, simulated: true }';
const models = `  endless: { capabilities: [streaming], routes: [{ provider: simulator, model: sim-fault-endless }] }
  endless-claude: { capabilities: [streaming], routes: [{ provider: anthropic, model: sim-fault-endless }] }`;

const content = `[[pace 0]] [[bytes ${FRAME_BYTES}]] Go on.`;
const messages = [{ role: 'user', content }];
/** Relayed and translated, in each format. */
const kinds: ReadonlyArray<readonly [path: string, body: object]> = [
  ['/v1/chat/completions', { model: 'endless', messages }],
  ['/v1/chat/completions', { model: 'endless-claude', messages }],
  ['/v1/messages', { model: 'endless-claude', messages, max_tokens: 100 }],
  ['/v1/responses', { model: 'endless', input: content }],
];

let gateway: TestGateway;
let metricsUrl: string;

beforeAll(async () => {
  gateway = await startGateway({ config: testConfig({ providers, models }) });
  metricsUrl = (await gateway.admin('status')).metricsUrl as string;
});
afterAll(() => gateway.stop());

/** A caller that asks and then reads nothing until the test makes it read. */
function ask([path, body]: (typeof kinds)[number]): Socket {
  const { hostname, port } = new URL(gateway.url);
  const text = JSON.stringify({ ...body, stream: true });
  const socket = connect({ host: hostname, port: Number(port) }).pause();
  socket.on('error', () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\nanthropic-version: 2023-06-01\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  return socket;
}

async function paused(): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(/^tollgate_streams_paused (\d+)$/m.exec(text)?.[1]);
}

function readBytes(socket: Socket, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    let read = 0;
    socket.on('data', (chunk: Buffer) => {
      read += chunk.length;
      if (read < bytes) return;
      socket.pause();
      resolve();
    });
    socket.resume();
  });
}

test('the named parts of what a stream holds fit its cap', () => {
  // A read is 64 KiB, a socket takes as much before it says stop, and a frame may have been cut in two.
  expect(COALESCED_CHARACTERS_MAX + KEPT_CHARACTERS_MAX + 4 * 64 * 1024).toBeLessThan(STREAM_BYTES_MAX);
});

test('callers that do not read stop their providers, and hold no more than the cap each', async () => {
  const before = process.memoryUsage().rss;
  const readers = kinds.flatMap((kind) => Array.from({ length: READERS_OF_EACH }, () => ask(kind)));
  await vi.waitFor(async () => expect(await paused()).toBe(readers.length), PATIENCE);
  const grown = process.memoryUsage().rss - before;
  expect(grown).toBeLessThan(readers.length * STREAM_BYTES_MAX + OTHER_BYTES);

  // One that reads on gets on: more than all that lies in the buffers on the way.
  await readBytes(readers[0] as Socket, 30_000_000);
  await vi.waitFor(async () => expect(await paused()).toBe(readers.length), PATIENCE);

  for (const reader of readers) reader.destroy();
  await vi.waitFor(async () => expect(await paused()).toBe(0), PATIENCE);
  await vi.waitFor(async () => {
    const rows = await gateway.query(sql`select id from calls where outcome = 'partial' and cost is null`);
    const all = await gateway.query(sql`select id from calls where outcome = 'partial'`);
    expect([rows.length, all.length]).toEqual([readers.length, readers.length]);
  }, PATIENCE);
});
