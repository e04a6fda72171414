/** PNG files: writes one plain colour, reads what is common (not interlaced). */

import { deflateSync, inflateSync } from 'node:zlib';
import { MIB } from '../../src/kernel/bytes.ts';
import { block, COLOUR_PALETTE, COLOUR_RGB, SIGNATURE, writeHeader } from './png-blocks.ts';

export interface Colour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  colourAt(x: number, y: number): Colour;
}

const PIXEL_BYTES_MAX = 256 * MIB;
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** A square of one colour, eight bits a channel. */
export function encodePng(colour: Colour, side: number): Buffer {
  const row = Buffer.alloc(1 + side * 3);
  for (let x = 0; x < side; x++) row.set([colour.red, colour.green, colour.blue], 1 + x * 3);
  const rows = Buffer.concat(Array.from({ length: side }, () => row));
  return Buffer.concat([
    SIGNATURE,
    writeHeader({ width: side, height: side }, COLOUR_RGB),
    block('IDAT', deflateSync(rows)),
    block('IEND', Buffer.alloc(0)),
  ]);
}

/** Null when the bytes are not a PNG file this reader understands. */
export function decodePng(bytes: Buffer): Picture | null {
  try {
    return readPicture(bytes);
  } catch {
    return null;
  }
}

function readPicture(bytes: Buffer): Picture | null {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) return null;
  let header: Buffer | null = null;
  let palette: Buffer = Buffer.alloc(0);
  const packed: Buffer[] = [];
  for (let at = 8; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const data = bytes.subarray(at + 8, at + 8 + length);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IHDR') header = data;
    else if (type === 'PLTE') palette = data;
    else if (type === 'IDAT') packed.push(data);
    at += length + 12;
  }
  if (header === null || header[12] !== 0) return null;
  return openPicture(
    header,
    palette,
    inflateSync(Buffer.concat(packed), { maxOutputLength: PIXEL_BYTES_MAX }),
  );
}

function openPicture(header: Buffer, palette: Buffer, filtered: Buffer): Picture | null {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth = 0, kind = 0] = [header[8], header[9]];
  const channels = CHANNELS[kind];
  if (channels === undefined || width === 0 || height === 0) return null;
  const rowBytes = Math.ceil((width * channels * depth) / 8);
  if (filtered.length < (rowBytes + 1) * height) return null;
  const rows = unfilter(filtered, { rowBytes, height, pixelBytes: Math.max(1, (channels * depth) >> 3) });
  const sample = (x: number, y: number, channel: number): number => {
    const bit = (x * channels + channel) * depth;
    const byte = rows[y * rowBytes + (bit >> 3)] as number;
    return depth >= 8 ? byte : (byte >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
  };
  const scale = depth < 8 ? 255 / ((1 << depth) - 1) : 1;
  const colourAt = (x: number, y: number): Colour => {
    if (kind === COLOUR_PALETTE) return rgb(palette, sample(x, y, 0) * 3);
    if (channels >= 3) return { red: sample(x, y, 0), green: sample(x, y, 1), blue: sample(x, y, 2) };
    const grey = sample(x, y, 0) * scale;
    return { red: grey, green: grey, blue: grey };
  };
  return { width, height, colourAt };
}

function rgb(bytes: Buffer, at: number): Colour {
  return { red: bytes[at] ?? 0, green: bytes[at + 1] ?? 0, blue: bytes[at + 2] ?? 0 };
}

/** Takes back the five row filters of the PNG specification. */
function unfilter(
  filtered: Buffer,
  shape: { rowBytes: number; height: number; pixelBytes: number },
): Uint8Array {
  const { rowBytes, height, pixelBytes } = shape;
  const rows = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) {
    const from = y * (rowBytes + 1);
    const to = y * rowBytes;
    const filter = filtered[from];
    for (let i = 0; i < rowBytes; i++) {
      const left = i >= pixelBytes ? (rows[to + i - pixelBytes] as number) : 0;
      const up = y > 0 ? (rows[to + i - rowBytes] as number) : 0;
      const corner = y > 0 && i >= pixelBytes ? (rows[to + i - rowBytes - pixelBytes] as number) : 0;
      rows[to + i] = (filtered[from + 1 + i] as number) + foretell(filter, left, up, corner);
    }
  }
  return rows;
}

function foretell(filter: number | undefined, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const guess = left + up - corner;
  const [byLeft, byUp, byCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}
