/** A picture that shows its prompt: the words in plain letters, on the colour they name. */
import { MIB } from '../../src/kernel/bytes.ts';
import { Canvas } from './canvas.ts';
import { colourOf } from './colours.ts';
import { GLYPH_WIDTH, glyphOf } from './font.ts';
import { CELL_HEIGHT, CELL_WIDTH, type Layout, layOut } from './lay-out.ts';
import type { Colour, Picture } from './png.ts';
import { withoutCues } from './without-cues.ts';

export interface Painting {
  readonly width: number;
  readonly height: number;
  /** The name of the colour behind the words. */
  readonly colour: string;
  readonly transparent: boolean;
  /** Shown behind the words, as large as the new one. */
  readonly under: Picture | null;
}

const MARGIN = 32;
/** Ten such pictures, written in text, must still fit into one string. */
const PADDED_BYTES_MAX = 32 * MIB;
const BYTES_CUE = /\[\[bytes (\d{1,9})\]\]/;
/** The points that a copied picture is made of, in points of the new one. */
const MOSAIC = 4;
/** Six shades each of red, green and blue. */
const SHADES = 6;
const BLACK: Colour = { red: 0, green: 0, blue: 0 };
const WHITE: Colour = { red: 255, green: 255, blue: 255 };

/** In the palette; the first colour is the background. */
const PANEL = 1;
const INK = 2;
const FIRST_SHADE = 3;

export function paintPrompt(prompt: string, painting: Painting): Buffer {
  const { width, height, under, transparent } = painting;
  const canvas = new Canvas(width, height);
  if (under !== null) copyUnder(canvas, under);
  const space = { width: width - 2 * MARGIN, height: height - 2 * MARGIN };
  writeWords(canvas, layOut(withoutCues(prompt), space));
  const back = colourOf(painting.colour);
  const palette = [back, back, isBright(back) ? BLACK : WHITE, ...(under === null ? [] : shades())];
  return canvas.encode(palette, { clearFirst: transparent, padTo: bytesAsked(prompt) });
}

/** The words stand in the middle, on a panel that keeps them readable whatever is behind it. */
function writeWords(canvas: Canvas, { lines, scale }: Layout): void {
  const columns = Math.max(...lines.map((line) => line.length), 0);
  const width = columns * CELL_WIDTH * scale;
  const height = lines.length * CELL_HEIGHT * scale;
  const left = Math.floor((canvas.width - width) / 2);
  const top = Math.floor((canvas.height - height) / 2);
  const edge = MARGIN / 2;
  if (lines.length > 0) {
    const area = { x: left - edge, y: top - edge, width: width + 2 * edge, height: height + 2 * edge };
    canvas.fill(area, PANEL);
  }
  lines.forEach((line, row) => {
    for (let column = 0; column < line.length; column++) {
      const at = { x: left + column * CELL_WIDTH * scale, y: top + row * CELL_HEIGHT * scale };
      writeGlyph(canvas, line.charAt(column), at, scale);
    }
  });
}

function writeGlyph(canvas: Canvas, character: string, at: { x: number; y: number }, scale: number): void {
  glyphOf(character).forEach((bits, row) => {
    for (let column = 0; column < GLYPH_WIDTH; column++) {
      if (((bits >> (GLYPH_WIDTH - 1 - column)) & 1) === 0) continue;
      const [x, y] = [at.x + column * scale, at.y + row * scale];
      canvas.fill({ x, y, width: scale, height: scale }, INK);
    }
  });
}

function copyUnder(canvas: Canvas, under: Picture): void {
  for (let y = 0; y < canvas.height; y += MOSAIC) {
    for (let x = 0; x < canvas.width; x += MOSAIC) {
      const fromX = Math.floor((x * under.width) / canvas.width);
      const fromY = Math.floor((y * under.height) / canvas.height);
      const shade = FIRST_SHADE + nearestShade(under.colourAt(fromX, fromY));
      canvas.fill({ x, y, width: MOSAIC, height: MOSAIC }, shade);
    }
  }
}

function shades(): Colour[] {
  const value = (step: number): number => (step * 255) / (SHADES - 1);
  return Array.from({ length: SHADES ** 3 }, (_, index) => ({
    red: value(Math.floor(index / SHADES ** 2)),
    green: value(Math.floor(index / SHADES) % SHADES),
    blue: value(index % SHADES),
  }));
}

function nearestShade({ red, green, blue }: Colour): number {
  const step = (value: number): number => Math.round((value * (SHADES - 1)) / 255);
  return (step(red) * SHADES + step(green)) * SHADES + step(blue);
}

function isBright({ red, green, blue }: Colour): boolean {
  return red * 0.3 + green * 0.59 + blue * 0.11 > 128;
}

function bytesAsked(prompt: string): number {
  return Math.min(Number(BYTES_CUE.exec(prompt)?.[1] ?? 0), PADDED_BYTES_MAX);
}
