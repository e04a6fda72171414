import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Exchange } from './exchange.ts';
import { FairQueue } from './fair-queue.ts';

const pieces = Array.from({ length: 300 }, (_, i) => Buffer.alloc(20_000 + i, String(i % 10)));
const server = createServer((request, response) => {
  const exchange = new Exchange(request, response, {
    id: 'req_1',
    startedAt: 0,
    startedMs: 0,
    queue: new FairQueue(),
  });
  exchange.sendJsonPieces(200, pieces, {});
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

test('a body in several buffers arrives complete and in order, with its length', async () => {
  const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const body = Buffer.from(await reply.arrayBuffer());
  expect(body.equals(Buffer.concat(pieces))).toBe(true);
  expect(reply.headers.get('content-length')).toBe(String(body.length));
});
