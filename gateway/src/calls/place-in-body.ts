import type { JsonObject } from '../kernel/json/json.ts';
import { replacePlaces } from '../kernel/json/json-places.ts';
import type { PlacedMedia } from './call-media.ts';

/** The caller's body with something else in the place of references. */
export function placeInBody(body: JsonObject, { addresses, sources }: PlacedMedia): JsonObject {
  const edits = addresses.flatMap(({ url, path, put }) => {
    const source = sources.get(url);
    return source === undefined ? [] : [{ path, value: put(source) }];
  });
  return replacePlaces(body, edits);
}
