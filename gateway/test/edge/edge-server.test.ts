/** Our HTTP server over real sockets: bytes that it rejects, keeping connections, and the order of answers. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { EdgeResponse } from '../../src/edge/edge-response.ts';
import { hasRoom } from '../../src/http/send-stream.ts';
import { startEdge, type TestEdge } from '../support/edge.ts';
import { PATIENCE } from '../support/patience.ts';

let edge: TestEdge;
const seen: string[] = [];

beforeAll(async () => {
  edge = await startEdge((request, response) => {
    seen.push(request.url);
    const body: Buffer[] = [];
    request.on('data', (chunk) => body.push(chunk));
    request.on('end', () => {
      const text = `${request.method} ${request.url} ${Buffer.concat(body).toString()}`;
      setImmediate(() => {
        if (request.url === '/chunks') {
          response.writeHead(200, []).write('첫');
          response.end('last');
        } else response.writeHead(200, { 'content-length': Buffer.byteLength(text) }).end(text);
      });
    });
    request.resume();
  });
});
afterAll(() => edge.server.stop());

/** Everything that comes back until the connection closes. */
async function send(text: string, port = edge.port): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    received += piece;
  });
  socket.on('error', () => undefined);
  socket.write(Buffer.from(text, 'latin1'));
  await once(socket, 'close');
  return received;
}

const statuses = (received: string): string[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status as string);

const chunked = (body: string): string =>
  `POST /x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${body}`;
const withLines = (...lines: string[]): string =>
  `${['POST /x HTTP/1.1', 'host: a', ...lines].join('\r\n')}\r\n\r\nabcde`;

