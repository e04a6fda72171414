/** Names colours in pictures and in words. */
import { type Colour, encodePng, type Picture } from './png.ts';
import { type Dice, pick } from './words.ts';

/** Name, red, green, blue. A name may stand twice where its shades are far apart. */
const NAMED: ReadonlyArray<readonly [string, number, number, number]> = [
  ['black', 0, 0, 0],
  ['white', 255, 255, 255],
  ['grey', 128, 128, 128],
  ['red', 255, 0, 0],
  ['red', 160, 0, 0],
  ['green', 0, 255, 0],
  ['green', 0, 128, 0],
  ['blue', 0, 0, 255],
  ['blue', 0, 0, 128],
  ['yellow', 255, 255, 0],
  ['orange', 255, 165, 0],
  ['purple', 128, 0, 128],
  ['pink', 255, 182, 193],
  ['brown', 139, 69, 19],
  ['cyan', 0, 255, 255],
  ['magenta', 255, 0, 255],
];
const GRID = 64;
const SIDE_DRAWN = 16;
const drawn = new Map<string, Buffer>();

/** The name that most points of a grid over the picture are nearest to. */
export function dominantColour(picture: Picture): string {
  const votes = new Map<string, number>();
  const columns = Math.min(GRID, picture.width);
  const rows = Math.min(GRID, picture.height);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const x = Math.floor((column * picture.width) / columns);
      const y = Math.floor((row * picture.height) / rows);
      const name = nearestName(picture.colourAt(x, y));
      votes.set(name, (votes.get(name) ?? 0) + 1);
    }
  }
  return [...votes].reduce((best, vote) => (vote[1] > best[1] ? vote : best), ['black', 0])[0];
}

/** The colour the text names first, or one by the dice. */
export function chooseColour(text: string, dice: Dice): string {
  const found = /\b(black|white|grey|red|green|blue|yellow|orange|purple|pink|brown|cyan|magenta)\b/i.exec(
    text,
  );
  return found?.[1]?.toLowerCase() ?? (pick(NAMED, dice)[0] as string);
}

/** A small PNG file of a named colour; there are few, so each is made once. */
export function drawColour(name: string): Buffer {
  let png = drawn.get(name);
  if (png === undefined) {
    png = encodePng(colourOf(name), SIDE_DRAWN);
    drawn.set(name, png);
  }
  return png;
}

/** The first shade of that name. */
export function colourOf(name: string): Colour {
  const [, red, green, blue] = NAMED.find(([known]) => known === name) ?? ['black', 0, 0, 0];
  return { red, green, blue };
}

function nearestName(colour: Colour): string {
  let best = 'black';
  let least = Number.POSITIVE_INFINITY;
  for (const [name, red, green, blue] of NAMED) {
    const distance = (colour.red - red) ** 2 + (colour.green - green) ** 2 + (colour.blue - blue) ** 2;
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}
