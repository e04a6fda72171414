/** The log API, for people with a session. */
import type { Sessions } from '../../access/sessions.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { Problem } from '../../kernel/problem.ts';
import { openBuildLog } from '../../logs/build-log.ts';
import type { LogAccess } from '../../logs/log-access.ts';
import type { LogService } from '../../logs/log-service.ts';
import type { OpenDownloads } from '../../memory/open-downloads.ts';
import { type HttpRoute, openRoute, sessionRoute } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { readBuildLogQuery, readLogQuery } from '../read-log-query.ts';
import { sendText } from '../stream-text.ts';
import { type AccessWatch, watchAccess } from '../watch-access.ts';

export interface LogRouteTools extends AccessWatch {
  readonly sessions: Sessions;
  readonly access: LogAccess;
  readonly logs: LogService;
  readonly dataFolder: string;
  readonly openDownloads: OpenDownloads;
}

export function logRoutes(tools: LogRouteTools): HttpRoute[] {
  const { sessions, access, logs, dataFolder } = tools;
  return [
    sessionRoute('streamProjectLogs', endpoints.streamProjectLogs, sessions, async (exchange, { person }) => {
      const { request } = exchange;
      const project = await access.project(person, idOf(exchange));
      const query = readLogQuery(request.url ?? '', request.headers);
      const stream = logs.open({ ...query, project: project.id }, person.id);
      const check = async (): Promise<unknown> =>
        access.project((await sessions.authenticate(request)).person, project.id);
      const stopWatching = watchAccess(tools, check, () => stream.close());
      exchange.response.on('close', () => stream.close());
      try {
        await stream.begin();
        const { pieces, signal } = stream;
        await sendText(exchange, { contentType: 'application/x-ndjson', pieces, endless: true, signal });
      } finally {
        stopWatching();
        stream.close();
      }
    }),
    sessionRoute('getBuildLog', endpoints.getBuildLog, sessions, async (exchange, { person }) => {
      const build = await access.build(person, idOf(exchange));
      const options = readBuildLogQuery(exchange.request.url ?? '');
      exchange.onOver(tools.openDownloads.ofPerson(person.id, null));
      const pieces = await openBuildLog(build, { ...options, dataFolder });
      const stop = new AbortController();
      const { signal } = stop;
      exchange.response.on('close', () => stop.abort());
      const check = async (): Promise<unknown> =>
        access.build((await sessions.authenticate(exchange.request)).person, idOf(exchange));
      exchange.onOver(watchAccess(tools, check, () => stop.abort()));
      await sendText(exchange, {
        contentType: 'text/plain; charset=utf-8',
        pieces,
        endless: false,
        signal,
      });
    }),
  ];
}

/** For a process without the role `logs`: a 404 would say that the project does not exist. */
export function noLogRoutes(): HttpRoute[] {
  const reject = (): never => {
    throw new Problem('service_unavailable', {
      detail:
        'This process does not serve logs, because its roles do not include logs. Contact your operator: the proxy ' +
        'should send this path to a process with the role logs.',
    });
  };
  return [
    openRoute('streamProjectLogs', endpoints.streamProjectLogs, reject),
    openRoute('getBuildLog', endpoints.getBuildLog, reject),
  ];
}

function idOf({ params }: Exchange): string {
  return params.id ?? '';
}
