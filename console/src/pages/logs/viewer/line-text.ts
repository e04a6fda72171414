/** What is drawn of a line, worked out once and only for lines that are seen or searched. */
import type { LogEntry } from '../../../../../gateway/src/client/line-buffer.ts';
import { plainText, readAnsi, type TextSegment } from './ansi.ts';
import { prettyJson } from './pretty-json.ts';
import { matchesText } from './search-lines.ts';

/** Longer lines are cut until they are expanded. */
export const SHOWN_CHARACTERS_MAX = 2_000;

export interface LineText {
  readonly plain: string;
  readonly segments: readonly TextSegment[];
}

const texts = new WeakMap<LogEntry, LineText>();
const jsons = new WeakMap<LogEntry, { readonly pretty: string | null }>();

export function lineText(entry: LogEntry & { kind: 'line' }): LineText {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  const segments = readAnsi(entry.line.content);
  const text = { plain: plainText(segments), segments };
  texts.set(entry, text);
  return text;
}

/** The line over several lines if it is JSON. */
export function lineJson(entry: LogEntry & { kind: 'line' }): string | null {
  const known = jsons.get(entry);
  if (known !== undefined) return known.pretty;
  const pretty = prettyJson(lineText(entry).plain);
  jsons.set(entry, { pretty });
  return pretty;
}

/** The beginning of a long line. A character of two units is not split. */
export function cutSegments(segments: readonly TextSegment[], charactersMax: number): TextSegment[] {
  const cut: TextSegment[] = [];
  let left = charactersMax;
  for (const { text, classes } of segments) {
    if (left <= 0) break;
    const end = isHighSurrogate(text.charCodeAt(left - 1)) ? left - 1 : left;
    cut.push({ text: text.slice(0, end), classes });
    left -= text.length;
  }
  return cut;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** Remembers which lines match, so that each line is searched once. */
export class LineSearch {
  readonly pattern: RegExp;
  readonly #found = new WeakMap<LogEntry, boolean>();

  constructor(pattern: RegExp) {
    this.pattern = pattern;
  }

  matches(entry: LogEntry): boolean {
    if (entry.kind !== 'line') return false;
    const known = this.#found.get(entry);
    if (known !== undefined) return known;
    const found = matchesText(lineText(entry).plain, this.pattern);
    this.#found.set(entry, found);
    return found;
  }
}
