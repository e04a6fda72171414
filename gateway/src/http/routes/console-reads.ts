/** The result files that people download in the console. */
import type { Sessions } from '../../access/sessions.ts';
import { type FileTools, getResultFile } from '../../batch-files/open-file.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { OpenDownloads } from '../../metering/open-downloads.ts';
import { type HttpRoute, sessionRoute } from '../define-route.ts';
import { sendStoredFile } from './files.ts';

export interface ConsoleReads {
  readonly sessions: Sessions;
  readonly files: FileTools;
  readonly openDownloads: OpenDownloads;
}

export function consoleReadRoutes({ sessions, files, openDownloads }: ConsoleReads): HttpRoute[] {
  return [
    sessionRoute(
      'getConsoleFileContent',
      endpoints.getConsoleFileContent,
      sessions,
      async (exchange, { person }) => {
        const file = await getResultFile({ person, id: exchange.params.id ?? '' }, files);
        const enter = (): (() => void) => openDownloads.ofPerson(person.id, file.spaceId);
        await sendStoredFile(exchange, { file, enter }, files);
      },
    ),
  ];
}
