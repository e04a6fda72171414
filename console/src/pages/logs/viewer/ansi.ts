/**
 * Text as a terminal would show it: colours and styles as class names, the last state after carriage returns,
 * no other control sequence. Pure.
 */

export interface TextSegment {
  readonly text: string;
  /** Classes of `ansi.css`, separated by spaces; empty: plain text. */
  readonly classes: string;
}

interface Pen {
  foreground: number | null;
  background: number | null;
  readonly styles: Set<string>;
}

const ESCAPE = '\u001b';
const BELL = '\u0007';
const styleNames: Readonly<Record<number, string>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  9: 'strike',
};
/** Codes that end styles. */
const styleEnds: Readonly<Record<number, readonly string[]>> = {
  21: ['bold'],
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  29: ['strike'],
};

export function readAnsi(line: string): TextSegment[] {
  const text = line.replace(/\r+$/, '');
  if (!hasControl(text)) return text === '' ? [] : [{ text, classes: '' }];
  return new AnsiReader(text).read();
}

/** The text without colours. */
export function plainText(segments: readonly TextSegment[]): string {
  return segments.length === 1
    ? (segments[0] as TextSegment).text
    : segments.map(({ text }) => text).join('');
}

class AnsiReader {
  readonly #text: string;
  readonly #pen: Pen = { foreground: null, background: null, styles: new Set() };
  #segments: TextSegment[] = [];
  #classes = '';
  #pending = '';
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): TextSegment[] {
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at] as string;
      if (character === ESCAPE) this.#sequence();
      else {
        this.#at++;
        if (character === '\r') this.#eraseLine();
        else if (character === '\b') this.#pending = this.#pending.slice(0, -1);
        else this.#pending += shownCharacter(character);
      }
    }
    this.#flush();
    return this.#segments;
  }

  #sequence(): void {
    const kind = this.#text[this.#at + 1];
    if (kind === '[') this.#control();
    else if (kind === ']') this.#skipCommand();
    else {
      // Such as `ESC ( B`, which chooses a character set.
      this.#at++;
      while (isIntermediate(this.#text.charCodeAt(this.#at))) this.#at++;
      this.#at++;
    }
  }

  /** `ESC [ numbers letter`. Only colours and erasing the line have an effect. */
  #control(): void {
    let end = this.#at + 2;
    while (end < this.#text.length && !isFinal(this.#text.charCodeAt(end))) end++;
    const numbers = this.#text.slice(this.#at + 2, end);
    const letter = this.#text[end];
    this.#at = end + 1;
    if (letter === 'm') {
      this.#flush();
      setPen(this.#pen, numbers);
      this.#classes = classesOf(this.#pen);
    } else if (letter === 'K' && (numbers === '1' || numbers === '2')) this.#eraseLine();
  }

  /** `ESC ] … BEL`, such as the address of a link or the title of a window. */
  #skipCommand(): void {
    const bell = this.#text.indexOf(BELL, this.#at);
    const string = this.#text.indexOf(`${ESCAPE}\\`, this.#at);
    const ends = [bell < 0 ? -1 : bell + 1, string < 0 ? -1 : string + 2].filter((end) => end > 0);
    this.#at = ends.length === 0 ? this.#text.length : Math.min(...ends);
  }

  #eraseLine(): void {
    this.#pending = '';
    this.#segments = [];
  }

  #flush(): void {
    if (this.#pending === '') return;
    this.#segments.push({ text: this.#pending, classes: this.#classes });
    this.#pending = '';
  }
}

function setPen(pen: Pen, numbers: string): void {
  const codes = numbers.split(/[;:]/).map(Number);
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number;
    if (code === 0) clearPen(pen);
    else if (code === 38 || code === 48) {
      const colour = codes[i + 1] === 5 ? colourOf256(codes[i + 2] ?? 0) : nearest(codes.slice(i + 2, i + 5));
      if (code === 38) pen.foreground = colour;
      else pen.background = colour;
      i += codes[i + 1] === 5 ? 2 : 4;
    } else setCode(pen, code);
  }
}

function setCode(pen: Pen, code: number): void {
  const style = styleNames[code];
  if (style !== undefined) pen.styles.add(style);
  else if (styleEnds[code] !== undefined) for (const name of styleEnds[code]) pen.styles.delete(name);
  else if (code >= 30 && code <= 37) pen.foreground = code - 30;
  else if (code >= 90 && code <= 97) pen.foreground = code - 82;
  else if (code >= 40 && code <= 47) pen.background = code - 40;
  else if (code >= 100 && code <= 107) pen.background = code - 92;
  else if (code === 39) pen.foreground = null;
  else if (code === 49) pen.background = null;
}

function clearPen(pen: Pen): void {
  pen.foreground = null;
  pen.background = null;
  pen.styles.clear();
}

function classesOf({ foreground, background, styles }: Pen): string {
  const classes = [...styles].map((name) => `ansi-${name}`);
  if (foreground !== null) classes.push(`ansi-fg-${foreground}`);
  if (background !== null) classes.push(`ansi-bg-${background}`);
  return classes.join(' ');
}

/** The 16 colours of a terminal, as xterm has them. */
const palette: ReadonlyArray<readonly number[]> = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];
const CUBE = [0, 95, 135, 175, 215, 255];

/** Many colours are shown as the nearest of 16, each of which can be read on both grounds. */
function colourOf256(code: number): number {
  if (code < 16) return Math.max(0, code);
  if (code >= 232) return nearest(new Array<number>(3).fill(8 + (Math.min(code, 255) - 232) * 10));
  const cube = code - 16;
  return nearest([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((step) => CUBE[step] ?? 0));
}

function nearest(rgb: readonly number[]): number {
  const distances = palette.map((colour) =>
    colour.reduce((sum, value, i) => sum + (value - (rgb[i] ?? 0)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 ? code !== 9 : code === 127) return true;
  }
  return false;
}

/** Control characters become visible symbols, so that nothing hides in a line. */
function shownCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 127) return '␡';
  return code < 32 && code !== 9 ? String.fromCharCode(0x2400 + code) : character;
}

function isIntermediate(code: number): boolean {
  return code >= 0x20 && code <= 0x2f;
}

function isFinal(code: number): boolean {
  return code >= 0x40 && code <= 0x7e;
}
