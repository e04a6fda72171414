/** The positions of URLs in a request of any format, and how to replace them. */
import type { JsonPath } from '../json/replace-values.ts';
import type { MediaSource } from './text-call.ts';

export interface MediaAddress {
  readonly url: string;
  /** What the URL is for; `server` is one that the provider connects to. */
  readonly of: 'image' | 'file' | 'server';
  /** Its path, such as `messages[0].content[1].image_url.url`. */
  readonly param: string;
  /** The path of the value that `put` returns changed. */
  readonly path: JsonPath;
  put(source: MediaSource): unknown;
}

export const NO_ADDRESSES: readonly MediaAddress[] = [];

/** Whether a string is a URL to fetch and not the data itself. */
export function isAddress(text: unknown): text is string {
  return typeof text === 'string' && !/^data:/i.test(text);
}

/** The same for fields that may hold bare base64. */
export function hasScheme(text: unknown): text is string {
  return isAddress(text) && /^\s*[a-z][a-z0-9+.-]*:/i.test(text);
}
