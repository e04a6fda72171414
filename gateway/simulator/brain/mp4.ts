/** A small MP4 file that plays: one colour, as large and as long as was asked for, without sound. */
import { MIB } from '../../src/kernel/bytes.ts';
import { type Film, firstPicture, parameterSets, samePicture } from './h264.ts';

export interface FilmAsked extends Film {
  readonly seconds: number;
  readonly fps: number;
  /** The file is filled up to this size. */
  readonly padTo?: number;
}

const PADDED_BYTES_MAX = 256 * MIB;
/** Parts of a second in which times are told: of the pictures, and of the film. */
const TICKS = 1_000;
const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

export function encodeMp4(asked: FilmAsked): Buffer {
  const samples = Array.from({ length: Math.max(1, Math.round(asked.seconds * asked.fps)) }, (_, i) => {
    const number = i % asked.fps;
    return sized(number === 0 ? firstPicture(asked, i / asked.fps) : samePicture(asked, number));
  });
  const head = box('ftyp', text('isom'), u32(512), text('isomiso2avc1mp41'));
  const data = box('mdat', ...samples);
  // The table of offsets is as long whatever it says.
  const start = head.length + movie(asked, samples, 0).length + 8;
  const file = [head, movie(asked, samples, start), data];
  const bytes = file.reduce((sum, { length }) => sum + length, 0);
  const missing = Math.min(asked.padTo ?? 0, PADDED_BYTES_MAX) - bytes;
  return Buffer.concat([...file, ...(missing >= 8 ? [box('free', Buffer.alloc(missing - 8))] : [])]);
}

function movie(asked: FilmAsked, samples: readonly Buffer[], start: number): Buffer {
  const duration = Math.round((samples.length * TICKS) / asked.fps);
  return box(
    'moov',
    box(
      'mvhd',
      u32(0, 0, 0, TICKS, duration, 0x10000),
      u16(0x100, 0),
      u32(0, 0, ...MATRIX, 0, 0, 0, 0, 0, 0, 2),
    ),
    box('trak', trackHeader(asked, duration), media(asked, samples, start)),
  );
}

function trackHeader({ width, height }: FilmAsked, duration: number): Buffer {
  return box('tkhd', u32(3, 0, 0, 1, 0, duration, 0, 0, 0, 0, ...MATRIX, width << 16, height << 16));
}

function media(asked: FilmAsked, samples: readonly Buffer[], start: number): Buffer {
  const scale = asked.fps * TICKS;
  return box(
    'mdia',
    box('mdhd', u32(0, 0, 0, scale, samples.length * TICKS), u16(0x55c4, 0)),
    box('hdlr', u32(0, 0), text('vide'), u32(0, 0, 0), text('film\0')),
    box(
      'minf',
      box('vmhd', u32(1, 0, 0)),
      box('dinf', box('dref', u32(0, 1), box('url ', u32(1)))),
      sampleTable(asked, samples, start),
    ),
  );
}

function sampleTable(asked: FilmAsked, samples: readonly Buffer[], start: number): Buffer {
  const whole = samples.map((_, i) => i).filter((i) => i % asked.fps === 0);
  return box(
    'stbl',
    box('stsd', u32(0, 1), visualSample(asked)),
    box('stts', u32(0, 1, samples.length, TICKS)),
    box('stss', u32(0, whole.length, ...whole.map((i) => i + 1))),
    box('stsc', u32(0, 1, 1, samples.length, 1)),
    box('stsz', u32(0, 0, samples.length, ...samples.map(({ length }) => length))),
    box('stco', u32(0, 1, start)),
  );
}

function visualSample(film: FilmAsked): Buffer {
  const { sequence, pictures } = parameterSets(film);
  const set = (bytes: Buffer): Buffer => Buffer.concat([u16(bytes.length), bytes]);
  // Profile and level once more; lengths have four bytes; one set of each kind.
  const config = [Buffer.from([1]), sequence.subarray(1, 4), Buffer.from([0xff, 0xe1]), set(sequence)];
  return box(
    'avc1',
    u32(0),
    u16(0, 1),
    u32(0, 0, 0, 0),
    u16(film.width, film.height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    Buffer.alloc(32),
    u16(24, 0xffff),
    box('avcC', ...config, Buffer.from([1]), set(pictures)),
  );
}

function sized(bytes: Buffer): Buffer {
  return Buffer.concat([u32(bytes.length), bytes]);
}

function box(type: string, ...contents: readonly Buffer[]): Buffer {
  const size = contents.reduce((sum, { length }) => sum + length, 8);
  return Buffer.concat([u32(size), text(type), ...contents], size);
}

function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => {
    bytes.writeUInt32BE(value >>> 0, i * 4);
  });
  return bytes;
}

function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, i) => {
    bytes.writeUInt16BE(value, i * 2);
  });
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.from(value, 'latin1');
}
