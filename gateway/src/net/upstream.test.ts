/** Connections to providers that say more, earlier or for longer than they should. */

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../kernel/time.ts';
import { type Body, BodyCollector } from './collect-body.ts';
import { UpstreamClient } from './upstream.ts';
import { UpstreamFailure } from './upstream-call.ts';

const closing: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const answer = (text: string): string => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

interface Provider {
  readonly client: UpstreamClient;
  readonly connections: Socket[];
}

/** A provider that runs `onConnection` for each connection. */
async function provider(onConnection: (socket: Socket, index: number) => void): Promise<Provider> {
  const connections: Socket[] = [];
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    connections.push(socket);
    onConnection(socket, connections.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = clientTo((server.address() as AddressInfo).port);
  closing.push(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  return { client, connections };
}

function clientTo(port: number): UpstreamClient {
  const client = new UpstreamClient({
    baseUrl: `http://127.0.0.1:${port}`,
    clock: systemClock,
    connectTimeoutMs: 5_000,
    silenceTimeoutMs: 60_000,
  });
  closing.push(() => client.close());
  return client;
}

/** The text of the answer, or how it failed. */
function ask(
  client: UpstreamClient,
  options: { body?: Buffer; totalMs?: number; onEnd?: () => void } = {},
): Promise<string> {
  return new Promise((resolve) => {
    const done = (body: Body | UpstreamFailure): void => {
      options.onEnd?.();
      resolve(body instanceof UpstreamFailure ? body.kind : body.whole().toString());
    };
    client.endpoint('/', {}).post(options.body ?? Buffer.from('{}'), {
      head: () => new BodyCollector({ bytesMax: 1_000_000, onTooLong: () => undefined, done }),
      fail: done,
      ...(options.totalMs !== undefined && { untilMs: systemClock.elapsedMs() + options.totalMs }),
    });
  });
}

/** Long enough for a connection to be used again, and for a look into it to be taken first. */
function rest(): Promise<void> {
  return new Promise((resolve) => void systemClock.after(10, resolve));
}

/** A provider in a thread of its own, which can act while this one does nothing. */
async function threadedProvider(onConnection: string): Promise<{ port: number; waitForSurplus(): void }> {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(
    `const { parentPort, workerData: shared } = require('node:worker_threads');
     let count = 0, last = null;
     const answer = (text) => 'HTTP/1.1 200 OK\\r\\ncontent-length: ' + text.length + '\\r\\n\\r\\n' + text;
     const surplus = () => last.write(answer('of somebody else'), () => {
       Atomics.store(shared, 0, 1);
       Atomics.notify(shared, 0);
     });
     const server = require('node:net').createServer((socket) => {
       last = socket;
       socket.on('error', () => undefined);
       socket.on('data', () => socket.write(answer('answer ' + ++count)));
       ${onConnection}
     }).listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
     parentPort.on('message', surplus);`,
    { eval: true, workerData: shared },
  );
  closing.push(() => worker.terminate());
  const port = await new Promise<number>((resolve) => void worker.once('message', resolve));
  return {
    port,
    waitForSurplus() {
      if (onConnection === '') worker.postMessage('surplus');
      expect(Atomics.wait(shared, 0, 0, 10_000)).not.toBe('timed-out');
      Atomics.store(shared, 0, 0);
    },
  };
}

test('an idle connection on which something came, even if nobody read it yet, answers no call', async () => {
  const { port, waitForSurplus } = await threadedProvider('');
  const client = clientTo(port);
  for (let round = 1; round <= 20; round++) {
    expect(await ask(client)).toBe(`answer ${2 * round - 1}`);
    await rest();
    // The event loop stands still while the surplus comes, and then the next call is made at once.
    waitForSurplus();
    expect(await ask(client)).toBe(`answer ${2 * round}`);
  }
});

test('what a server sends before it was asked is nobody’s answer', async () => {
  const { port, waitForSurplus } = await threadedProvider('surplus();');
  const client = clientTo(port);
  for (let round = 0; round < 5; round++) {
    const asked = ask(client);
    // By then it has begun to connect, and cannot know yet that it did.
    await new Promise<void>((resolve) => setImmediate(() => process.nextTick(resolve)));
    waitForSurplus();
    expect(await asked).toBe('connect');
  }
});

test('what follows an answer closely does not reach the next call, which is not harmed either', async () => {
  const { client, connections } = await provider((socket, index) => {
    socket.on('data', () => {
      socket.write(answer(`own ${index}`));
      setImmediate(() => socket.write(answer('of somebody else')));
    });
  });
  for (let i = 0; i < 50; i++) expect(await ask(client)).toMatch(/^own \d+$/);
  expect(connections.length).toBeGreaterThan(1);
});

test('an answer with more behind it is given, and a call made at that moment takes another connection', async () => {
  const { client, connections } = await provider((socket, index) => {
    socket.on('data', () => socket.write(`${answer(`own ${index}`)}${index === 0 ? answer('extra') : ''}`));
  });
  let next: Promise<string> | null = null;
  const first = await ask(client, {
    onEnd: () => {
      next = ask(client);
    },
  });
  expect([first, await next]).toEqual(['own 0', 'own 1']);
  await rest();
  // A provider that did that once may have more on its way: every call has a connection of its own from now on.
  expect([await ask(client), await ask(client)]).toEqual(['own 2', 'own 3']);
  expect(connections).toHaveLength(4);
});

test('a good answer that comes before the request was sent is not its answer; a refusal may be', async () => {
  const body = Buffer.alloc(64 * 1024 * 1024);
  const early = await provider((socket) => {
    socket.once('data', () => {
      socket.pause();
      socket.write(answer('to somebody else'));
    });
  });
  expect(await ask(early.client, { body })).toBe('reset');
  const refusing = await provider((socket) => {
    socket.once('data', () => {
      socket.pause();
      socket.write('HTTP/1.1 413 Too large\r\ncontent-length: 9\r\n\r\ntoo large');
    });
  });
  expect(await ask(refusing.client, { body })).toBe('too large');
});

test('a connection that rested is used again', async () => {
  const { client, connections } = await provider((socket) =>
    socket.on('data', () => socket.write(answer('x'))),
  );
  for (let i = 0; i < 5; i++) {
    expect(await ask(client)).toBe('x');
    await rest();
  }
  expect(connections).toHaveLength(1);
});

test.each([
  ['informational answers', 'HTTP/1.1 102 Processing\r\n\r\n', 60_000, 'cut'],
  ['informational answers, slowly', 'HTTP/1.1 102 Processing\r\n\r\n', 300, 'timeout'],
  ['trailers', 'x-more: of it\r\n', 300, 'timeout'],
  ['a body by the drop', '1\r\nx\r\n', 300, 'timeout'],
])('%s without end do not hold a call', async (_, piece, totalMs, kind) => {
  const heads: Record<string, string> = {
    'x-more: of it\r\n': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n',
    '1\r\nx\r\n': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
  };
  const { client } = await provider((socket) => {
    socket.once('data', () => {
      socket.write(heads[piece] ?? '');
      const stop = systemClock.every(totalMs === 60_000 ? 1 : 30, () => void socket.write(piece));
      socket.once('close', stop);
    });
  });
  expect(await ask(client, { totalMs })).toBe(kind);
});
