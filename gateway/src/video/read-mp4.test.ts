import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FilmFacts, FilmReader } from './read-mp4.ts';

const u32 = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(numbers.length * 4);
  numbers.forEach((number, i) => {
    bytes.writeUInt32BE(number, i * 4);
  });
  return bytes;
};
const box = (name: string, ...content: Buffer[]): Buffer => {
  const inside = Buffer.concat(content);
  return Buffer.concat([u32(inside.length + 8), Buffer.from(name, 'latin1'), inside]);
};
/** With its length in 64 bits. */
const longBox = (name: string, ...content: Buffer[]): Buffer => {
  const inside = Buffer.concat(content);
  return Buffer.concat([u32(1), Buffer.from(name, 'latin1'), u32(0, inside.length + 16), inside]);
};
const mvhd = (scale: number, length: number): Buffer => box('mvhd', u32(0, 0, 0, scale, length, 0x10000));
const longMvhd = (scale: number, length: number): Buffer =>
  box('mvhd', u32(0x01000000, 0, 0, 0, 0, scale, 0, length, 0x10000));
const track = (width: number, height: number): Buffer =>
  box('trak', box('tkhd', Buffer.alloc(76), u32(width * 65_536, height * 65_536)), box('mdia'));

const ftyp = box('ftyp', Buffer.from('isom'));
const mdat = box('mdat', Buffer.alloc(5_000, 7));
const moov = box('moov', mvhd(1_000, 4_200), track(0, 0), track(1280, 720));
const whole = { seconds: 4.2, width: 1280, height: 720 };
const unknown = { seconds: null, width: null, height: null };

function read(bytes: Buffer, pieceBytes = bytes.length): FilmFacts {
  const reader = new FilmReader();
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.push(bytes.subarray(at, at + pieceBytes));
  return reader.facts();
}

describe('the length and size of a film', () => {
  test.each([
    ['before its data', [ftyp, moov, mdat], whole],
    ['after its data', [ftyp, mdat, moov], whole],
    ['after data of 64 bits', [ftyp, longBox('mdat', Buffer.alloc(300)), moov], whole],
    [
      'in an index of 64 bits',
      [ftyp, longBox('moov', mvhd(600, 1_200), track(64, 48))],
      { seconds: 2, width: 64, height: 48 },
    ],
    ['with a length of 64 bits', [ftyp, box('moov', longMvhd(90_000, 180_000))], { ...unknown, seconds: 2 }],
    [
      'without a length',
      [ftyp, box('moov', mvhd(1_000, 0), track(64, 48))],
      { seconds: null, width: 64, height: 48 },
    ],
    ['without a scale', [ftyp, box('moov', mvhd(0, 100))], unknown],
    ['without an index', [ftyp, mdat], unknown],
    ['in an index that is cut off', [ftyp, moov.subarray(0, moov.length - 1)], unknown],
    ['behind a box without an end', [ftyp, u32(0), Buffer.from('mdat'), moov], unknown],
  ])('stand %s', (_, parts, facts) => {
    expect(read(Buffer.concat(parts))).toEqual(facts);
  });

  test('are the same however its bytes come', () => {
    const film = Buffer.concat([ftyp, mdat, moov]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: film.length }), (size) => {
        expect(read(film, size)).toEqual(whole);
      }),
    );
  });

  test('are not known of anything else, which does no harm', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
        read(Buffer.concat([ftyp, Buffer.from(noise)]), 7);
        read(box('moov', Buffer.from(noise)));
        read(box('moov', box('trak', Buffer.from(noise)), box('mvhd', Buffer.from(noise))));
      }),
    );
    expect(read(Buffer.from('<html>'))).toEqual(unknown);
  });
});