describe('a request that could be read in two ways answers 400, and its connection closes', () => {
  test.each([
    ['two equal lengths', withLines('content-length: 5', 'content-length: 5')],
    ['a length and an encoding', withLines('content-length: 5', 'transfer-encoding: chunked')],
    ['an encoding beside chunked', withLines('transfer-encoding: gzip, chunked')],
    ['two encodings', withLines('transfer-encoding: chunked', 'transfer-encoding: chunked')],
    ['an encoding with a control character', withLines('transfer-encoding: \x0bchunked')],
    ['an encoding before a tab', withLines('transfer-encoding: chunked\t')],
    ['a length after a tab', withLines('content-length:\t5')],
    ['an encoding in HTTP/1.0', withLines('transfer-encoding: chunked').replace('1.1', '1.0')],
    ['a length with a sign', withLines('content-length: +5')],
    ['a hexadecimal length', withLines('content-length: 0x5')],
    ['an empty length', withLines('content-length:')],
    ['a length of 16 digits', withLines('content-length: 0000000000000005')],
    ['a bare carriage return', withLines('x-a: 1\rcontent-length: 5')],
    ['a bare line feed', withLines('x-a: 1\ncontent-length: 5')],
    ['a blank before the colon', withLines('content-length : 5')],
    ['a folded line', withLines('x-a: 1', ' content-length: 5')],
    ['a name with a control character', withLines('x\x01: 5')],
    ['a line without a colon', withLines('content-length 5')],
    ['a line without a name', withLines(': 5')],
    ['a tab in the request line', 'GET\t/ HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['a space in the target', 'GET /a b HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['a target with bytes above ASCII', 'GET /\xe9 HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['CONNECT', 'CONNECT a:80 HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['a method in lower case', 'get / HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a chunk size with a sign', chunked('+5\r\nhello\r\n0\r\n\r\n')],
    ['a chunk size with 0x', chunked('0x5\r\nhello\r\n0\r\n\r\n')],
    ['a chunk size after a blank', chunked(' 5\r\nhello\r\n0\r\n\r\n')],
    ['a chunk size before a blank', chunked('5 \r\nhello\r\n0\r\n\r\n')],
    ['an overlong chunk size', chunked('000000005\r\nhello\r\n0\r\n\r\n')],
    ['an empty chunk size', chunked('\r\nhello\r\n0\r\n\r\n')],
    ['a chunk size that ends in a line feed', chunked('5\nhello\r\n0\r\n\r\n')],
    ['a control character in an extension', chunked('5;a=\x01\r\nhello\r\n0\r\n\r\n')],
    ['a chunk that is longer than its size', chunked('5\r\nhello!\r\n0\r\n\r\n')],
    ['a folded trailer', chunked('0\r\nx: 1\r\n y: 2\r\n\r\n')],
    ['a length in a trailer', chunked('0\r\ncontent-length: 5\r\n\r\n')],
  ])('%s', async (_, request) => {
    seen.length = 0;
    const received = await send(`${request}GET /behind HTTP/1.1\r\nhost: a\r\n\r\n`);
    expect(statuses(received)).toEqual(['400']);
    expect(received).toContain('connection: close');
    expect(seen).not.toContain('/behind');
  });

  test('a head of more than 16 KiB or of more than 256 headers answers 431', async () => {
    expect(statuses(await send(withLines(`x-a: ${'a'.repeat(17_000)}`)))).toEqual(['431']);
    expect(statuses(await send(withLines(...Array<string>(300).fill('x: 1'))))).toEqual(['431']);
  });
});

test('pipelined requests are answered in order on one connection', async () => {
  const last = 'GET /3 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
  const received = await send(
    `${withLines('content-length: 5')}${chunked('2;x=y\r\nhi\r\n0\r\nx-t: 1\r\n\r\n')}\r\n${last}`,
  );
  expect(statuses(received)).toEqual(['200', '200', '200']);
  expect(received).toMatch(/POST \/x abcde.*POST \/x hi.*GET \/3 $/s);
});

test('a hundred kilobytes of pipelined requests are all answered', async () => {
  const one = `POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n${'x'.repeat(1000)}`;
  const received = await send(`${one.repeat(100)}GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
  expect(statuses(received)).toHaveLength(101);
});

test('a body without a length is sent in chunks, or ends with the connection for HTTP/1.0', async () => {
  const modern = await send('GET /chunks HTTP/1.1\r\nconnection: close\r\n\r\n');
  expect(modern).toMatch(/Transfer-Encoding: chunked.*\r\n\r\n3\r\n첫\r\n4\r\nlast\r\n0\r\n\r\n$/s);
  const old = await send('GET /chunks HTTP/1.0\r\nconnection: keep-alive\r\n\r\n');
  expect(old).toMatch(/Connection: close\r\n\r\n첫last$/);
});

test('an answer to HEAD has the length of its body, and no body', async () => {
  const received = await send('HEAD /h HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  expect(received).toMatch(/content-length: 8\r\n.*\r\n\r\n$/s);
});

test('a header with a line break is not written', async () => {
  const broken: unknown[] = [];
  const { server, port } = await startEdge((_, response) => {
    try {
      response.writeHead(200, ['x-a', 'one\r\nx-b: two']);
    } catch (error) {
      broken.push(error);
      response.writeHead(500, ['content-length', '0']).end();
    }
  });
  const received = await send('GET / HTTP/1.1\r\nconnection: close\r\n\r\n', port);
  server.stop();
  expect([statuses(received), broken.length]).toEqual([['500'], 1]);
});

test.each([
  ['at its first bytes', 'data'],
  ['after its end', 'end'],
] as const)('an idle connection holds nothing of a request that was answered %s', async (_, event) => {
  let last = new WeakRef({});
  const holding = await startEdge((request, response) => {
    const body: Buffer[] = [];
    last = new WeakRef(body);
    request.on('data', (chunk) => body.push(chunk));
    request.once(
      event,
      () => void setImmediate(() => response.writeHead(200, { 'content-length': 0 }).end()),
    );
    request.resume();
  });
  const socket = connect(holding.port, '127.0.0.1');
  const [first, rest] = ['a'.repeat(50_000), 'a'.repeat(50_000)];
  socket.write(`POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n${first}`);
  if (event === 'data') await once(socket, 'data');
  socket.write(rest);
  if (event === 'end') await once(socket, 'data');
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  // An error of `expect` would hold what it compares.
  await vi.waitFor(() => {
    collectGarbage();
    expect(last.deref() === undefined).toBe(true);
  }, PATIENCE);
  expect(holding.server.size).toBe(1);
  socket.destroy();
  holding.server.stop();
});

test('bodies of two connections that arrive piece by piece are not mixed', async () => {
  const sizes = [300_000, 290_000];
  const received = await Promise.all(
    sizes.map(async (size, i) => {
      const socket = connect(edge.port, '127.0.0.1');
      let answer = '';
      socket.setEncoding('latin1').on('data', (piece: string) => {
        answer += piece;
      });
      const closed = once(socket, 'close');
      socket.write(`POST /${i} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: ${size}\r\n\r\n`);
      const piece = Buffer.alloc(10_000, i === 0 ? 'a' : 'b');
      for (let sent = 0; sent < size; sent += piece.length) {
        socket.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await closed;
      return answer.slice(answer.indexOf('\r\n\r\n') + 4);
    }),
  );
  expect(received[0] === `POST /0 ${'a'.repeat(300_000)}`).toBe(true);
  expect(received[1] === `POST /1 ${'b'.repeat(290_000)}`).toBe(true);
});

test('an answer that waits for its reader again and again leaves no listeners behind', async () => {
  const counted: number[] = [];
  const piece = Buffer.alloc(1024 * 1024);
  const answer = async (response: EdgeResponse): Promise<void> => {
    response.writeHead(200, { 'content-length': 20 * piece.length });
    for (let i = 0; i < 20; i++) {
      if (!response.write(piece)) await hasRoom(response);
      counted.push(response.listenerCount('close') + response.listenerCount('drain'));
    }
    response.end();
  };
  const waiting = await startEdge((_, response) => void answer(response));
  const reply = await fetch(`http://127.0.0.1:${waiting.port}/`);
  expect((await reply.arrayBuffer()).byteLength).toBe(20 * piece.length);
  expect(new Set(counted)).toEqual(new Set([0]));
  waiting.server.stop();
});
