/** Finds the route of a request, or explains why there is none. */
import type { Endpoint } from '../contract/endpoint.ts';
import { Problem } from '../kernel/problem.ts';
import type { HttpRoute } from './define-route.ts';
import type { PathParams } from './exchange.ts';

const URL_CHARACTERS_MAX = 8_192;

interface Pattern {
  readonly segments: readonly string[];
  /** The last parameter takes the rest of the path. */
  readonly slashes: boolean;
  /** How its ids begin, with `_`; empty: in any way. */
  readonly ids: string;
  readonly methods: Map<string, HttpRoute>;
}

interface Match {
  readonly methods: ReadonlyMap<string, HttpRoute>;
  readonly params: PathParams;
  /** False if a parameter cannot be an id of ours. */
  readonly named: boolean;
}

const NO_PARAMS: PathParams = {};

export class Router {
  readonly #paths = new Map<string, Map<string, HttpRoute>>();
  /** Paths with parameters: `/v1/files/{id}/content`. */
  readonly #patterns = new Map<string, Pattern>();

  constructor(routes: readonly HttpRoute[]) {
    for (const route of routes) {
      const { path, alias, method } = route.endpoint;
      for (const at of alias === undefined ? [path] : [path, alias])
        this.#methodsAt(at, route.endpoint).set(method, route);
    }
  }

  find(method: string, url: string): { route: HttpRoute; params: PathParams } {
    if (url.length > URL_CHARACTERS_MAX) throw new Problem('uri_too_long');
    const path = pathOf(url);
    const found = this.#match(path);
    if (found === null) throw notFound(path, this.#match(`/v1${path}`) !== null);
    // HEAD is handled like GET: Node sends no body.
    const route = found.methods.get(method === 'HEAD' ? 'GET' : method);
    if (route === undefined) {
      // A word of another API, such as /v1/responses/compact, is not an id: clients know 404 as "not offered".
      if (!found.named) throw notFound(path, false);
      throw new Problem('method_not_allowed', {
        detail: `${path} does not support ${method}. Use ${this.allowed(url)}.`,
      });
    }
    return { route, params: found.params };
  }

  /** The methods of a path, for the `Allow` header of a 405. */
  allowed(url: string): string {
    return [...(this.#match(pathOf(url))?.methods.keys() ?? [])].join(', ');
  }

  #methodsAt(path: string, { slashes, ids }: Endpoint): Map<string, HttpRoute> {
    const known = this.#paths.get(path) ?? this.#patterns.get(path)?.methods;
    if (known !== undefined) return known;
    const methods = new Map<string, HttpRoute>();
    const prefix = ids === undefined ? '' : `${ids}_`;
    if (path.includes('{'))
      this.#patterns.set(path, {
        segments: path.split('/'),
        slashes: slashes === true,
        ids: prefix,
        methods,
      });
    else this.#paths.set(path, methods);
    return methods;
  }

  #match(path: string): Match | null {
    const methods = this.#paths.get(path);
    if (methods !== undefined) return { methods, params: NO_PARAMS, named: true };
    const segments = path.split('/');
    for (const pattern of this.#patterns.values()) {
      const params = readParams(pattern, segments);
      if (params === null) continue;
      const named = Object.values(params).every((value) => value.startsWith(pattern.ids));
      return { methods: pattern.methods, params, named };
    }
    return null;
  }
}

/** Null if the path does not match. A value is decoded and never empty. */
function readParams({ segments, slashes }: Pattern, given: readonly string[]): PathParams | null {
  const rest = slashes ? given.slice(segments.length - 1).join('/') : null;
  if (rest === null ? given.length !== segments.length : given.length < segments.length) return null;
  const params: Record<string, string> = {};
  for (const [i, wanted] of segments.entries()) {
    const segment = rest !== null && i === segments.length - 1 ? rest : (given[i] as string);
    if (!wanted.startsWith('{')) {
      if (wanted !== segment) return null;
      continue;
    }
    const value = decodeSegment(segment);
    if (value === null) return null;
    params[wanted.slice(1, -1)] = value;
  }
  return params;
}

function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment) || null;
  } catch {
    return null;
  }
}

function pathOf(url: string): string {
  // A proxy may send the absolute form: GET http://host/path.
  const path = url.startsWith('/') || !URL.canParse(url) ? url : new URL(url).pathname;
  const query = path.indexOf('?');
  return query < 0 ? path : path.slice(0, query);
}

/** `underV1`: the path exists with /v1 before it. */
function notFound(path: string, underV1: boolean): Problem {
  const shown = path.slice(0, 200);
  if (path.startsWith('/v1/v1/')) {
    return new Problem('not_found', {
      detail: `${shown} does not exist. Your base URL already ends in /v1: remove one /v1.`,
    });
  }
  if (underV1) {
    return new Problem('not_found', {
      detail: `${shown} does not exist. Did you mean /v1${shown}? Add /v1 to the base URL of your client.`,
    });
  }
  return new Problem('not_found', {
    detail: `${shown} does not exist. GET /docs describes all endpoints, GET /openapi.json lists them.`,
  });
}
