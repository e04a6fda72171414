/** Runs an operation of administration: in the server of this data folder, or directly on the database. */
import { userInfo } from 'node:os';
import type { InputOf, OperationName, ResultOf } from '../../administration/operations.ts';
import { askServer } from '../../app/admin-socket.ts';
import { type Flags, findConfig, findDataPlace, type Place } from '../../app/settings.ts';
import { type CommonFlags, option } from '../command.ts';
import { printFields, type Row } from '../print.ts';
import { dataFolderOf } from '../running-server.ts';
import { requireDatabase } from './no-installation.ts';

/** Taken by every command that works in one space. */
export const space = option('<name>', 'the space (may be left out when there is only one)');

export async function administer<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  flags: Flags,
): Promise<ResultOf<Name>> {
  const answered = await askServer(dataFolderOf(flags), name, input as never, operatorName());
  if (answered !== null) return answered.result as ResultOf<Name>;
  return await onDatabase(name, input, flags);
}

/** Runs an operation and prints its answer, one field per line. */
export async function administerAndPrint<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  flags: CommonFlags,
): Promise<void> {
  printFields((await administer(name, input, flags)) as Row, flags);
}

/** Anyone who can open the data folder is an operator; the audit log records which system user it was. */
function operatorName(): string {
  return `operator:${userInfo().username}`;
}

/** Loads what it needs only now: with a server running, a command should start fast. */
async function onDatabase<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  flags: Flags,
): Promise<ResultOf<Name>> {
  // Before anything is loaded, so that a command in the wrong folder says so at once.
  const place = await placeOf(flags);
  requireDatabase(place, flags);
  const { runOperation } = await import('../../administration/operations.ts');
  const { openDatabase } = await import('../../database/open-database.ts');
  const { migrate } = await import('../../database/migrate.ts');
  const { systemClock: clock } = await import('../../kernel/time.ts');
  const db = await openDatabase({
    url: place.databaseUrl?.reveal() ?? null,
    folder: place.dataFolder,
    clock,
  });
  try {
    await migrate(db, clock);
    const models = async (spaceName: string): Promise<string[]> => {
      const { readInstallation } = await import('../read-installation.ts');
      const { catalog } = await readInstallation(flags);
      return catalog.list({ spaceName, models: null }).map(({ code }) => code);
    };
    return await runOperation({ db, clock, actor: operatorName(), models }, name, input);
  } finally {
    await db.close();
  }
}

/** The configuration file may name the database; nothing else in it matters here. */
async function placeOf(flags: Flags): Promise<Place> {
  const { file, demo } = findConfig(flags, process.env);
  if (demo || process.env.DATABASE_URL) return findDataPlace(flags, process.env);
  const { readConfig } = await import('../../app/catalog-source.ts');
  return findDataPlace(flags, process.env, readConfig(file, process.env).content);
}
