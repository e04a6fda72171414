/** Clients that neither send a request nor read their answer: how long they may keep a connection. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import type { EdgeRequest } from '../../src/edge/edge-request.ts';
import type { EdgeResponse } from '../../src/edge/edge-response.ts';
import { hasRoom } from '../../src/http/send-stream.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { startEdge, type TestEdge } from '../support/edge.ts';
import { PATIENCE } from '../support/patience.ts';

const [HEAD_MS, REQUEST_MS, KEEP_ALIVE_MS, STALL_MS, ANSWER_MS] = [10, 20, 30, 40, 1_000];
/** More than all buffers of a connection hold. */
const LARGE = Buffer.alloc(48 * 1024 * 1024);

/** Time passes only by hand. */
interface HandTime extends Clock {
  elapsed: number;
}

interface TimedEdge extends TestEdge {
  readonly cuts: string[];
  pass(ms: number): void;
  stop(): void;
}

async function startTimed(
  handle: (request: EdgeRequest, response: EdgeResponse) => void,
): Promise<TimedEdge> {
  const clock: HandTime = { ...systemClock, elapsed: 0, elapsedMs: () => clock.elapsed };
  const cuts: string[] = [];
  const edge = await startEdge(handle, {
    ...{ clock, headMs: HEAD_MS, requestMs: REQUEST_MS, keepAliveMs: KEEP_ALIVE_MS },
    ...{ stallMs: STALL_MS, streamStallMs: STALL_MS, answerMs: ANSWER_MS, cut: (why) => cuts.push(why) },
  });
  return {
    ...edge,
    cuts,
    pass(ms) {
      clock.elapsed += ms;
      edge.server.checkTimeouts();
    },
    stop: () => edge.server.stop(),
  };
}

interface Caller {
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: Promise<unknown>;
}

async function call(edge: TestEdge, text: string): Promise<Caller> {
  const socket = connect(edge.port, '127.0.0.1');
  let received = '';
  socket.on('data', (piece) => {
    received += String(piece);
  });
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.on('close', resolve));
  const before = edge.server.accepted;
  await once(socket, 'connect');
  socket.write(text);
  await vi.waitFor(() => expect(edge.server.accepted).toBeGreaterThan(before), PATIENCE);
  await arrival();
  return { socket, received: () => received, closed };
}

