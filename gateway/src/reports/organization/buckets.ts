/**
 * The buckets of a page, and the cursor that continues after it. Buckets are minutes, hours or days of UTC; the first begins
 * when the period does, and the last ends with it, so that the sum of all is that of the period. Pure.
 */
import { ListOrder } from '../../database/page.ts';
import { sha256 } from '../../kernel/digest.ts';

/** Seconds since the Unix epoch. `end` is not included. */
export interface Bucket {
  readonly start: number;
  readonly end: number;
}

export interface BucketPeriod {
  readonly from: number;
  /** Not included. */
  readonly until: number;
}

export function bucketsOf({ from, until }: BucketPeriod, width: number, limit: number): Bucket[] {
  const buckets: Bucket[] = [];
  for (let start = from; start < until && buckets.length < limit; ) {
    const end = Math.min(endOfBucket(start, width), until);
    buckets.push({ start, end });
    start = end;
  }
  return buckets;
}

export function endOfBucket(second: number, width: number): number {
  return (Math.floor(second / width) + 1) * width;
}

/** The end stands in the cursor, so that all pages end at the same time. */
const byTime = new ListOrder('usage by time', ['text', 'whole', 'whole'], 'page');

export function cursorAt({ from, until }: BucketPeriod, question: string): string {
  return byTime.cursor([question, from, until]);
}

/** Null if it belongs to another question. Throws `invalid_parameter` for anything that `cursorAt` did not return. */
export function readCursor(page: string, question: string): BucketPeriod | null {
  const position = byTime.position(page);
  if (position === null || position[0] !== question) return null;
  return { from: position[1], until: position[2] };
}

const QUESTION_CHARACTERS = 16;

/** What a cursor is valid for: the report, its groups and its filters, in any order. */
export function questionOf(report: string, fields: Readonly<Record<string, unknown>>): string {
  const named = Object.entries(fields)
    .map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)].toSorted() : value])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return sha256(JSON.stringify([report, named])).slice(0, QUESTION_CHARACTERS);
}
