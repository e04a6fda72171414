/** Providers whose answers never end: a call is over when its time is. */

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const CHUNKED = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';

/** What comes first, and what comes again and again. */
const ways: Readonly<Record<string, readonly [string, string]>> = {
  informational: ['', 'HTTP/1.1 102 Processing\r\n\r\n'],
  trailers: [`${CHUNKED}2\r\n{}\r\n0\r\n`, 'a: b\r\n'],
  drops: [CHUNKED, '1\r\n \r\n'],
  'drops-of-an-error': [CHUNKED.replace('200 OK', '400 No'), '1\r\n \r\n'],
  'drops-of-a-head': ['HTTP/1.1 200 OK\r\nx: ', 'x'],
};

let gateway: TestGateway;
let provider: Server;
const sockets = new Set<Socket>();

beforeAll(async () => {
  provider = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const way = Object.keys(ways).find((name) => bytes.includes(`"${name}"`));
      const [first, again] = ways[way ?? ''] ?? ['', ''];
      socket.write(first);
      const stop = systemClock.every(30, () => void socket.write(again));
      socket.once('close', () => {
        stop();
        sockets.delete(socket);
      });
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  gateway = await startGateway({
    config: testConfig({
      providers: `  endless: { dialect: openai, base_url: "http://127.0.0.1:${port}/v1", api_key: k }`,
      models: Object.keys(ways)
        .map(
          (way) => `  ${way}: { capabilities: [streaming], routes: [{ provider: endless, model: ${way} }] }`,
        )
        .join('\n'),
      limits: 'limits: { call_total_ms: 1000, stream_total_ms: 1000 }',
    }),
  });
});
afterAll(async () => {
  await gateway.stop();
  provider.close();
  for (const socket of sockets) socket.destroy();
});

test.concurrent.each(
  Object.keys(ways).flatMap((way) => [true, false].map((stream) => [way, stream] as const)),
)(
  'an answer that is %s without end (stream: %s) is given up when its time is over',
  async (model, stream) => {
    const response = await gateway.chat({ model, stream, messages: [{ role: 'user', content: 'x' }] });
    const body = await response.text();
    // A rejection is known by its status, even if its text never ended.
    const error = model === 'drops-of-an-error';
    expect([response.status, body]).toEqual([error ? 400 : 504, expect.stringContaining('error_ref')]);
    const id = response.headers.get('x-request-id');
    await vi.waitFor(async () => {
      const rows = await gateway.query<object>(sql`select outcome, cost from calls where id = ${id}`);
      expect(rows).toEqual([{ outcome: 'failed', cost: null }]);
    }, PATIENCE);
  },
);

test('and nothing of them is left', async () => {
  await vi.waitFor(() => expect(sockets.size).toBe(0), PATIENCE);
});
