/** Finds the route of a request, or says helpfully that there is none. */
import { Problem } from '../kernel/problem.ts';
import type { Route } from './define-route.ts';

const URL_CHARACTERS_MAX = 8_192;

export class Router {
  readonly #paths = new Map<string, Map<string, Route>>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const { path, alias, method } = route.endpoint;
      for (const at of alias === undefined ? [path] : [path, alias]) {
        const methods = this.#paths.get(at) ?? new Map<string, Route>();
        this.#paths.set(at, methods.set(method, route));
      }
    }
  }

  find(method: string, url: string): Route {
    if (url.length > URL_CHARACTERS_MAX) throw new Problem('uri_too_long');
    const path = pathOf(url);
    const methods = this.#paths.get(path);
    if (methods === undefined) throw notFound(path, this.#paths.has(`/v1${path}`));
    // Node sends no body in answer to HEAD, so GET's code serves it.
    const route = methods.get(method === 'HEAD' ? 'GET' : method);
    if (route === undefined) {
      throw new Problem('method_not_allowed', {
        detail: `${path} takes ${this.allowed(url)}, not ${method}.`,
      });
    }
    return route;
  }

  /** The methods of a path, for the `Allow` header of a 405. */
  allowed(url: string): string {
    return [...(this.#paths.get(pathOf(url))?.keys() ?? [])].join(', ');
  }
}

function pathOf(url: string): string {
  // A proxy may send the absolute form: GET http://host/path.
  const path = url.startsWith('/') || !URL.canParse(url) ? url : new URL(url).pathname;
  const query = path.indexOf('?');
  return query < 0 ? path : path.slice(0, query);
}

/** `underV1`: the path is one of ours but for the /v1 before it. */
function notFound(path: string, underV1: boolean): Problem {
  const shown = path.slice(0, 200);
  if (path.startsWith('/v1/v1/')) {
    return new Problem('not_found', {
      detail: `There is no ${shown}: the base URL already ends in /v1, so drop one /v1.`,
    });
  }
  if (underV1) {
    return new Problem('not_found', {
      detail: `There is no ${shown}; did you mean /v1${shown}? The base URL of your client lacks its /v1.`,
    });
  }
  return new Problem('not_found', { detail: `There is no ${shown}. GET /openapi.json lists what there is.` });
}
