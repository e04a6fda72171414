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
/** A box with a 64-bit length. */
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

describe('the duration and dimensions of a film', () => {
  test.each([
    ['index before the data', [ftyp, moov, mdat], whole],
    ['index after the data', [ftyp, mdat, moov], whole],
    ['index after data with a 64-bit length', [ftyp, longBox('mdat', Buffer.alloc(300)), moov], whole],
    [
      'index with a 64-bit length',
      [ftyp, longBox('moov', mvhd(600, 1_200), track(64, 48))],
      { seconds: 2, width: 64, height: 48 },
    ],
    ['64-bit duration', [ftyp, box('moov', longMvhd(90_000, 180_000))], { ...unknown, seconds: 2 }],
    [
      'no duration',
      [ftyp, box('moov', mvhd(1_000, 0), track(64, 48))],
      { seconds: null, width: 64, height: 48 },
    ],
    ['no time scale', [ftyp, box('moov', mvhd(0, 100))], unknown],
    ['no index', [ftyp, mdat], unknown],
    ['truncated index', [ftyp, moov.subarray(0, moov.length - 1)], unknown],
    ['index behind a box without a length', [ftyp, u32(0), Buffer.from('mdat'), moov], unknown],
  ])('are read as far as they are known: %s', (_, parts, facts) => {
    expect(read(Buffer.concat(parts))).toEqual(facts);
  });

  test('do not depend on how the bytes are split', () => {
    const film = Buffer.concat([ftyp, mdat, moov]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: film.length }), (size) => {
        expect(read(film, size)).toEqual(whole);
      }),
    );
  });

  test('are unknown for any other file, which is not an error', () => {
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
