import { expect, onTestFinished, test } from 'vitest';
import { startEdge } from '../../test/support/edge.ts';
import { Exchange } from './exchange.ts';
import { FairQueue } from './fair-queue.ts';

const pieces = Array.from({ length: 300 }, (_, i) => Buffer.alloc(20_000 + i, String(i % 10)));

async function sent(body: string | readonly Buffer[], headers: Record<string, string>): Promise<Response> {
  const facts = { id: 'req_1', startedAt: 0, startedMs: 0, queue: new FairQueue() };
  const { server, url } = await startEdge((request, response) =>
    new Exchange(request, response, facts).sendWhole(body, headers),
  );
  onTestFinished(() => server.stop());
  return await fetch(url);
}

test('a body in several buffers arrives complete and in order, with its length', async () => {
  const reply = await sent(pieces, {});
  const body = Buffer.from(await reply.arrayBuffer());
  expect(body.equals(Buffer.concat(pieces))).toBe(true);
  expect(reply.headers.get('content-length')).toBe(String(body.length));
});

test.each([
  ['a byte string', '\x00\xff'],
  ['buffers', [Buffer.from([0]), Buffer.from([255])]],
])('%s is JSON, or what its headers say', async (_, body) => {
  const typeOf = (reply: Response): string | null => reply.headers.get('content-type');
  expect(typeOf(await sent(body, { 'x-own': '1' }))).toBe('application/json');
  const spoken = await sent(body, { 'content-type': 'audio/mpeg', 'x-own': '1' });
  expect([typeOf(spoken), spoken.headers.get('x-own')]).toEqual(['audio/mpeg', '1']);
  expect([...new Uint8Array(await spoken.arrayBuffer())]).toEqual([0, 255]);
});
