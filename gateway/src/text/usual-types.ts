/**
 * Media types in a relayed body, by the names that providers know: many programs write `image/jpg`, which some providers
 * reject. Every other byte of the body stays. Translations write the usual type by themselves. Pure.
 */
import type { JsonObject } from '../json/parse-json.ts';
import { type JsonEdit, type JsonPath, replaceValues } from '../json/replace-values.ts';
import { usualType } from '../kernel/media-types.ts';

/** Null if there is nothing to change. */
export function editDataUrl(url: unknown, path: JsonPath): JsonEdit | null {
  if (typeof url !== 'string') return null;
  const [head, written] = /^data:([a-z]+\/[\w.+-]+)/i.exec(url.slice(0, HEAD_CHARACTERS)) ?? [];
  const edit = editMediaType(written, path);
  return edit === null ? null : { path, value: `data:${edit.value}${url.slice(head?.length)}` };
}

/** Longer than any media type. */
const HEAD_CHARACTERS = 100;

export function editMediaType(mediaType: unknown, path: JsonPath): JsonEdit | null {
  if (typeof mediaType !== 'string') return null;
  const usual = usualType(mediaType.toLowerCase());
  return usual === mediaType.toLowerCase() ? null : { path, value: usual };
}

export function withUsualTypes(body: JsonObject, edits: readonly JsonEdit[]): JsonObject {
  return edits.length === 0 ? body : { ...body, ...replaceValues(body, edits) };
}
