/** How many processes `--processes` asks for. */
import { availableParallelism } from 'node:os';
import { type Settings, SettingsError } from '../settings.ts';

const PROCESSES_MAX = 256;

export function readProcessCount(text: string | undefined): number {
  if (text === undefined) return 1;
  if (text === 'auto') return availableParallelism();
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= PROCESSES_MAX) return count;
  throw new SettingsError(
    `--processes is ${JSON.stringify(text)}. It must be a whole number from 1 to ${PROCESSES_MAX}, or auto for one per core.`,
  );
}

/** Several processes need a database that they can share. */
export function checkProcessCount(count: number, { databaseUrl, demo }: Settings): void {
  if (demo) {
    throw new SettingsError(
      'The demo runs in one process. Run "tollgate init" to write a tollgate.yaml, then serve it with --processes.',
    );
  }
  if (databaseUrl !== null) return;
  throw new SettingsError(
    `${count} processes need PostgreSQL: the embedded database belongs to one process. ` +
      'Set DATABASE_URL (or database.url), or leave --processes out.',
  );
}
