/** Reads the queries of the log API. What is wrong is told all at once, parameter by parameter. */
import {
  AFTER_HEADER,
  AFTER_MAX,
  HEARTBEAT_SECONDS_MAX,
  SINCE_SECONDS_MAX,
  TAIL_LINES_MAX,
} from '../contract/log-limits.ts';
import { BuildLogQuery, LogsQuery } from '../contract/logs.ts';
import { type InvalidItem, Problem } from '../kernel/problem.ts';
import { type LogRequest, readLineId } from '../logs/log-request.ts';

/** Names of pods and containers, as Kubernetes allows them. */
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

export function readLogQuery(
  url: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Omit<LogRequest, 'project'> {
  const query = new QueryReader(url, Object.keys(LogsQuery.properties));
  const after = readAfter(query, headers[AFTER_HEADER]);
  const request = {
    tailLines: query.integer('tailLines', { min: 0, max: TAIL_LINES_MAX }),
    sinceSeconds: query.integer('sinceSeconds', { min: 0, max: SINCE_SECONDS_MAX }),
    follow: query.flag('follow') ?? false,
    podName: query.name('podName'),
    container: query.name('container'),
    ids: query.flag('ids') ?? false,
    heartbeatSeconds: query.integer('heartbeat', { min: 1, max: HEARTBEAT_SECONDS_MAX }),
    after,
  };
  if (after !== null && (request.tailLines !== null || request.sinceSeconds !== null)) {
    query.wrong(
      'after',
      'goes on where you were, so tailLines and sinceSeconds cannot stand with it',
      'value_error',
    );
  }
  query.check();
  return request;
}

export function readBuildLogQuery(url: string): { numbers: boolean } {
  const query = new QueryReader(url, Object.keys(BuildLogQuery.properties));
  const numbers = query.flag('numbers') ?? true;
  query.check();
  return { numbers };
}

function readAfter(
  query: QueryReader,
  header: string | string[] | undefined,
): ReadonlyMap<string, string> | null {
  const more = typeof header === 'string' ? header.split(' ').filter((id) => id !== '') : [];
  const ids = [...query.all('after'), ...more];
  if (ids.length === 0) return null;
  if (ids.length > AFTER_MAX) query.wrong('after', `may stand at most ${AFTER_MAX} times`, 'too_long');
  const after = new Map<string, string>();
  for (const id of ids) {
    const read = readLineId(id);
    if (read === null) {
      query.wrong('after', 'must be the id of a line, as ids=true gives it', 'value_error');
      break;
    }
    after.set(read.source, read.position);
  }
  return after;
}

class QueryReader {
  readonly #params: URLSearchParams;
  readonly #wrong: InvalidItem[] = [];

  constructor(url: string, known: readonly string[]) {
    const at = url.indexOf('?');
    this.#params = new URLSearchParams(at < 0 ? '' : url.slice(at));
    for (const name of new Set(this.#params.keys())) {
      if (known.includes(name)) continue;
      const shown = name.slice(0, 80);
      this.wrong(shown, `is not a parameter here; what can be sent: ${known.join(', ')}`, 'extra_forbidden');
    }
  }

  all(name: string): string[] {
    return this.#params.getAll(name);
  }

  integer(name: string, range: { min: number; max: number }): number | null {
    const text = this.#one(name);
    if (text === null) return null;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= range.min && value <= range.max) return value;
    this.wrong(name, `must be a whole number from ${range.min} to ${range.max}`, 'int_parsing');
    return null;
  }

  flag(name: string): boolean | null {
    const text = this.#one(name);
    if (text === null || text === 'true' || text === 'false') return text === null ? null : text === 'true';
    this.wrong(name, 'must be true or false', 'bool_parsing');
    return null;
  }

  name(name: string): string | null {
    const text = this.#one(name);
    if (text === null || NAME.test(text)) return text;
    this.wrong(name, 'must be a name of lower-case letters, digits, "-" and "."', 'string_pattern_mismatch');
    return null;
  }

  wrong(name: string, msg: string, type: string): void {
    this.#wrong.push({ loc: ['query', name], msg: `${name} ${msg}`, type });
  }

  check(): void {
    const [first] = this.#wrong;
    if (first !== undefined) throw new Problem('validation_error', { detail: first.msg, items: this.#wrong });
  }

  #one(name: string): string | null {
    const values = this.#params.getAll(name);
    if (values.length > 1) this.wrong(name, 'must stand once', 'value_error');
    return values[0] ?? null;
  }
}