/** What was written on this machine has arrived. */
async function arrival(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const statuses = (received: string): string[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status as string);

function answerNothing(request: EdgeRequest, response: EdgeResponse): void {
  if (request.method === 'GET') response.writeHead(200, ['content-length', '0']).end();
}

test.each([
  ['a part of a head gets 408', 'GET /half', HEAD_MS, ['408']],
  ['a part of a body gets 408', 'POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\nab', REQUEST_MS, ['408']],
  [
    'a part of a chunk line gets 408',
    'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n5;a=b',
    REQUEST_MS,
    ['408'],
  ],
  [
    'a part of trailers gets 408',
    'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\na: b\r\n',
    REQUEST_MS,
    ['408'],
  ],
  ['a request is closed without a word after its answer', 'GET / HTTP/1.1\r\n\r\n', KEEP_ALIVE_MS, ['200']],
] as const)('a client that sends nothing after %s', async (_, text, ms, expected) => {
  const edge = await startTimed(answerNothing);
  const { received, closed } = await call(edge, text);
  await vi.waitFor(() => expect(text.startsWith('GET / ') && received() === '').toBe(false), PATIENCE);
  edge.pass(ms);
  edge.pass(1);
  await closed;
  expect(statuses(received())).toEqual(expected);
  edge.stop();
});

test.each([
  ['before its first request', '', ['\r\n', '\r\n', '\r\n'], HEAD_MS, ['408']],
  ['byte by byte', '', ['\r', '\n', '\r', '\n'], HEAD_MS, ['408']],
  ['after an answer', 'GET / HTTP/1.1\r\n\r\n', ['\r\n', '\r\n', '\r\n'], KEEP_ALIVE_MS, ['200']],
] as const)('empty lines %s gain a client no time', async (_, first, lines, ms, expected) => {
  const edge = await startTimed(answerNothing);
  const { socket, received, closed } = await call(edge, first);
  await vi.waitFor(() => expect(first !== '' && received() === '').toBe(false), PATIENCE);
  for (const line of lines) {
    socket.write(line);
    await arrival();
    edge.pass(ms / 2);
  }
  await closed;
  expect(statuses(received())).toEqual(expected);
  edge.stop();
});

test('an empty line before a request is skipped, and many are rejected', async () => {
  const edge = await startTimed(answerNothing);
  const polite = await call(edge, '\r\nGET / HTTP/1.1\r\n\r\n');
  await vi.waitFor(() => expect(statuses(polite.received())).toEqual(['200']), PATIENCE);
  const flood = await call(edge, '\r\n'.repeat(1_000));
  await flood.closed;
  expect(statuses(flood.received())).toEqual(['400']);
  edge.stop();
});

test('a client that was answered before it has sent its body gets no second answer when it is late', async () => {
  const edge = await startTimed((_, response) => response.writeHead(200, ['content-length', '0']).end());
  const { received, closed } = await call(edge, 'POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\nab');
  await vi.waitFor(() => expect(statuses(received())).toEqual(['200']), PATIENCE);
  edge.pass(REQUEST_MS + 1);
  await closed;
  expect(statuses(received())).toEqual(['200']);
  edge.stop();
});

/** Until the client has left. */
async function sendPieces(response: EdgeResponse): Promise<void> {
  while (!response.destroyed) if (!response.write(LARGE.subarray(0, 256 * 1024))) await hasRoom(response);
}

const answers: Readonly<Record<string, (request: EdgeRequest, response: EdgeResponse) => void>> = {
  'a whole answer': (_, response) => response.end(LARGE),
  'an answer in pieces': (_, response) => void sendPieces(response.writeHead(200, [])),
  'a stream': (_, response) => {
    response.becomeStream();
    void sendPieces(response.writeHead(200, []));
  },
  // Each fits into the buffers; all together they do not.
  'many small answers to pipelined requests': (_, response) => response.end(LARGE.subarray(0, 60_000)),
};

test.each(Object.entries(answers))('a client that does not read %s is reset', async (name, handle) => {
  const edge = await startTimed(handle);
  const requests = name.startsWith('many') ? 2_000 : 1;
  const { socket, closed } = await call(edge, 'GET / HTTP/1.1\r\n\r\n');
  socket.pause();
  socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(requests - 1));
  // Two looks find the same bytes waiting.
  await vi.waitFor(() => {
    edge.pass(1);
    expect(edge.server.unread).toBe(1);
  }, PATIENCE);
  edge.pass(STALL_MS / 2);
  expect([edge.server.size, edge.cuts]).toEqual([1, []]);
  edge.pass(STALL_MS);
  expect(edge.cuts).toEqual(['stalled']);
  socket.resume();
  await closed;
  await vi.waitFor(() => expect([edge.server.size, edge.server.unread]).toEqual([0, 0]), PATIENCE);
  edge.stop();
});

test('a client that reads is not cut while it takes bytes, but has to have everything in time', async () => {
  const edge = await startTimed((_, response) => void sendPieces(response.writeHead(200, [])));
  const { socket, closed } = await call(edge, 'GET / HTTP/1.1\r\n\r\n');
  const isUnread = async (): Promise<void> =>
    await vi.waitFor(() => {
      edge.pass(1);
      expect(edge.server.unread).toBe(1);
    }, PATIENCE);
  socket.pause();
  for (let round = 0; round < 3; round++) {
    await isUnread();
    edge.pass(STALL_MS / 2);
    socket.resume();
    await vi.waitFor(() => {
      edge.pass(1);
      expect([edge.cuts, edge.server.unread]).toEqual([[], 0]);
    }, PATIENCE);
    socket.pause();
  }
  edge.pass(ANSWER_MS);
  socket.resume();
  await closed;
  expect(edge.cuts).toEqual(['too_slow']);
  edge.stop();
});
