/** The error for a command that finds no installation. It never creates a database: only "serve" does. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Flags, type Place, SettingsError } from '../../app/settings.ts';

/** False when the embedded database would be used and does not exist. */
export function hasDatabase(place: Place): boolean {
  return place.databaseUrl !== null || existsSync(join(place.dataFolder, 'postgres'));
}

export function requireDatabase(place: Place, flags: Flags): void {
  if (hasDatabase(place)) return;
  const config = resolve(flags.config ?? process.env.TOLLGATE_CONFIG ?? 'tollgate.yaml');
  const looked = [
    ['server', `neither --url nor TOLLGATE_URL is given, and ${remoteCredential()}`],
    ['local server', 'none is running on the data folder'],
    ['configuration', `${config} (${existsSync(config) ? 'names no database' : 'not found'})`],
    [
      'data folder',
      `${place.dataFolder} (${existsSync(place.dataFolder) ? 'no database in it' : 'not found'})`,
    ],
    ['DATABASE_URL', 'not set'],
  ].map(([name, found]) => `  ${(name as string).padEnd(14)} ${found}`);
  throw new SettingsError(
    `There is no installation here. Looked at:\n${looked.join('\n')}\n` +
      'To administer a server on another machine: "tollgate login --url URL", or --url URL with a token in\n' +
      'TOLLGATE_TOKEN. On the machine of the server: run the command in the folder where it was started, or name\n' +
      'the installation with --data FOLDER, --config FILE or DATABASE_URL. "tollgate serve" starts a new one.',
  );
}

function remoteCredential(): string {
  return process.env.TOLLGATE_TOKEN
    ? 'TOLLGATE_TOKEN does not say which server it is for'
    : 'you are not signed in to one';
}
