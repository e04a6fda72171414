/** Requests that are wrong as HTTP, too big, of the wrong type or for nobody: each gets its own status. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { MIB } from '../../src/kernel/bytes.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import {
  chatHead,
  type Expected,
  expectRefusal,
  openSocket,
  rawRefusal,
  readAnswer,
  refusalOf,
  sendRaw,
} from './bad-input-client.ts';

const good = { model: 'sim-chat', messages: [{ role: 'user', content: 'Reply with exactly: fine' }] };
const GOOD = JSON.stringify(good);
const LENGTH = `content-length: ${GOOD.length}`;
const TYPE = 'content-type: application/json';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

describe('bytes that two parsers could read differently answer 400 and close the connection', () => {
  const bad: Expected = {
    status: 400,
    type: 'malformed_request',
    detail: /not well-formed HTTP/,
    param: null,
  };
  const cases: Array<[string, (key: string) => string]> = [
    [
      'Content-Length beside Transfer-Encoding',
      (key) => `${chatHead(key, [TYPE, LENGTH, 'transfer-encoding: chunked'])}\r\n\r\n0\r\n\r\n`,
    ],
    [
      'Transfer-Encoding beside Content-Length',
      (key) => `${chatHead(key, [TYPE, 'transfer-encoding: chunked', LENGTH])}\r\n\r\n0\r\n\r\n`,
    ],
    [
      'two Content-Lengths that differ',
      (key) => `${chatHead(key, [TYPE, LENGTH, 'content-length: 3'])}\r\n\r\n${GOOD}`,
    ],
    [
      'a Content-Length that is a list',
      (key) => `${chatHead(key, [TYPE, `${LENGTH}, ${GOOD.length}`])}\r\n\r\n${GOOD}`,
    ],
    ['a negative Content-Length', (key) => `${chatHead(key, [TYPE, 'content-length: -1'])}\r\n\r\n${GOOD}`],
    [
      'an encoding after chunked',
      (key) => `${chatHead(key, [TYPE, 'transfer-encoding: chunked, identity'])}\r\n\r\n0\r\n\r\n`,
    ],
    ['a folded header', (key) => `${chatHead(key, [TYPE, LENGTH, 'x-a: one\r\n two'])}\r\n\r\n${GOOD}`],
    [
      'lines that end in a bare line feed',
      (key) => `${chatHead(key, [TYPE, LENGTH]).replaceAll('\r\n', '\n')}\n\n${GOOD}`,
    ],
    ['a NUL in a header', (key) => `${chatHead(key, [TYPE, LENGTH, 'x-a: o\0ne'])}\r\n\r\n${GOOD}`],
    ['a blank before the colon', (key) => `${chatHead(key, [TYPE, `content-length : 5`])}\r\n\r\n${GOOD}`],
    ['a method nobody knows', () => 'BREW /v1/models HTTP/1.1\r\nhost: test\r\n\r\n'],
    ['no HTTP at all', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n'],
    ['HTTP of another version', () => 'GET /health HTTP/9.9\r\nhost: test\r\n\r\n'],
    [
      'a chunk size that is no number',
      (key) => `${chatHead(key, [TYPE, 'transfer-encoding: chunked'])}\r\n\r\nzz\r\n${GOOD}\r\n0\r\n\r\n`,
    ],
  ];

  test.each(cases)('%s', async (_, request) => {
    const { received, answer } = await sendRaw(gateway.url, request(gateway.key));
    expectRefusal(rawRefusal(answer), bad);
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(answer.headers.get('connection')).toBe('close');
  });

  test('a request without Host is refused with the body of every error', async () => {
    const { answer } = await sendRaw(gateway.url, 'GET /health HTTP/1.1\r\n\r\n');
    expectRefusal(rawRefusal(answer), { status: 400, type: 'malformed_request', detail: /./ });
  });

  test.each(['host: test', 'Host: other', 'HOST:'])('a second Host (%s) is refused', async (second) => {
    const request = `GET /health HTTP/1.1\r\nhost: test\r\n${second}\r\n\r\n`;
    const { received, answer } = await sendRaw(gateway.url, request);
    expectRefusal(rawRefusal(answer), { ...bad, detail: /more than one Host/ });
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(answer.headers.get('connection')).toBe('close');
  });

  test('a connection whose bytes were refused is closed by us, also where the other side does not', async () => {
    const { hostname: host, port } = new URL(gateway.url);
    const socket = connect({ host, port: Number(port), allowHalfOpen: true });
    socket.on('data', () => undefined);
    // What ends for good cannot be written to: the system answers with a reset.
    const closed = new Promise<string>((resolve) => {
      socket.on('error', (error: Error & { code?: string }) => resolve(error.code ?? ''));
    });
    socket.write('not http at all\r\n\r\n');
    const stop = systemClock.every(50, () => void socket.write('x'));
    expect(await closed).toMatch(/EPIPE|ECONNRESET/);
    stop();
  });

  test.each([
    ['garbage', [], '\0\0 this is no request\r\n\r\n'],
    ['a request behind the last one', ['connection: close'], 'GET /health HTTP/1.1\r\nhost: test\r\n\r\n'],
  ])('%s does not take the place of the answer to a request before it', async (_, lines, behind) => {
    const request = `${chatHead(gateway.key, [TYPE, LENGTH, ...lines])}\r\n\r\n${GOOD}${behind}`;
    const { received, answer } = await sendRaw(gateway.url, request);
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  });

  test('garbage after a request does not tear the answer that is under way', async () => {
    const socket = openSocket(gateway.url);
    const ask = { ...good, stream: true, messages: [{ role: 'user', content: '[[pace 20]] 30 words' }] };
    const body = JSON.stringify(ask);
    socket.write(`${chatHead(gateway.key, [TYPE, `content-length: ${body.length}`])}\r\n\r\n${body}`);
    let received = '';
    socket.on('data', (piece) => {
      received += piece;
    });
    while (!received.includes('data: ')) await once(socket, 'data');
    const closed = once(socket, 'close');
    socket.write('\0\0 this is no request\r\n\r\n');
    await closed;
    expect(received.match(/HTTP\/1\.1/g)).toEqual(['HTTP/1.1']);
    expect(received).toMatch(/^HTTP\/1\.1 200/);
  });
});

describe('requests that are too big', () => {
  const tooLarge: Expected = {
    status: 413,
    type: 'request_too_large',
    detail: /33554432 bytes/,
    param: null,
  };

  test('a declared body of 33 MiB answers 413 before it is sent', async () => {
    const socket = openSocket(gateway.url);
    socket.write(`${chatHead(gateway.key, [TYPE, `content-length: ${33 * MIB}`])}\r\n\r\n`);
    let received = '';
    socket.on('data', (piece) => {
      received += piece;
    });
    while (!received.endsWith('}}')) await once(socket, 'data');
    socket.destroy();
    expectRefusal(rawRefusal(readAnswer(received)), tooLarge);
  });

  test('a client that sends all 33 MiB first still reads the 413', async () => {
    expectRefusal(await refusalOf(await gateway.chat(Buffer.alloc(33 * MIB, ' '))), tooLarge);
  });

  test('33 MiB in chunks of untold length answer 413', async () => {
    const chunk = new Uint8Array(MIB).fill(32);
    let left = 33;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close()),
    });
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    });
    expectRefusal(await refusalOf(response), tooLarge);
  });

  test('headers of 20 KiB answer 431', async () => {
    const request = `${chatHead(gateway.key, [TYPE, LENGTH, `x-a: ${'a'.repeat(20 * 1024)}`])}\r\n\r\n${GOOD}`;
    const { answer } = await sendRaw(gateway.url, request);
    const expected = {
      status: 431,
      type: 'headers_too_large',
      detail: /larger than 16384 bytes/,
      param: null,
    };
    expectRefusal(rawRefusal(answer), expected);
  });

  test('an address of 9 KB answers 414', async () => {
    const response = await fetch(`${gateway.url}/v1/models?q=${'q'.repeat(9_000)}`);
    expectRefusal(await refusalOf(response), {
      status: 414,
      type: 'uri_too_long',
      detail: /too long/,
      param: null,
    });
  });
});

describe('a client that asks before it sends its body', () => {
  const expecting = (key: string, more: readonly string[] = []): string =>
    `${chatHead(key, [TYPE, LENGTH, 'Expect: 100-continue', ...more])}\r\n\r\n`;

  test('gets 100 Continue when its key is good, and then the answer', async () => {
    const socket = openSocket(gateway.url);
    let received = '';
    socket.on('data', (piece) => {
      received += piece;
    });
    socket.write(expecting(gateway.key));
    while (received === '') await once(socket, 'data');
    expect(received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(GOOD);
    while (!received.includes('chat.completion')) await once(socket, 'data');
    expect(received).toContain('\r\n\r\nHTTP/1.1 200 OK\r\n');
    expect(received).toContain('Connection: keep-alive');
    socket.destroy();
  });

  const refused: Array<[string, (key: string) => string, number]> = [
    ['without a key', () => expecting('').replace(/authorization.*\r\n/, ''), 401],
    ['with a bad key', (key) => expecting(`${key.slice(0, -1)}_`), 401],
    [
      'with a body that is too large',
      (key) => expecting(key).replace(LENGTH, `content-length: ${33 * MIB}`),
      413,
    ],
    ['with a compressed body', (key) => expecting(key, ['content-encoding: gzip']), 415],
    ['for an address that is none', (key) => expecting(key).replace('/chat/completions', '/nothing'), 404],
  ];

  test.each(refused)('%s is refused unread, and the connection closed', async (_, request, status) => {
    const { received, answer } = await sendRaw(gateway.url, request(gateway.key));
    expect(received).not.toContain('100 Continue');
    expect([answer.status, answer.headers.get('connection')]).toEqual([status, 'close']);
    expect(rawRefusal(answer).body.error_ref).toMatch(/^req_/);
  });

  test('and sends it all the same, reads the refusal and not a reset', async () => {
    const body = Buffer.alloc(8 * MIB, ' ');
    const head = expecting('sk_bad').replace(LENGTH, `content-length: ${body.length}`);
    const { answer } = await sendRaw(gateway.url, Buffer.concat([Buffer.from(head), body]));
    expect([answer.status, answer.headers.get('connection')]).toEqual([401, 'close']);
  });

  test('an expectation nobody knows is not held against it', async () => {
    const request = `${chatHead(gateway.key, [TYPE, LENGTH, 'expect: miracles', 'connection: close'])}\r\n\r\n${GOOD}`;
    expect((await sendRaw(gateway.url, request)).answer.status).toBe(200);
  });
});

describe('a request for another protocol', () => {
  const upgrade = (path: string, lines: readonly string[]): string =>
    [`GET ${path} HTTP/1.1`, 'host: test', ...lines].join('\r\n');
  const WEBSOCKET = ['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];

  test.each(['/v1/responses', '/', '/v1/nothing', '/health', '/console'])(
    '%s answers 426 in the shape of every error, and closes the connection',
    async (path) => {
      const { answer } = await sendRaw(gateway.url, `${upgrade(path, WEBSOCKET)}\r\n\r\n`);
      expectRefusal(rawRefusal(answer), {
        status: 426,
        type: 'upgrade_required',
        detail: /does not support an upgrade to "websocket"\. Send the request as plain HTTP/,
        param: null,
      });
      expect(answer.headers.get('connection')).toBe('close');
      expect(answer.headers.has('upgrade')).toBe(false);
    },
  );

  test.each([
    ['offers HTTP/2', ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'http2-settings: AAMAAABk']],
    ['does not mean it', ['connection: keep-alive', 'upgrade: websocket']],
  ])('that only %s is answered as it is', async (_, lines) => {
    const { answer } = await sendRaw(
      gateway.url,
      `${upgrade('/health', lines)}\r\nconnection: close\r\n\r\n`,
    );
    expect(answer.status).toBe(200);
  });
});

test('a refusal reaches a client that closes its connection after it and still sends its body', async () => {
  const body = Buffer.alloc(8 * MIB, ' ');
  const lines = [TYPE, `content-length: ${body.length}`, 'connection: close'];
  const head = `${chatHead('sk_bad', lines)}\r\n\r\n`;
  for (let i = 0; i < 5; i++) {
    const { answer } = await sendRaw(gateway.url, Buffer.concat([Buffer.from(head), body]));
    expect(answer.status).toBe(401);
  }
});

describe('a body of another type answers 415', () => {
  const cases: Array<[string, Record<string, string>, RegExp]> = [
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, /application\/x-www-form-urlencoded/],
    ['multipart', { 'content-type': 'multipart/form-data; boundary=x' }, /Send .* application\/json/],
    ['plain text', { 'content-type': 'text/plain' }, /"text\/plain"/],
    ['JSON in the name only', { 'content-type': 'application/jsonp' }, /application\/jsonp/],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }, /charset=utf-16/],
    ['gzip', { 'content-encoding': 'gzip' }, /Content-Encoding/],
    ['an encoding nobody knows', { 'content-encoding': 'x' }, /Content-Encoding/],
  ];

  test.each(cases)('%s', async (_, headers, detail) => {
    const refused = await refusalOf(await gateway.chat(GOOD, headers));
    expectRefusal(refused, { status: 415, type: 'unsupported_media_type', detail, param: null });
  });

  test('no Content-Type at all', async () => {
    const request = `${chatHead(gateway.key, [LENGTH, 'connection: close'])}\r\n\r\n${GOOD}`;
    const { answer } = await sendRaw(gateway.url, request);
    const expected = { status: 415, type: 'unsupported_media_type', detail: /no Content-Type/, param: null };
    expectRefusal(rawRefusal(answer), expected);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    '%s is taken',
    async (type) => {
      expect((await gateway.chat(GOOD, { 'content-type': type })).status).toBe(200);
    },
  );
});

describe('addresses and methods', () => {
  const notFound: Expected = { status: 404, type: 'not_found', detail: /\/openapi\.json/, param: null };
  const paths = [
    '/nothing',
    '/v1',
    '/v1/nothing',
    '/v1/chat/completions/',
    '/V1/models',
    '/v1/../v1/models/x',
  ];

  test.each(paths)('%s answers 404', async (path) => {
    const { answer } = await sendRaw(gateway.url, get(path));
    expectRefusal(rawRefusal(answer), notFound);
  });

  test('a doubled /v1 answers 404 that says to remove one', async () => {
    const response = await fetch(`${gateway.url}/v1/v1/chat/completions`, { method: 'POST', body: GOOD });
    expectRefusal(await refusalOf(response), { ...notFound, detail: /remove one \/v1/ });
  });

  test.each([
    ['GET', '/v1/chat/completions', 'POST'],
    ['PUT', '/v1/chat/completions', 'POST'],
    ['DELETE', '/v1/models', 'GET'],
    ['POST', '/health', 'GET'],
  ])('%s %s answers 405 that names %s', async (method, path, allowed) => {
    const response = await fetch(`${gateway.url}${path}`, { method });
    const detail = new RegExp(`does not support ${method}\\. Use ${allowed}`);
    expectRefusal(await refusalOf(response), {
      status: 405,
      type: 'method_not_allowed',
      detail,
      param: null,
    });
  });

  test('a 405 lists the allowed methods in Allow, as HTTP demands', async () => {
    const response = await fetch(`${gateway.url}/v1/models`, { method: 'DELETE' });
    expect(response.headers.get('allow')).toMatch(/\bGET\b/);
  });
});

test('headers that do not arrive in time answer 408', async () => {
  const hasty = await startGateway({ config: testConfig({ limits: 'limits: { client_idle_ms: 200 }' }) });
  try {
    const { answer } = await sendRaw(hasty.url, 'POST /v1/chat/completions HTTP/1.1\r\nhost: te');
    const expected = { status: 408, type: 'request_timeout', detail: /in time/, param: null };
    expectRefusal(rawRefusal(answer), expected);
    expect((await hasty.chat(GOOD)).status).toBe(200);
  } finally {
    await hasty.stop();
  }
});

test('after all of it a good call is answered, and no refused one left a row', async () => {
  expect((await gateway.chat(GOOD)).status).toBe(200);
  const rows = await gateway.query<{ outcome: string }>(sql`select outcome from calls where not streamed`);
  expect(rows.map((row) => row.outcome)).toEqual(Array(7).fill('completed'));
});

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n`;
}
