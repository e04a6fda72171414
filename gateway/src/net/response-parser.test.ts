import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { ResponseError } from './response-head.ts';
import { ResponseParser } from './response-parser.ts';

interface Read {
  status: number;
  headers: Record<string, string | undefined>;
  body: string;
  /** How it ended: kept alive, closed, refused, or not at all. */
  end: 'reusable' | 'closed' | 'refused' | 'open';
}

function read(pieces: readonly Buffer[], closes = false): Read {
  const seen: Read = { status: 0, headers: {}, body: '', end: 'open' };
  const parser = new ResponseParser({
    head(status, headers) {
      seen.status = status;
      seen.headers = { ...headers };
    },
    data(chunk) {
      expect(chunk.length).toBeGreaterThan(0);
      seen.body += chunk.toString('latin1');
    },
    end(reusable) {
      expect(seen.end).toBe('open');
      seen.end = reusable ? 'reusable' : 'closed';
    },
  });
  try {
    // The parser moves bytes within a read, as it may: each read is its own.
    for (const piece of pieces) parser.push(Buffer.from(piece));
    if (closes) parser.close();
  } catch (error) {
    expect(error).toBeInstanceOf(ResponseError);
    seen.end = 'refused';
  }
  return seen;
}

const whole = (text: string): Buffer[] => [Buffer.from(text, 'latin1')];
const chunked = (parts: readonly string[]): string =>
  `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;
const OK = 'HTTP/1.1 200 OK\r\n';

describe('an answer', () => {
  test('with a length ends with its last byte', () => {
    const seen = read(
      whole(`${OK}Content-Length: 5\r\nKeep-Alive: a\r\nkeep-alive: b\r\nX-Other: 1\r\n\r\nhello`),
    );
    expect(seen).toMatchObject({ status: 200, body: 'hello', end: 'reusable' });
    expect(seen.headers).toEqual({ 'content-length': '5', 'keep-alive': 'a, b' });
  });

  test('in chunks is put together, with extensions and trailers read over', () => {
    const body = '5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nx-sum: 1\r\n\r\n';
    expect(read(whole(`${OK}transfer-encoding: chunked\r\n\r\n${body}`))).toMatchObject({
      body: 'hello world',
      end: 'reusable',
    });
  });

  test('without a length ends with the connection', () => {
    expect(read(whole(`${OK}\r\nhello`), true)).toMatchObject({ body: 'hello', end: 'closed' });
    expect(read(whole(`${OK}\r\nhello`))).toMatchObject({ body: 'hello', end: 'open' });
  });

  test.each([
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['that says close', `${OK}content-length: 0\r\nConnection: Close\r\n\r\n`],
  ])('%s leaves no connection to use again', (_, text) => {
    expect(read(whole(text)).end).toBe('closed');
  });

  test('may be preceded by informational ones and may have no body', () => {
    expect(read(whole(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n`))).toMatchObject({
      status: 204,
      end: 'reusable',
    });
  });

  test('that is cut short has not ended', () => {
    for (const text of [
      `${OK}content-length: 9\r\n\r\nhello`,
      `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`,
    ]) {
      expect(read(whole(text), true)).toMatchObject({ body: 'hello', end: 'open' });
    }
  });

  test.each([
    ['no HTTP', 'SSH-2.0-x\r\n\r\n'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['a header without a colon', `${OK}oops\r\n\r\n`],
    ['a folded header', `${OK}a: b\r\n c\r\n\r\n`],
    ['a header name with a space', `${OK}a b: c\r\n\r\n`],
    ['two lengths', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nx`],
    ['a length and chunks', `${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a length that is none', `${OK}content-length: +5\r\n\r\nhello`],
    ['another transfer coding', `${OK}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['a chunk size that is none', `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`],
    ['an absurd chunk size', `${OK}transfer-encoding: chunked\r\n\r\nfffffffff\r\n`],
    ['a chunk longer than it said', `${OK}transfer-encoding: chunked\r\n\r\n1\r\nab\r\n`],
    ['a bare line feed', `${OK}transfer-encoding: chunked\r\n\r\n1\nab\r\n`],
    ['a bare line feed in a header', `${OK}a: b\nc: d\r\ncontent-length: 0\r\n\r\n`],
    ['a bare carriage return in a header', `${OK}a: b\rc\r\ncontent-length: 0\r\n\r\n`],
    ['a NUL in a header', `${OK}a: b\0c\r\ncontent-length: 0\r\n\r\n`],
    ['a bare line feed in its first line', `HTTP/1.1 200 O\nK\r\ncontent-length: 0\r\n\r\n`],
    ['a bare line feed in an informational answer', `HTTP/1.1 103 x\r\na: b\nc\r\n\r\n${OK}\r\n`],
    ['another protocol', `HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n${OK}content-length: 0\r\n\r\n`],
    ['no status at all', 'HTTP/1.1 000 x\r\ncontent-length: 0\r\n\r\n'],
    [
      'informational answers without end',
      `${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(101)}${OK}content-length: 0\r\n\r\n`,
    ],
    [
      'trailers without end',
      `${OK}transfer-encoding: chunked\r\n\r\n0\r\n${`a: ${'x'.repeat(500)}\r\n`.repeat(40)}`,
    ],
    ['bytes after its end', `${OK}content-length: 1\r\n\r\nxy`],
    ['a head without end', `${OK}a: ${'x'.repeat(70_000)}`],
    ['a chunk line without end', `${OK}transfer-encoding: chunked\r\n\r\n1;${'x'.repeat(2_000)}`],
  ])('with %s is refused', (_, text) => {
    expect(read(whole(text)).end).toBe('refused');
  });
});

const cuts = (bytes: Buffer, at: readonly number[]): Buffer[] => {
  const places = [...new Set(at.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places]
    .map((from, i) => bytes.subarray(from, places[i] ?? bytes.length))
    .filter((piece) => piece.length > 0);
};

test('any cutting of the same bytes gives the same answer', () => {
  const body = fc
    .string({ unit: anyCharacter, maxLength: 40 })
    .map((text) => Buffer.from(text).toString('latin1'));
  const answer = fc.oneof(
    body.map((text) => `${OK}content-length: ${text.length}\r\n\r\n${text}`),
    fc
      .array(
        body.filter((part) => part !== ''),
        { maxLength: 8 },
      )
      .map((parts) => `${OK}transfer-encoding: chunked\r\n\r\n${chunked(parts)}`),
  );
  fc.assert(
    fc.property(answer, fc.array(fc.nat(), { maxLength: 12 }), (text, at) => {
      const bytes = Buffer.from(text, 'latin1');
      const once = read([bytes]);
      expect(once.end).toBe('reusable');
      expect(read(cuts(bytes, at))).toEqual(once);
    }),
    { numRuns: 2_000 },
  );
});

test('arbitrary bytes never do more than be refused', () => {
  const noise = fc.tuple(
    fc.constantFrom(OK, `${OK}transfer-encoding: chunked\r\n\r\n`, ''),
    fc.uint8Array({ maxLength: 80 }),
  );
  fc.assert(
    fc.property(noise, fc.array(fc.nat(), { maxLength: 6 }), ([front, bytes], at) => {
      read(cuts(Buffer.concat([Buffer.from(front), bytes]), at), true);
    }),
    { numRuns: 3_000 },
  );
});
