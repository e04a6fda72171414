import { getEventListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { MIB } from '../kernel/bytes.ts';
import { systemClock } from '../kernel/time.ts';
import { TransferClient } from './transfer.ts';

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function clientTo(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  { silenceTimeoutMs = 5_000, totalMs = 60_000 }: { silenceTimeoutMs?: number; totalMs?: number } = {},
): Promise<TransferClient> {
  server = createServer(answer);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/base/`;
  return new TransferClient({
    ...{ baseUrl, clock: systemClock, connectTimeoutMs: 2_000, silenceTimeoutMs },
    ...{ callTotalMs: totalMs, transferTotalMs: totalMs },
  });
}

async function readAll(pieces: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of pieces);
}

const signal = new AbortController().signal;

test('a body goes out in pieces, no faster than it is taken, with its length in a header', async () => {
  let [made, taken] = [0, 0];
  let ahead = 0;
  const client = await clientTo((request, response) => {
    request.on('data', (piece: Buffer) => {
      taken += piece.length;
      ahead = Math.max(ahead, made - taken);
    });
    request.on('end', () => response.end(`${request.url} ${request.headers['content-length']}`));
  });
  const body = {
    length: 32 * MIB,
    async *pieces() {
      for (let i = 0; i < 32; i++) {
        made += MIB;
        yield Buffer.alloc(MIB);
      }
    },
  };
  const reply = await client.ask({ method: 'POST', path: '/x?y', headers: {}, body, signal }, 1_000);
  expect(reply.body.toString()).toBe(`/base/x?y ${32 * MIB}`);
  expect([made, taken]).toEqual([32 * MIB, 32 * MIB]);
  expect(ahead).toBeLessThan(16 * MIB);
});

test('an answer comes in pieces, no faster than it is taken', async () => {
  let written = 0;
  const answer = async (response: ServerResponse): Promise<void> => {
    for (let i = 0; i < 64; i++) {
      written += MIB;
      if (!response.write(Buffer.alloc(MIB))) await new Promise((resolve) => response.once('drain', resolve));
    }
    response.end();
  };
  const client = await clientTo((_, response) => void answer(response));
  const reply = await client.send({ method: 'GET', path: '/x', headers: {}, signal });
  let taken = 0;
  for await (const piece of reply.pieces()) {
    taken += piece.length;
    if (taken === piece.length) expect(written).toBeLessThan(64 * MIB);
  }
  expect(taken).toBe(64 * MIB);
});

test('a server that is unreachable, breaks off before or during the answer, or is silent has an error of its own', async () => {
  const reset = await clientTo((request) => request.socket.resetAndDestroy());
  const request = { method: 'GET', path: '/', headers: {}, signal } as const;
  await expect(reset.ask(request, 10)).rejects.toMatchObject({ kind: 'reset' });
  const cut = await clientTo((_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.destroy());
  });
  await expect(cut.ask(request, 1_000)).rejects.toMatchObject({ kind: 'cut' });
  const silent = await clientTo(() => undefined, { silenceTimeoutMs: 60 });
  await expect(silent.ask(request, 10)).rejects.toMatchObject({ kind: 'timeout' });
  const huge = await clientTo((_, response) => response.end('x'.repeat(11)));
  await expect(huge.ask(request, 10)).rejects.toMatchObject({ kind: 'cut' });
  server?.close();
  server?.closeAllConnections();
  await expect(huge.ask(request, 10)).rejects.toMatchObject({ kind: 'connect' });
});

test('a body that cannot be made, or a caller who leaves, ends the request before it is whole', async () => {
  let whole = 0;
  const client = await clientTo((request) => request.resume().on('end', () => whole++));
  const body = {
    length: 10,
    async *pieces() {
      yield Buffer.from('12345');
      throw new Error('no more');
    },
  };
  const request = { method: 'POST', path: '/', headers: {}, signal } as const;
  await expect(client.ask({ ...request, body }, 10)).rejects.toMatchObject({ kind: 'aborted' });
  const leaving = new AbortController();
  const asked = client.ask({ ...request, method: 'GET', signal: leaving.signal }, 10);
  leaving.abort();
  await expect(asked).rejects.toMatchObject({ kind: 'aborted' });
  expect(whole).toBe(0);
});

test('an answer without end, in whatever way, is given up after its time', async () => {
  const request = { method: 'GET', path: '/', headers: {}, signal } as const;
  const dripping = await clientTo(
    (_, response) => {
      response.writeHead(200);
      const stop = systemClock.every(10, () => void response.write('x'));
      response.once('close', stop);
    },
    { totalMs: 200 },
  );
  await expect(dripping.ask(request, 1_000_000)).rejects.toMatchObject({ kind: 'timeout' });
  const reply = await dripping.send(request);
  await expect(readAll(reply.pieces())).rejects.toMatchObject({ kind: 'timeout' });
  const informing = await clientTo(
    (_, response) => {
      const stop = systemClock.every(10, () => void response.writeProcessing());
      response.once('close', stop);
    },
    { totalMs: 200 },
  );
  await expect(informing.ask(request, 1_000_000)).rejects.toMatchObject({ kind: 'timeout' });
  const flooding = await clientTo((_, response) => {
    for (let i = 0; i < 200; i++) response.writeProcessing();
  });
  await expect(flooding.ask(request, 1_000_000)).rejects.toMatchObject({ kind: 'cut' });
});

test('an answer in another protocol is a failure', async () => {
  const client = await clientTo((request) => {
    request.socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
  });
  const request = { method: 'GET', path: '/', headers: {}, signal } as const;
  await expect(client.ask(request, 10)).rejects.toMatchObject({ kind: 'reset' });
});

test('a transfer listens to its signal only while it runs', async () => {
  const client = await clientTo((_request, response) => response.end('x'));
  const { signal } = new AbortController();
  const reply = await client.send({ method: 'GET', path: '/x', headers: {}, signal });
  expect(getEventListeners(signal, 'abort').length).toBe(1);
  await readAll(reply.pieces());
  expect(getEventListeners(signal, 'abort').length).toBe(0);
});
