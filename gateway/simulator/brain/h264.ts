/**
 * A film of one colour in H.264 (constrained baseline). The first block of a picture has its points as they
 * are; each other one is told to look like its neighbours; and each other picture to look like the last.
 */
import { Bits } from './bits.ts';
import type { Colour } from './png.ts';

export interface Film {
  /** Even numbers. */
  readonly width: number;
  readonly height: number;
  readonly colour: Colour;
}

const PROFILE = 66;
/** It is within level 1 as well. */
const CONSTRAINTS = 0xc0;
/** Room for 1080p. */
const LEVEL = 40;
const BLOCK = 16;
const FRAME_NUMBER_BITS = 4;
/** The kinds of units; those that others build upon have a bit more. */
const [REFERENCE, PICTURE, FIRST_PICTURE, SEQUENCE, PICTURES] = [0x60, 1, 5, 7, 8] as const;

const [I_SLICE, P_SLICE] = [7, 5] as const;
/** Blocks: one of plain points, and one that is the mean of its neighbours. */
const [PLAIN_BLOCK, MEAN_BLOCK] = [25, 3] as const;

/** What a decoder must know before the first picture. */
export function parameterSets(film: Film): { sequence: Buffer; pictures: Buffer } {
  const [columns, rows] = blocksOf(film);
  const [right, bottom] = [(columns * BLOCK - film.width) / 2, (rows * BLOCK - film.height) / 2];
  const sequence = new Bits()
    .bytes([PROFILE, CONSTRAINTS, LEVEL])
    // Its id; bits of a frame's number less 4; pictures are shown in the order in which they come.
    .ue(0, FRAME_NUMBER_BITS - 4, 2)
    // One picture is referred to; numbers have no gaps.
    .ue(1)
    .u(1, 0)
    .ue(columns - 1, rows - 1)
    // Frames only; 8x8 inference.
    .u(2, 0b11);
  if (right + bottom > 0) sequence.u(1, 1).ue(0, right, 0, bottom);
  else sequence.u(1, 0);
  // No aspect ratio, no overscan; the colours are those of BT.709 in the narrow range; no more is told.
  sequence.u(1, 1).u(2, 0).u(1, 1).u(3, 5).u(1, 0).u(1, 1).u(8, 1).u(8, 1).u(8, 1).u(5, 0);
  // Nothing is reordered, so that a picture can be shown at once.
  sequence.u(1, 1).u(1, 1).ue(0, 0, 0, 0, 0, 1);
  // Ids; CAVLC; one group of slices; one reference; no weights; 26 as the quantiser; slices tell of the filter.
  const pictures = new Bits().ue(0, 0).u(2, 0).ue(0, 0, 0).u(3, 0).ue(0, 0, 0).u(3, 0b100);
  return { sequence: unit(SEQUENCE, sequence.end()), pictures: unit(PICTURES, pictures.end()) };
}

/** A picture that stands for itself. Two that follow each other must differ in their number. */
export function firstPicture(film: Film, number: number): Buffer {
  const [columns, rows] = blocksOf(film);
  const { y, cb, cr } = lumaChroma(film.colour);
  const bits = new Bits()
    .ue(0, I_SLICE, 0)
    .u(FRAME_NUMBER_BITS, 0)
    .ue(number % 2)
    .u(2, 0)
    .ue(0, 1)
    .ue(PLAIN_BLOCK)
    .align()
    .bytes(new Uint8Array(256).fill(y))
    .bytes(new Uint8Array(64).fill(cb))
    .bytes(new Uint8Array(64).fill(cr));
  for (let block = 1; block < columns * rows; block++) {
    bits.ue(MEAN_BLOCK, 0, 0);
    // No coefficients, written as the neighbours lead one to expect: a plain block counts as full of them.
    if (block === 1 || block === columns) bits.u(6, 0b000011);
    else bits.u(1, 1);
  }
  return unit(FIRST_PICTURE, bits.end());
}

/** The last picture once more; `number` counts from the last that stood for itself. */
export function samePicture(film: Film, number: number): Buffer {
  const [columns, rows] = blocksOf(film);
  const bits = new Bits()
    .ue(0, P_SLICE, 0)
    .u(FRAME_NUMBER_BITS, number % 2 ** FRAME_NUMBER_BITS)
    .u(3, 0)
    .ue(0, 1)
    .ue(columns * rows);
  return unit(PICTURE, bits.end());
}

function blocksOf({ width, height }: Film): [columns: number, rows: number] {
  return [Math.ceil(width / BLOCK), Math.ceil(height / BLOCK)];
}

/** BT.709, narrow range. */
function lumaChroma({ red, green, blue }: Colour): { y: number; cb: number; cr: number } {
  const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return {
    y: Math.round(16 + (219 * luma) / 255),
    cb: Math.round(128 + (224 * (blue - luma)) / 1.8556 / 255),
    cr: Math.round(128 + (224 * (red - luma)) / 1.5748 / 255),
  };
}

/** No unit may hold what begins one: after two zeros a small number is announced by a three. */
function unit(kind: number, payload: Buffer): Buffer {
  const bytes: number[] = [REFERENCE | kind];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros === 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    bytes.push(byte);
  }
  return Buffer.from(bytes);
}
