/** Where addresses stand in a request, in whichever format, and how something else is put in their place. */
import type { JsonPath } from '../kernel/json/replace-values.ts';
import { Problem } from '../kernel/problem.ts';
import type { MediaSource } from './text-call.ts';

export interface MediaAddress {
  readonly url: string;
  /** What the provider takes it for; a server is one that it talks to. */
  readonly of: 'image' | 'file' | 'server';
  /** Its name for the caller, such as `messages[0].content[1].image_url.url`. */
  readonly param: string;
  /** Where in the request the value stands that `put` answers anew. */
  readonly path: JsonPath;
  put(source: MediaSource): unknown;
}

export const NO_ADDRESSES: readonly MediaAddress[] = [];

/** Whether a text is to be fetched by somebody, and not the bytes themselves. */
export function isAddress(text: unknown): text is string {
  return typeof text === 'string' && !/^data:/i.test(text);
}

/** As above, in fields that may hold base64 without a word before it. */
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

/** All callers of a provider share its files, so none of them may name one. */
export function refuseFileId(path: JsonPath): Problem {
  const param = pathName(path);
  return new Problem('invalid_parameter', {
    detail: `${param} names a file of a provider's; upload it with POST /v1/references and use its reference as the address.`,
    param,
  });
}
