/** An example of the documentation as the request that readers send. Pure. */
import type { Example, ExampleFile, ExampleRequest } from './documentation/operation-docs.ts';
import type { Endpoint } from './endpoint.ts';
import { shownValue } from './openapi-answers.ts';
import type { ShownRequest } from './request-code.ts';

/** What cannot be printed on a screen. */
const BINARY = 'application/octet-stream';

export function exampleRequest(endpoint: Endpoint, example: Example, origin: string): ShownRequest {
  const { path = {}, query = {}, headers = {}, body, form } = shownValue(requestOf(example)) as FilledRequest;
  const filled = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    // The last parameter of some paths may contain slashes.
    encodeURIComponent(String(path[name])).replaceAll('%2F', '/'),
  );
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return {
    method: endpoint.method,
    url: `${origin}${filled}${search.size === 0 ? '' : `?${search}`}`,
    credential: endpoint.credential,
    headers: withoutKey(headers),
    ...(body !== undefined && { body }),
    ...(form !== undefined && { form }),
    answer: answerOf(endpoint, example),
  };
}

interface FilledRequest {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string | ExampleFile>>;
}

/** A key stands for one request: readers who change the code and send it again would get a conflict. */
function withoutKey({ 'idempotency-key': _, ...headers }: Readonly<Record<string, string>>) {
  return headers;
}

function requestOf({ path, query, headers, body, form }: Example): ExampleRequest {
  return {
    ...(path && { path }),
    ...(query && { query }),
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
    ...(form && { form }),
  };
}

function answerOf(
  { event, responseType = 'application/json' }: Endpoint,
  { answer }: Example,
): ShownRequest['answer'] {
  if (event !== undefined && typeof answer === 'string') return 'events';
  if (responseType === BINARY) return { savedAs: 'answer.bin' };
  return responseType === 'application/json' ? 'json' : 'text';
}
