/** Byte streams of one to four requests, some of them broken. The same seed gives the same streams. */

import type { Random } from '../support/seeded.ts';

const below = (random: Random, count: number): number => Math.floor(random() * count);
const pick = <T>(random: Random, list: readonly T[]): T => list[below(random, list.length)] as T;

const WHOLE = [
  'GET / HTTP/1.1\r\nhost: a\r\n\r\n',
  'GET /v1/models?x=1#y HTTP/1.1\r\nHost: a\r\nAccept: */*\r\nCookie: a=b\r\ncookie: c=d\r\n\r\n',
  'POST /v1/chat HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n{"a":1}',
  'POST /c HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\n\r\n',
  'PUT /t HTTP/1.1\r\nhost: a\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\nx\r\n0\r\nx-t: 1\r\nx-u: 2\r\n\r\n',
  'POST /l HTTP/1.1\r\nhost: a\r\nContent-Length: 5\r\nx-length: 3\r\naccept: */*\r\n\r\nhello',
  'HEAD /h HTTP/1.0\r\nconnection: keep-alive\r\n\r\n',
  'DELETE /d HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
  'POST /e HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\nok',
  'OPTIONS * HTTP/1.1\r\nhost: a\r\nx-empty:\r\nx-tab:\ta\tb\t\r\n\r\n',
  'GET http://a.b:80/p HTTP/1.1\r\nhost: a\r\nupgrade: h2c\r\nconnection: upgrade, http2-settings\r\n\r\n',
];

const LINES = [
  'content-length: 3',
  'Content-Length: 0',
  'content-length: +3',
  'content-length: 3, 3',
  'content-length: 0x3',
  'content-length:',
  'content-length: ',
  'x-length: 4',
  'content-length : 3',
  'transfer-encoding: chunked',
  'transfer-encoding: chunked, chunked',
  'transfer-encoding: gzip, chunked',
  'transfer-encoding: identity',
  'transfer-encoding: xchunked',
  'transfer-encoding:\x0bchunked',
  'transfer-encoding: chunked;a=b',
  ' folded',
  '\tfolded: x',
  'host: b',
  'connection: close',
  'connection: keep-alive, close',
  'connection: keep-alive',
  'authorization: one',
  'authorization: two',
  'x-a: \x80\xff',
  'x-a: 1\rx-b: 2',
  'x-a: 1\nx-b: 2',
  'x-a: 1\r\r\nx-b: 2',
  'x\0: 1',
  ': none',
  'no colon',
  'set-cookie: a',
  'expect: 100-continue',
  'upgrade: websocket',
];

const PIECES = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '0\r\n\r\n',
  '0',
  '00000000000000005',
  'fffffffff',
  '-1',
  '+5',
  '0x5',
  '5 \r\n',
  '5;\r\n',
  '5;a="b\r\n',
  '5;a="b c"\r\n',
  ' HTTP/1.1',
  'HTTP/0.9',
  '\x7f',
  '\x80',
  'GET /inner HTTP/1.1\r\nhost: x\r\n\r\n',
];

export function mutatedStream(random: Random): Buffer {
  const messages = Array.from({ length: 1 + below(random, 4) }, () => {
    let message = pick(random, WHOLE);
    for (let left = pick(random, [0, 0, 1, 1, 1, 2, 3]); left > 0; left--) message = mutate(message, random);
    return message;
  });
  return Buffer.from(messages.join(''), 'latin1');
}

function mutate(message: string, random: Random): string {
  const at = below(random, message.length + 1);
  const lines = message.split('\r\n');
  const line = 1 + below(random, lines.length - 1);
  switch (below(random, 8)) {
    case 0:
      return message.slice(0, at) + String.fromCharCode(below(random, 256)) + message.slice(at + 1);
    case 1:
      return message.slice(0, at) + pick(random, PIECES) + message.slice(at);
    case 2:
      return message.slice(0, at) + message.slice(at + 1 + below(random, 3));
    case 3:
      return lines.toSpliced(line, 0, lines[line] ?? '').join('\r\n');
    case 4:
      return lines.toSpliced(line, 1).join('\r\n');
    case 5:
      return (
        message.slice(0, at) + message.slice(at).replace('\r\n', pick(random, ['\n', '\r', '\n\r', '\r\r\n']))
      );
    default:
      return lines.toSpliced(line, 0, pick(random, LINES)).join('\r\n');
  }
}

/** The same bytes in some pieces. */
export function splitStream(bytes: Buffer, random: Random): Buffer[] {
  const cuts = Array.from({ length: 1 + below(random, 6) }, () => below(random, bytes.length + 1));
  const ends = [...cuts.toSorted((a, b) => a - b), bytes.length];
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end)).filter((piece) => piece.length > 0);
}
