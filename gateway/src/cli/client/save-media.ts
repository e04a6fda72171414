/** Saves a media file to disk, whole or not at all. */
import { access, type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { SettingsError } from '../../app/settings.ts';
import type { MediaLink } from '../../contract/media.ts';
import { type Downloaded, downloadMedia } from './download-media.ts';
import type { GatewayClient } from './gateway-client.ts';

/** Written to a .part file first, so that `path` never holds half a file. */
export async function saveMedia(
  client: GatewayClient,
  first: MediaLink,
  { path, force }: { path: string; force: boolean },
): Promise<Downloaded> {
  if (!force) await rejectExisting(path);
  const part = `${path}.part`;
  const file: FileHandle = await open(part, 'w').catch((error: NodeJS.ErrnoException) => {
    throw new SettingsError(`${part} cannot be written (${error.code}).`);
  });
  try {
    const done = await downloadMedia(client, first, (bytes) =>
      file.appendFile(bytes).catch((error: NodeJS.ErrnoException) => {
        throw new SettingsError(`${part} cannot be written to (${error.code}).`);
      }),
    );
    await file.close();
    await place(part, path, force);
    return done;
  } finally {
    await file.close().catch(() => undefined);
    await rm(part, { force: true });
  }
}

/** A link, unlike a rename, does not replace a file that was created meanwhile. */
async function place(part: string, path: string, force: boolean): Promise<void> {
  if (force) {
    await rename(part, path);
    return;
  }
  await link(part, path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? overwrites(path) : error;
  });
}

/** Checked before anything is downloaded. */
export async function rejectExisting(path: string): Promise<void> {
  if (await exists(path)) throw overwrites(path);
}

function overwrites(path: string): SettingsError {
  return new SettingsError(`${path} already exists; overwrite it with --force.`);
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
