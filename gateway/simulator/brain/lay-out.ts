/** Sets a text into a space: the larger the better, in as many lines as it takes. */
import { GLYPH_HEIGHT, GLYPH_WIDTH } from './font.ts';

export interface Layout {
  readonly lines: readonly string[];
  /** The points of the picture for each point of a glyph. */
  readonly scale: number;
}

/** In points of a glyph. */
export const CELL_WIDTH = GLYPH_WIDTH + 1;
export const CELL_HEIGHT = GLYPH_HEIGHT + 3;

const SCALES = [10, 8, 6, 5, 4, 3, 2];
/** More than fits at the smallest scale into any picture there is. */
const CHARACTERS_MAX = 8_000;
const CUT_SHORT = '...';

export function layOut(text: string, space: { width: number; height: number }): Layout {
  const words = [...text.slice(0, CHARACTERS_MAX).split(/\s+/)].filter((word) => word !== '');
  for (const scale of SCALES) {
    const columns = Math.floor(space.width / (CELL_WIDTH * scale));
    const rows = Math.floor(space.height / (CELL_HEIGHT * scale));
    const lines = wrap(words, columns);
    if (lines.length <= rows) return { lines, scale };
    if (scale !== SCALES.at(-1)) continue;
    const last = `${lines[rows - 1]}`.slice(0, columns - CUT_SHORT.length) + CUT_SHORT;
    return { lines: [...lines.slice(0, rows - 1), last], scale };
  }
  return { lines: [], scale: 1 };
}

/** A word that is longer than a line goes on in the next one. */
function wrap(words: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (joined.length <= columns) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    for (; line.length > columns; line = line.slice(columns)) lines.push(line.slice(0, columns));
  }
  return line === '' ? lines : [...lines, line];
}
