/** Finds the endpoint for a path. */
import type { RequestHeaders } from './dialect.ts';
import type { AnyEndpoint } from './endpoints.ts';

interface Route {
  readonly endpoint: AnyEndpoint;
  readonly pattern: RegExp;
}

export interface Match {
  /** Null where the path has endpoints, but none with this method. */
  readonly endpoint: AnyEndpoint | null;
  readonly params: Readonly<Record<string, string>>;
}

export class Routes {
  readonly #exact = new Map<string, AnyEndpoint[]>();
  readonly #patterns: Route[] = [];

  constructor(endpoints: readonly AnyEndpoint[]) {
    for (const endpoint of endpoints) {
      if (endpoint.path.includes('{')) this.#patterns.push({ endpoint, pattern: patternOf(endpoint.path) });
      else this.#exact.set(endpoint.path, [...(this.#exact.get(endpoint.path) ?? []), endpoint]);
    }
  }

  /** Null where nothing is at this path. */
  find(method: string, path: string, headers: RequestHeaders): Match | null {
    const exact = this.#exact.get(path);
    if (exact !== undefined) {
      // Two providers may have the same path; the first that the request is meant for answers.
      const able = exact.filter((endpoint) => endpoint.method === method);
      const meant = able.find(({ dialect }) => dialect.speaks(path, headers));
      return { endpoint: meant ?? able.at(-1) ?? null, params: {} };
    }
    let found: Match | null = null;
    for (const { endpoint, pattern } of this.#patterns) {
      const match = pattern.exec(path);
      if (match === null) continue;
      if (endpoint.method === method) return { endpoint, params: decode(match.groups ?? {}) };
      found = { endpoint: null, params: {} };
    }
    return found;
  }
}

function patternOf(path: string): RegExp {
  const source = path
    .split(/(\{\w+\})/)
    .map((piece) =>
      piece.startsWith('{')
        ? `(?<${piece.slice(1, -1)}>[^/]+)`
        : piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    );
  return new RegExp(`^${source.join('')}$`);
}

function decode(groups: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeText(text)]));
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
