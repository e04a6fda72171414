/**
 * Finds secrets in text that others wrote, in whatever form they come: whole or in part, in another case, spaced
 * out, escaped, reversed, in hexadecimal or base64. It compares only letters and digits, eight at a time, so that
 * text may be cut anywhere before or after: at most seven characters of a secret in a row are ever left.
 */
import type { Secret } from './secret.ts';

/** So many letters and digits of a secret in a row give it away. */
const RUN = 8;
/** A secret of lower-case letters alone could be a word: it must be found whole, and be long enough not to be one. */
const WORD_CHARACTERS_MIN = 9;
const BASE = 36;
const LEAD = BASE ** (RUN - 1);
const SHOWN = '[secret]';
/** What belongs to the same token as a secret that was found in it. */
const TOKEN = /[A-Za-z0-9+/=_%-]/;

export class Redactor {
  readonly #runs = new Set<number>();
  readonly #words = new Set<string>();
  readonly #seen = new Set<string>();

  /** Secrets are never forgotten: a replaced one may still be good at its provider. */
  add(secret: Secret): void {
    // Credentials in several parts are joined by colons.
    for (const part of [secret.reveal(), ...secret.reveal().split(':')]) this.#learn(part);
  }

  redact(text: string): string {
    if (this.#seen.size === 0) return text;
    const folded = fold(text);
    const spans = [...this.#runsIn(folded), ...this.#wordsIn(folded)];
    return spans.length === 0 ? text : replaceSpans(text, spans);
  }

  #learn(secret: string): void {
    if (this.#seen.has(secret)) return;
    const plain = lettersOf(secret);
    const isWord = /^[^A-Z0-9]*$/.test(secret);
    if (plain.length < (isWord ? WORD_CHARACTERS_MIN : RUN)) return;
    this.#seen.add(secret);
    for (const form of formsOf(secret)) {
      if (isWord) this.#words.add(form);
      else eachRun(form, (value) => this.#runs.add(value));
    }
  }

  #runsIn({ letters, starts, ends }: Folded): Span[] {
    const spans: Span[] = [];
    if (this.#runs.size === 0) return spans;
    eachRun(letters, (value, at) => {
      if (this.#runs.has(value)) {
        spans.push({ start: starts[at] as number, end: ends[at + RUN - 1] as number });
      }
    });
    return spans;
  }

  #wordsIn({ letters, starts, ends }: Folded): Span[] {
    return [...this.#words].flatMap((word) => {
      const spans: Span[] = [];
      for (let at = letters.indexOf(word); at >= 0; at = letters.indexOf(word, at + 1)) {
        spans.push({ start: starts[at] as number, end: ends[at + word.length - 1] as number });
      }
      return spans;
    });
  }
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The letters and digits of a text in lower case, and where each stands in it. */
interface Folded {
  readonly letters: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** An escape of a character; one of what is no letter only separates. */
const ESCAPE =
  /%(?:25){0,4}([0-9a-fA-F]{2})|\\{1,8}u([0-9a-fA-F]{4})|\\{1,8}x([0-9a-fA-F]{2})|&#x([0-9a-fA-F]{1,6});|&#([0-9]{1,7});|&[a-zA-Z]{2,8};|\\{1,8}[nrtbfv0]/y;
const CODE_POINT_MAX = 0x10ffff;
const ESCAPING = '%\\&';

function fold(text: string): Folded {
  let letters = '';
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) as number;
    const character = String.fromCodePoint(point);
    const escaped = ESCAPING.includes(character) ? readEscape(text, at) : null;
    const end = at + (escaped?.length ?? character.length);
    for (const letter of point < 128 && escaped === null
      ? plainLetter(point)
      : lettersOf(escaped?.meant ?? character)) {
      letters += letter;
      starts.push(at);
      ends.push(end);
    }
    at = end;
  }
  return { letters, starts, ends };
}

function readEscape(text: string, at: number): { length: number; meant: string } | null {
  ESCAPE.lastIndex = at;
  const match = ESCAPE.exec(text);
  if (match === null) return null;
  const [written, percent, unicode, byte, hex, decimal] = match;
  const code = percent ?? unicode ?? byte ?? hex;
  const point = code === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(code, 16);
  return { length: written.length, meant: point <= CODE_POINT_MAX ? String.fromCodePoint(point) : '' };
}

const plainLetters: readonly string[] = Array.from({ length: 128 }, (_, code) =>
  lettersOf(String.fromCharCode(code)),
);

function plainLetter(code: number): string {
  return plainLetters[code] as string;
}

/** Full-width and other styled letters count as the plain ones. */
function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

/** How a secret may be written, each form as its letters and digits. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const plain = lettersOf(secret);
  return [
    plain,
    [...plain].reverse().join(''),
    bytes.toString('hex'),
    ...[0, 1, 2].map((shift) => lettersOf(base64Inside(bytes, shift))),
  ].filter((form) => form.length >= RUN);
}

/** Base64 of the secret where `shift` bytes, and others behind it, share their characters with it. */
function base64Inside(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .replaceAll('=', '');
  const whole = (shift + bytes.length) % 3 === 0;
  return text.slice(shift === 0 ? 0 : shift + 1, whole ? undefined : -1);
}

/** Every `RUN` letters in a row, as one number. */
function eachRun(letters: string, onRun: (value: number, at: number) => void): void {
  let value = 0;
  for (let i = 0; i < letters.length; i++) {
    const code = letters.charCodeAt(i);
    value = (value % LEAD) * BASE + (code < LETTER_A ? code - DIGIT_0 : code - LETTER_A + 10);
    if (i >= RUN - 1) onRun(value, i - RUN + 1);
  }
}

const DIGIT_0 = 48;
const LETTER_A = 97;

function replaceSpans(text: string, spans: readonly Span[]): string {
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  let shown = '';
  let at = 0;
  for (const { start, end } of sorted) {
    if (end <= at) continue;
    let [from, to] = [start, end];
    while (from > at && TOKEN.test(text[from - 1] as string)) from--;
    while (to < text.length && TOKEN.test(text[to] as string)) to++;
    // What overlaps or touches the one before is part of it.
    const joined = shown.endsWith(SHOWN) && from <= at;
    shown += joined ? '' : text.slice(at, from) + SHOWN;
    at = to;
  }
  return shown + text.slice(at);
}
