/** Reads the queries of the log API. */
import {
  AFTER_HEADER,
  AFTER_MAX,
  HEARTBEAT_SECONDS_MAX,
  SINCE_SECONDS_MAX,
  TAIL_LINES_MAX,
} from '../contract/log-limits.ts';
import { BuildLogQuery, LogsQuery } from '../contract/logs.ts';
import { readLineId } from '../logs/line-position.ts';
import type { LogRequest } from '../logs/log-request.ts';
import { QueryReader } from './query-reader.ts';

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
    query.wrong('after', 'cannot be combined with tailLines or sinceSeconds', 'value_error');
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
  if (ids.length > AFTER_MAX) query.wrong('after', `may be repeated at most ${AFTER_MAX} times`, 'too_long');
  const after = new Map<string, string>();
  for (const id of ids) {
    const read = readLineId(id);
    if (read === null) {
      query.wrong('after', 'must be the id of a log line, as returned with ids=true', 'value_error');
      break;
    }
    after.set(read.source, read.position);
  }
  return after;
}
