/** What people read in the console: explanations of requests, and result files. */
import type { Person } from '../../access/person.ts';
import type { Sessions } from '../../access/sessions.ts';
import { type FileTools, getResultFile } from '../../batch-files/open-file.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { Explanation } from '../../contract/explanation.ts';
import { type HttpRoute, sessionRoute } from '../define-route.ts';
import { sendStoredFile } from './files.ts';

export interface ConsoleReads {
  readonly sessions: Sessions;
  readonly files: FileTools;
  explain(person: Person, ref: string): Promise<Explanation>;
}

export function consoleReadRoutes({ sessions, files, explain }: ConsoleReads): HttpRoute[] {
  return [
    sessionRoute('explainRequest', endpoints.explainRequest, sessions, async (exchange, { person }) => {
      const explanation = await explain(person, exchange.params.ref ?? '');
      exchange.sendJson(200, JSON.stringify(explanation));
    }),
    sessionRoute(
      'getConsoleFileContent',
      endpoints.getConsoleFileContent,
      sessions,
      async (exchange, { person }) => {
        const file = await getResultFile({ person, id: exchange.params.id ?? '' }, files);
        await sendStoredFile(exchange, file, files);
      },
    ),
  ];
}
