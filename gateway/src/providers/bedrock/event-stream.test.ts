import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameTooLong } from '../../kernel/framing.ts';
import { EventStreamFramer } from './event-stream.ts';

const header = (name: string, value: string): Buffer =>
  Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([7, Buffer.byteLength(value) >> 8, Buffer.byteLength(value) & 255]),
    Buffer.from(value),
  ]);

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function message(headers: Buffer[], payload: string): Buffer {
  const head = Buffer.concat(headers);
  const body = Buffer.from(payload);
  const lengths = Buffer.concat([number(16 + head.length + body.length), number(head.length)]);
  const all = Buffer.concat([lengths, number(crc32(lengths)), head, body]);
  return Buffer.concat([all, number(crc32(all))]);
}

const event = (name: string, payload: string): Buffer =>
  message([header(':message-type', 'event'), header(':event-type', name)], payload);

/** The bytes are lent: they are overwritten as soon as they were read. */
function frames(pieces: readonly Buffer[], bytesMax = 10_000): Array<[string, string]> {
  const seen: Array<[string, string]> = [];
  const framer = new EventStreamFramer({ bytesMax, onFrame: (data, name) => seen.push([name, data]) });
  for (const piece of pieces) {
    const lent = Buffer.from(piece);
    framer.push(lent);
    lent.fill(0);
  }
  return seen;
}

describe('an event stream', () => {
  test.each([
    ['an empty message', '00000010 00000000 05c248eb 7d98c8ff', ''],
    ['a payload alone', '0000001d 00000000 fd528c5a 7b27666f6f273a27626172277d c3653936', "{'foo':'bar'}"],
    [
      'a payload with a header',
      '0000003d 00000020 07fd8396 0c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e 7b27666f6f273a27626172277d 8d9c08b1',
      "{'foo':'bar'}",
    ],
  ])("reads AWS's published example of %s", (_, hex, payload) => {
    expect(frames([Buffer.from(hex.replaceAll(' ', ''), 'hex')])).toEqual([['', payload]]);
  });

  test('has the same frames wherever the bytes are split', () => {
    const expected: Array<[string, string]> = [
      ['messageStart', '{"role":"assistant"}'],
      ['contentBlockDelta', Buffer.from('{"text":"안녕 🙂"}').toString('latin1')],
      ['metadata', ''],
    ];
    const bytes = Buffer.concat(
      expected.map(([name, data]) => event(name, Buffer.from(data, 'latin1').toString('utf8'))),
    );
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((end, i) => bytes.subarray(places[i], end));
        expect(frames(pieces)).toEqual(expected);
      }),
    );
  });

  test('distinguishes exceptions and errors from events and skips headers that are not strings', () => {
    const odd = [
      Buffer.from([1, 0x61, 0]),
      Buffer.from([1, 0x62, 4, 0, 0, 0, 9]),
      Buffer.from([1, 0x63, 6, 0, 2, 1, 2]),
      Buffer.concat([Buffer.from([1, 0x64, 9]), Buffer.alloc(16)]),
    ];
    const exception = [
      header(':message-type', 'exception'),
      header(':exception-type', 'throttlingException'),
    ];
    const error = [
      header(':message-type', 'error'),
      header(':error-code', 'InternalError'),
      header(':error-message', '아무도 모른다'),
    ];
    const [first, second] = frames([
      message([...odd, ...exception], '{"message":"Too many"}'),
      message(error, ''),
    ]);
    expect(first).toEqual(['exception/throttlingException', '{"message":"Too many"}']);
    expect(second?.[0]).toBe('exception/InternalError');
    expect(Buffer.from(second?.[1] ?? '', 'latin1').toString('utf8')).toBe('{"message":"아무도 모른다"}');
  });

  test('with any changed byte is reported as corrupt', () => {
    const good = event('contentBlockDelta', '{"text":"Hello"}');
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const bad = Buffer.from(good);
        bad[at] = (bad[at] as number) ^ change;
        expect(frames([bad, event('next', '{}')])).toEqual([['corrupt', '']]);
      }),
    );
  });

  test('with wrong header lengths is reported as corrupt', () => {
    const lying = [Buffer.from([200, 0x61]), Buffer.from([1, 0x61, 7, 255, 255]), Buffer.from([1, 0x61, 99])];
    for (const head of lying) expect(frames([message([head], '{}')])).toEqual([['corrupt', '']]);
    const lengths = Buffer.concat([number(16), number(4_000_000_000)]);
    const tooManyHeaders = Buffer.concat([lengths, number(crc32(lengths)), number(0)]);
    expect(frames([tooManyHeaders])).toEqual([['corrupt', '']]);
  });

  test('with a message above the size limit is rejected before it is buffered', () => {
    const long = event('contentBlockDelta', 'x'.repeat(10_000));
    expect(() => frames([long.subarray(0, 12)])).toThrow(FrameTooLong);
  });
});
