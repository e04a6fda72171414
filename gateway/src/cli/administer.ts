/** Runs an administrative command: in the server of this data folder, or on the database itself. */
import type { Command } from 'commander';
import { type AdminArgs, adminCommands } from '../app/admin-commands.ts';
import { askServer } from '../app/admin-socket.ts';
import { readConfig } from '../app/catalog-source.ts';
import { type Flags, findConfig, findPlace, type Place, SettingsError } from '../app/settings.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open-database.ts';
import { systemClock } from '../kernel/time.ts';

export interface CommonFlags extends Flags {
  readonly json?: boolean;
}

/** The flags of the command together with those of `tollgate` itself. */
export function flagsOf<Own extends object>(command: Command): CommonFlags & Own {
  return command.optsWithGlobals();
}

export async function administer<Result>(name: string, args: AdminArgs, flags: Flags): Promise<Result> {
  const place = placeOf(flags);
  const answered = await askServer(place.dataFolder, { command: name, args });
  if (answered !== null) return answered.result as Result;
  const run = adminCommands[name];
  if (run === undefined)
    throw new SettingsError(`No server is running on ${place.dataFolder}; start it with "tollgate serve".`);
  const db = await openDatabase({
    url: place.databaseUrl?.reveal() ?? null,
    folder: place.dataFolder,
    clock: systemClock,
  });
  try {
    await migrate(db, systemClock);
    return (await run({ db, clock: systemClock }, args)) as Result;
  } finally {
    await db.close();
  }
}

/** The database address may be in the file; the rest of the file is of no concern here. */
export function placeOf(flags: Flags): Place {
  const { file, demo } = findConfig(flags, process.env);
  if (demo || process.env.DATABASE_URL) return findPlace(flags, process.env);
  return findPlace(flags, process.env, readConfig(file, process.env).content);
}
