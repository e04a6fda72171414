/** A field of a provider's JSON as its original bytes, so that it can be passed on unparsed. Pure. */
import { locateFields } from '../json/parse-json.ts';

/** Null when the object has no such field. */
export function fieldBytes(object: Buffer, name: string): Buffer | null {
  const range = locateFields(object).get(name);
  return range === undefined ? null : object.subarray(range.start, range.end);
}
