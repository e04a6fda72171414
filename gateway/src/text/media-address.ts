/** The positions of URLs in a request of any format, and how to replace them. */
import type { JsonPath } from '../kernel/json/replace-values.ts';
import { Problem } from '../kernel/problem.ts';
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

/** `messages[0].content` */
export function pathName(path: JsonPath): string {
  return path.reduce<string>(
    (name, step) => (typeof step === 'number' ? `${name}[${step}]` : name === '' ? step : `${name}.${step}`),
    '',
  );
}

/** All tenants share a provider's files, so callers may not refer to them. */
export function rejectFileId(path: JsonPath): Problem {
  const param = pathName(path);
  return new Problem('invalid_parameter', {
    detail: `${param} is a file id of a provider; upload the file with POST /v1/references and use the reference instead.`,
    param,
  });
}
