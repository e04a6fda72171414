/** Reads URLs of images and files: `data:` with base64, http(s), or references. */
import { referenceSchemes } from '../contract/reference-kinds.ts';
import { usualType } from '../kernel/media-types.ts';
import { Problem } from '../kernel/problem.ts';
import type { MediaSource } from './text-call.ts';

const DATA_URL = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)?(?:;[^,;]*)*;base64,/i;

export function readMediaUrl(url: string, param: string): Exclude<MediaSource, { kind: 'asset' }> {
  const head = DATA_URL.exec(url.slice(0, 200));
  if (head !== null) {
    const mediaType = usualType((head[1] ?? 'application/octet-stream').toLowerCase());
    return { kind: 'data', mediaType, base64: url.slice(head[0].length) };
  }
  if (/^https?:\/\//i.test(url) || isReference(url)) return { kind: 'url', url };
  throw new Problem('invalid_parameter', {
    detail: `${param} must be an http(s) URL, data:<mime>;base64,… or a reference of POST /v1/references.`,
    param,
  });
}

/** Whether it refers to an uploaded reference. */
export function isReference(url: string): boolean {
  return Object.values(referenceSchemes).some((scheme) => url.startsWith(scheme));
}

export function dataUrl(source: { mediaType: string; base64: string }): string {
  return `data:${source.mediaType};base64,${source.base64}`;
}

/** The URL for formats with one field for both kinds. */
export function mediaUrl(source: MediaSource): string {
  if (source.kind === 'asset') throw new Error('an asset has no address');
  return source.kind === 'url' ? source.url : dataUrl(source);
}
