/** What a library writes into a request, as lines that can be compared between two versions of it. Pure. */

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Fields whose value says which kind of object it is. */
const KINDS = new Set(['type', 'role']);

/** Each header and field, behind the library and the endpoint; none if no library sent the request. */
export function requestFields({ method, url, headers, body }: SentRequest): string[] {
  const library = libraryName(headers.get('user-agent') ?? '');
  if (library === null) return [];
  const start = `${library} ${method} ${endpoint(url)}`;
  return [...headerLines(headers), ...bodyLines(body)].map((line) => `${start} ${line}`);
}

/** `OpenAI/JS` of `OpenAI/JS 7.55.0`, `ai` of `ai/7.0.170 ai-sdk-provider-utils/5.0.79 node.js/26`. */
function libraryName(agent: string): string | null {
  return /langchainjs-[a-z]+|(?:OpenAI|Anthropic)\/JS|\bai(?=\/\d)/.exec(agent)?.[0] ?? null;
}

/** Ids differ between calls. They have a digit or a capital letter, which no word of a path but the version has. */
function endpoint(url: string): string {
  const { pathname } = new URL(url);
  return pathname.replace(/\/(?!v1(?:\/|$))[^/]*[0-9A-Z][^/]*/g, '/{id}');
}

function headerLines(headers: Headers): string[] {
  return [...headers].flatMap(([name, value]) =>
    name.endsWith('-beta') ? value.split(',').map((beta) => `${name}: ${beta.trim()}`) : [`${name}:`],
  );
}

function bodyLines(body: unknown, path = ''): string[] {
  if (Array.isArray(body)) return body.flatMap((item) => bodyLines(item, `${path}[]`));
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    const field = path === '' ? name : `${path}.${name}`;
    if (KINDS.has(name) && typeof value === 'string') return [`${field} = ${value}`];
    return [field, ...bodyLines(value, field)];
  });
}
