/** Runs an administrative command: in the server of this data folder, or on the database itself. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { AdminArgs } from '../administration/command.ts';
import { askServer } from '../app/admin-socket.ts';
import { type Flags, findConfig, findDataPlace, type Place, SettingsError } from '../app/settings.ts';
import { requireDatabase } from './no-installation.ts';
import { printFields, type Row } from './print.ts';

export interface CommonFlags extends Flags {
  readonly json?: boolean;
}

/** The flags of the command together with those of `tollgate` itself. */
export function flagsOf<Own extends object>(command: Command): CommonFlags & Own {
  return command.optsWithGlobals();
}

export async function administer<Result>(name: string, args: AdminArgs, flags: Flags): Promise<Result> {
  const answered = await askServer(dataFolderOf(flags), { command: name, args, actor: operatorName() });
  if (answered !== null) return answered.result as Result;
  return await onDatabase<Result>(name, args, flags);
}

/** Runs a command and prints its answer, a field per line. */
export async function administerAndPrint(name: string, args: AdminArgs, flags: CommonFlags): Promise<void> {
  printFields(await administer<Row>(name, args, flags), { json: flags.json ?? false });
}

/** Whoever may open the data folder is an operator; the audit log says which. */
function operatorName(): string {
  return `operator:${userInfo().username}`;
}

/** What a command without a server needs is loaded only then. */
async function onDatabase<Result>(name: string, args: AdminArgs, flags: Flags): Promise<Result> {
  // Before anything is loaded, so that a command in the wrong folder says so at once.
  const place = await placeOf(flags);
  requireDatabase(place, flags);
  const { adminCommands } = await import('../administration/commands.ts');
  const { openDatabase } = await import('../database/open-database.ts');
  const { migrate } = await import('../database/migrate.ts');
  const { systemClock: clock } = await import('../kernel/time.ts');
  const command = adminCommands[name];
  if (command === undefined) {
    throw new SettingsError(`No server is running on ${place.dataFolder}; start it with "tollgate serve".`);
  }
  const db = await openDatabase({
    url: place.databaseUrl?.reveal() ?? null,
    folder: place.dataFolder,
    clock,
  });
  try {
    await migrate(db, clock);
    const models = async (spaceName: string): Promise<string[]> => {
      const { readInstallation } = await import('./read-installation.ts');
      const { catalog } = await readInstallation(flags);
      return catalog.list({ spaceName, models: null }).map(({ code }) => code);
    };
    return (await command.run({ db, clock, actor: operatorName(), models }, args)) as Result;
  } finally {
    await db.close();
  }
}

/** Where a running server is asked. What is in the configuration matters only without one. */
export function dataFolderOf(flags: Flags): string {
  findConfig(flags, process.env);
  return findDataPlace(flags, process.env).dataFolder;
}

/** The database address may be in the file; the rest of the file is of no concern here. */
async function placeOf(flags: Flags): Promise<Place> {
  const { file, demo } = findConfig(flags, process.env);
  if (demo || process.env.DATABASE_URL) return findDataPlace(flags, process.env);
  const { readConfig } = await import('../app/catalog-source.ts');
  return findDataPlace(flags, process.env, readConfig(file, process.env).content);
}
