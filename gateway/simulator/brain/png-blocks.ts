/** The blocks that a PNG file is made of. */
import { crc32 } from 'node:zlib';

export const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
export const COLOUR_RGB = 2;
export const COLOUR_PALETTE = 3;

/** Beside the data of a block: its length, its type and its checksum. */
export const BLOCK_BYTES = 12;

export function block(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(data.length + BLOCK_BYTES);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, 'latin1');
  data.copy(framed, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, -4)), framed.length - 4);
  return framed;
}

/** Eight bits a sample, not interlaced. */
export function writeHeader(size: { width: number; height: number }, colourKind: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size.width, 0);
  header.writeUInt32BE(size.height, 4);
  header[8] = 8;
  header[9] = colourKind;
  return block('IHDR', header);
}
