/** Archives a month for a command, in the server of the data folder if it has an embedded database. */
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open-database.ts';
import type { Clock } from '../kernel/time.ts';
import { type ArchiveInput, type ArchiveReport, archiveMonth } from '../maintenance/archive-month.ts';
import { recoverCalls } from '../metering/recover-calls.ts';
import { askServer } from './ask-server.ts';
import type { Place } from './settings.ts';

export async function archiveInstallation(
  { databaseUrl, dataFolder: folder }: Place,
  input: ArchiveInput,
  clock: Clock,
): Promise<ArchiveReport> {
  const answered = databaseUrl === null ? await askServer(folder, 'archive', input) : null;
  if (answered !== null) return answered.result;
  const db = await openDatabase({ url: databaseUrl?.reveal() ?? null, folder, clock });
  try {
    await migrate(db, clock);
    await recoverCalls(db, { folder, clock });
    return await archiveMonth({ db, clock }, input);
  } finally {
    await db.close();
  }
}
