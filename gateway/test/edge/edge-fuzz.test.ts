/** Random requests, most of them broken. The long form is `npm run fuzz:edge`. */
import { expect, test } from 'vitest';
import { compareParsers, readOurs } from './compare-parsers.ts';

const STREAMS = 2_000;

test('every request that we accept, Node reads the same way, and the same number of them', async () => {
  const figures = await compareParsers(1, STREAMS);
  expect(figures.accepted).toBeGreaterThan(STREAMS / 4);
  expect(figures.rejectedStreams).toBeGreaterThan(STREAMS / 4);
});

test.each([
  'POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhelloGET /b HTTP/1.1\r\nhost: a\r\n\r\n',
  'POST /a HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n3\r\nyou\r\n0\r\nt: 1\r\n\r\nGET /b HTTP/1.1\r\n\r\n',
])('a stream split at any byte is read like the whole', async (text) => {
  const bytes = Buffer.from(text);
  const whole = await readOurs([bytes]);
  expect(whole.seen).toHaveLength(2);
  for (let at = 1; at < bytes.length; at++)
    expect(await readOurs([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
  expect(await readOurs(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(whole);
});
