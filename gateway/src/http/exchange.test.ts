import { expect, onTestFinished, test } from 'vitest';
import { startEdge } from '../../test/support/edge.ts';
import { Exchange } from './exchange.ts';
import { FairQueue } from './fair-queue.ts';

const pieces = Array.from({ length: 300 }, (_, i) => Buffer.alloc(20_000 + i, String(i % 10)));

test('a body in several buffers arrives complete and in order, with its length', async () => {
  const facts = { id: 'req_1', startedAt: 0, startedMs: 0, queue: new FairQueue() };
  const { server, url } = await startEdge((request, response) =>
    new Exchange(request, response, facts).sendJsonPieces(200, pieces, {}),
  );
  onTestFinished(() => server.stop());
  const reply = await fetch(url);
  const body = Buffer.from(await reply.arrayBuffer());
  expect(body.equals(Buffer.concat(pieces))).toBe(true);
  expect(reply.headers.get('content-length')).toBe(String(body.length));
});
