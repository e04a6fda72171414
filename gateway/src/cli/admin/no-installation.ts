/** The error for a command that finds no installation. It never creates a database: only "serve" does. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Flags, type Place, SettingsError } from '../../app/settings.ts';

/** Throws when the embedded database would be used and does not exist. */
export function requireDatabase(place: Place, flags: Flags): void {
  if (place.databaseUrl !== null || existsSync(join(place.dataFolder, 'postgres'))) return;
  const config = resolve(flags.config ?? process.env.TOLLGATE_CONFIG ?? 'tollgate.yaml');
  const looked = [
    ['configuration', `${config} (${existsSync(config) ? 'names no database' : 'not found'})`],
    [
      'data folder',
      `${place.dataFolder} (${existsSync(place.dataFolder) ? 'no database in it' : 'not found'})`,
    ],
    ['server', `none is running on that data folder`],
    ['DATABASE_URL', 'not set'],
  ].map(([name, found]) => `  ${(name as string).padEnd(14)} ${found}`);
  throw new SettingsError(
    `There is no installation here. Looked at:\n${looked.join('\n')}\n` +
      'Run the command in the folder where the server was started, or name the installation with --data FOLDER,\n' +
      '--config FILE or DATABASE_URL. "tollgate serve" starts a new one.',
  );
}
