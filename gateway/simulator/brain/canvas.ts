/** A picture in the making: each point is the number of a colour in a palette. */
import { deflateSync } from 'node:zlib';
import type { Colour } from './png.ts';
import { BLOCK_BYTES, block, COLOUR_PALETTE, SIGNATURE, writeHeader } from './png-blocks.ts';

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Blocks with such a name are skipped by who does not know them. */
const PADDING = 'paDd';

export class Canvas {
  readonly width: number;
  readonly height: number;
  /** Row by row, each after a byte that names its filter: none. */
  readonly #points: Buffer;

  /** All of it in the first colour. */
  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.#points = Buffer.alloc((width + 1) * height);
  }

  /** What is beyond the edges is left out. */
  fill(area: Area, colour: number): void {
    const from = Math.max(0, area.x);
    const to = Math.min(this.width, area.x + area.width);
    const last = Math.min(this.height, area.y + area.height);
    for (let y = Math.max(0, area.y); y < last && from < to; y++) {
      const row = y * (this.width + 1) + 1;
      this.#points.fill(colour, row + from, row + to);
    }
  }

  /** `padTo` makes the file just so long, where it is shorter. */
  encode(palette: readonly Colour[], options: { clearFirst: boolean; padTo: number }): Buffer {
    const colours = Buffer.from(palette.flatMap(({ red, green, blue }) => [red, green, blue]));
    const blocks = [
      SIGNATURE,
      writeHeader(this, COLOUR_PALETTE),
      block('PLTE', colours),
      ...(options.clearFirst ? [block('tRNS', Buffer.from([0]))] : []),
      block('IDAT', deflateSync(this.#points)),
    ];
    const end = block('IEND', Buffer.alloc(0));
    const length = blocks.reduce((sum, piece) => sum + piece.length, end.length);
    const padding = options.padTo - length - BLOCK_BYTES;
    if (padding >= 0) blocks.push(block(PADDING, Buffer.alloc(padding)));
    return Buffer.concat([...blocks, end]);
  }
}
