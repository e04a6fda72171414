/**
 * Copies the folder of an embedded database while the engine runs. The first round copies everything and lets the engine
 * write; the second one, for which the engine must be idle, only copies what has changed since. What is copied opens as
 * after a crash, so nothing that was committed is missing.
 */
import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../kernel/time.ts';

/** Times of files are coarser than our clock. */
const FILE_TIME_MS = 2_000;

export async function copyFolder(
  folders: { from: string; to: string },
  idle: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const changedSince = systemClock.now() - FILE_TIME_MS;
  await copyRound(folders, () => true);
  await idle(() => copyRound(folders, (modifiedMs) => modifiedMs >= changedSince));
}

async function copyRound(
  { from, to }: { from: string; to: string },
  isWanted: (modifiedMs: number) => boolean,
): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const present = new Set<string>();
  for (const entry of await readdir(from, { withFileTypes: true })) {
    present.add(entry.name);
    const paths = { from: join(from, entry.name), to: join(to, entry.name) };
    if (entry.isDirectory()) await copyRound(paths, isWanted);
    else if (entry.isFile()) await copyChanged(paths, isWanted);
  }
  for (const name of await readdir(to))
    if (!present.has(name)) await rm(join(to, name), { recursive: true, force: true });
}

async function copyChanged(
  { from, to }: { from: string; to: string },
  isWanted: (modifiedMs: number) => boolean,
): Promise<void> {
  try {
    const [found, copied] = [await stat(from), await stat(to).catch(() => null)];
    if (copied !== null && copied.size === found.size && !isWanted(found.mtimeMs)) return;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    // The engine removed it meanwhile; the second round then removes the copy.
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
  }
}
