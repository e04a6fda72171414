/** Reads the words in a painted picture, point by point. */
import { GLYPH_HEIGHT, GLYPH_WIDTH, glyphOf } from '../brain/font.ts';
import { CELL_HEIGHT, CELL_WIDTH, layOut } from '../brain/lay-out.ts';
import { decodePng, type Picture } from '../brain/png.ts';

const MARGIN = 32;
const characters = new Map(
  Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).map((character) => [
    glyphOf(character).join(),
    character,
  ]),
);

/** What stands where the expected words should; each glyph that is not known is a question mark. */
export function readWords(png: Buffer, expected: string): string {
  const picture = decodePng(png) as Picture;
  const { width, height } = picture;
  const { lines, scale } = layOut(expected, { width: width - 2 * MARGIN, height: height - 2 * MARGIN });
  const columns = Math.max(...lines.map((line) => line.length));
  const left = Math.floor((width - columns * CELL_WIDTH * scale) / 2);
  const top = Math.floor((height - lines.length * CELL_HEIGHT * scale) / 2);
  const panel = JSON.stringify(picture.colourAt(left - 1, top - 1));
  const isInk = (x: number, y: number): boolean => JSON.stringify(picture.colourAt(x, y)) !== panel;
  const readGlyph = (x: number, y: number): string => {
    const rows = Array.from({ length: GLYPH_HEIGHT }, (_, row) => {
      let bits = 0;
      for (let i = 0; i < GLYPH_WIDTH; i++) bits = bits * 2 + Number(isInk(x + i * scale, y + row * scale));
      return bits;
    });
    return characters.get(rows.join()) ?? '?';
  };
  return lines
    .map((line, row) =>
      Array.from(line, (_, column) =>
        readGlyph(left + column * CELL_WIDTH * scale, top + row * CELL_HEIGHT * scale),
      ).join(''),
    )
    .join(' ');
}
