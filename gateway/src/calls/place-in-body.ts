import type { JsonObject } from '../kernel/json/parse-json.ts';
import { replaceValues } from '../kernel/json/replace-values.ts';
import type { PlacedMedia } from './call-media.ts';

/** The caller's body with something else in the place of references. */
export function placeInBody(body: JsonObject, { addresses, sources }: PlacedMedia): JsonObject {
  const edits = addresses.flatMap(({ url, path, put }) => {
    const source = sources.get(url);
    return source === undefined ? [] : [{ path, value: put(source) }];
  });
  return replaceValues(body, edits);
}
