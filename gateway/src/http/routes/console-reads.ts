/** The result files that people download in the console. */
import type { Sessions } from '../../access/sessions.ts';
import { type FileTools, getResultFile } from '../../batch-files/open-file.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { OpenDownloads } from '../../memory/open-downloads.ts';
import { type HttpRoute, sessionRoute } from '../define-route.ts';
import { type AccessWatch, watchAccess } from '../watch-access.ts';
import { sendStoredFile } from './files.ts';

export interface ConsoleReads extends AccessWatch {
  readonly sessions: Sessions;
  readonly files: FileTools;
  readonly openDownloads: OpenDownloads;
}

export function consoleReadRoutes(tools: ConsoleReads): HttpRoute[] {
  const { sessions, files, openDownloads } = tools;
  return [
    sessionRoute(
      'getConsoleFileContent',
      endpoints.getConsoleFileContent,
      sessions,
      async (exchange, { person }) => {
        const id = exchange.params.id ?? '';
        const file = await getResultFile({ person, id }, files);
        const check = async (): Promise<unknown> =>
          getResultFile({ person: (await sessions.authenticate(exchange.request)).person, id }, files);
        exchange.onOver(watchAccess(tools, check, () => exchange.response.destroy()));
        const enter = (): (() => void) => openDownloads.ofPerson(person.id, file.spaceId);
        await sendStoredFile(exchange, { file, enter }, files);
      },
    ),
  ];
}
