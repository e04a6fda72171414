/** The result files that people download in the console. */
import type { Sessions } from '../../access/sessions.ts';
import { type FileTools, getResultFile } from '../../batch-files/open-file.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { type HttpRoute, sessionRoute } from '../define-route.ts';
import { sendStoredFile } from './files.ts';

export interface ConsoleReads {
  readonly sessions: Sessions;
  readonly files: FileTools;
}

export function consoleReadRoutes({ sessions, files }: ConsoleReads): HttpRoute[] {
  return [
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
