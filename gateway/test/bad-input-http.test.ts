/** Requests that are wrong as HTTP, too big, of the wrong type or for nobody: each gets its own status. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../src/database/sql.ts';
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
import { startGateway, type TestGateway, testConfig } from './support/gateway.ts';

const MIB = 1024 * 1024;
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

describe('a body of another type answers 415', () => {
  const cases: Array<[string, Record<string, string>, RegExp]> = [
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, /application\/x-www-form-urlencoded/],
    ['multipart', { 'content-type': 'multipart/form-data; boundary=x' }, /send .* application\/json/],
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
  const paths = ['/', '/v1', '/v1/nothing', '/v1/chat/completions/', '/V1/models', '/v1/../v1/models/x'];

  test.each(paths)('%s answers 404', async (path) => {
    const { answer } = await sendRaw(gateway.url, get(path));
    expectRefusal(rawRefusal(answer), notFound);
  });

  test('a doubled /v1 answers 404 that says to drop one', async () => {
    const response = await fetch(`${gateway.url}/v1/v1/chat/completions`, { method: 'POST', body: GOOD });
    expectRefusal(await refusalOf(response), { ...notFound, detail: /drop one \/v1/ });
  });

  test.each([
    ['GET', '/v1/chat/completions', 'POST'],
    ['PUT', '/v1/chat/completions', 'POST'],
    ['DELETE', '/v1/models', 'GET'],
    ['POST', '/health', 'GET'],
  ])('%s %s answers 405 that names %s', async (method, path, allowed) => {
    const response = await fetch(`${gateway.url}${path}`, { method });
    const detail = new RegExp(`takes ${allowed}, not ${method}`);
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
  expect(rows.map((row) => row.outcome)).toEqual(['completed', 'completed', 'completed']);
});

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n`;
}
