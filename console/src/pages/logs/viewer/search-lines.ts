/** Searching in lines: what matches, and where it is highlighted. Pure. */
import type { TextSegment } from './ansi.ts';

export interface MarkedSegment extends TextSegment {
  readonly marked: boolean;
}

type Range = readonly [from: number, to: number];

/** More would not be seen. */
const MARKS_MAX = 200;

/** Finds the text as it is typed, in upper or lower case. Null: nothing is searched. */
export function searchPattern(query: string): RegExp | null {
  if (query === '') return null;
  return new RegExp(query.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), 'gi');
}

export function matchesText(text: string, pattern: RegExp): boolean {
  return text.search(pattern) >= 0;
}

export function markedRanges(text: string, pattern: RegExp): Range[] {
  const ranges: Range[] = [];
  pattern.lastIndex = 0;
  for (const match of text.matchAll(pattern)) {
    ranges.push([match.index, match.index + match[0].length]);
    if (ranges.length === MARKS_MAX) break;
  }
  return ranges;
}

/** Splits segments where a match begins or ends: a match may go through several colours. */
export function markSegments(segments: readonly TextSegment[], ranges: readonly Range[]): MarkedSegment[] {
  const marked: MarkedSegment[] = [];
  let start = 0;
  for (const { text, classes } of segments) {
    const end = start + text.length;
    let at = start;
    const cut = (to: number, isMarked: boolean): void => {
      if (to > at) marked.push({ text: text.slice(at - start, to - start), classes, marked: isMarked });
      at = Math.max(at, to);
    };
    for (const [from, to] of ranges) {
      if (to <= at || from >= end) continue;
      cut(Math.max(at, from), false);
      cut(Math.min(end, to), true);
    }
    cut(end, false);
    start = end;
  }
  return marked;
}

/** The next match after a place, or the first one; `step` -1: the one before, or the last one. */
export function nextMatch(places: readonly number[], current: number | null, step: 1 | -1): number | null {
  if (places.length === 0) return null;
  const at = current ?? (step === 1 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
  const next = step === 1 ? places.find((place) => place > at) : places.findLast((place) => place < at);
  return next ?? places.at(step === 1 ? 0 : -1) ?? null;
}
