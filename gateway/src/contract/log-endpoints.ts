/** The endpoints of the log API; part of the table in `endpoints.ts`. */
import { Type } from 'typebox';
import type { Endpoint } from './endpoint.ts';
import { BuildLogQuery, LogStreamLine, LogsQuery } from './logs.ts';

export const logEndpoints = {
  streamProjectLogs: {
    method: 'GET',
    path: '/api/projects/{id}/logs',
    credential: 'session',
    summary: 'Stream the runtime logs of a project.',
    query: LogsQuery,
    response: LogStreamLine,
    responseType: 'application/x-ndjson',
    problems: ['project_not_found', 'validation_error', 'rate_limit_exceeded'],
  },
  getBuildLog: {
    method: 'GET',
    path: '/api/builds/{id}/logs',
    credential: 'session',
    summary: 'Get the log of a build.',
    query: BuildLogQuery,
    response: Type.String(),
    responseType: 'text/plain',
    problems: ['build_not_found', 'build_logs_unavailable', 'validation_error', 'rate_limit_exceeded'],
  },
} as const satisfies Record<string, Endpoint>;
