/** `tollgate media get`: fetches the file of a job. */
import { once } from 'node:events';
import { access, type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { SettingsError } from '../app/settings.ts';
import type { MediaLink } from '../contract/media.ts';
import { extensionOf } from '../media/media-format.ts';
import { flagsOf } from './administer.ts';
import { type Downloaded, downloadMedia, linkTo } from './download-media.ts';
import { type ClientFlags, GatewayClient, URL_OPTION } from './gateway-client.ts';
import { printFields } from './print.ts';

interface GetFlags extends ClientFlags {
  readonly output?: string;
  readonly force?: boolean;
}

export function addMediaCommands(program: Command): void {
  const media = program.command('media').description('the files that jobs leave behind');
  media
    .command('get <media_id>')
    .description('fetch a file, go on after a cut, and check it; the key is TOLLGATE_KEY')
    .option(...URL_OPTION)
    .option('-o, --output <file>', 'where to; "-" is standard output (default: MEDIA_ID and its ending)')
    .option('--force', 'write over a file that is there')
    .action(async (id: string, _: unknown, command: Command) => {
      const flags = flagsOf<GetFlags>(command);
      const client = await GatewayClient.open(flags);
      const first = await linkTo(client, id);
      if (flags.output === '-') {
        await downloadMedia(client, first, writeOut);
        return;
      }
      const path = flags.output ?? `${id}${extensionOf(first.mime_type)}`;
      const { bytes, sha256, checked } = await saveMedia(client, first, {
        path,
        force: flags.force ?? false,
      });
      printFields({ file: path, bytes, sha256, checked }, { json: flags.json ?? false });
    });
}

async function writeOut(bytes: Uint8Array): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
}

/** Written beside its place, so that what stands there is whole. */
export async function saveMedia(
  client: GatewayClient,
  first: MediaLink,
  { path, force }: { path: string; force: boolean },
): Promise<Downloaded> {
  if (!force) await refuseToOverwrite(path);
  const part = `${path}.part`;
  const file: FileHandle = await open(part, 'w').catch((error: NodeJS.ErrnoException) => {
    throw new SettingsError(`${part} cannot be written (${error.code}).`);
  });
  try {
    const done = await downloadMedia(client, first, (bytes) =>
      file.appendFile(bytes).catch((error: NodeJS.ErrnoException) => {
        throw new SettingsError(`${part} cannot be written on (${error.code}).`);
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

/** A link, unlike a rename, does not replace what came there meanwhile. */
async function place(part: string, path: string, force: boolean): Promise<void> {
  if (force) {
    await rename(part, path);
    return;
  }
  await link(part, path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? overwrites(path) : error;
  });
}

/** Asked before anything is done for what would be written there. */
export async function refuseToOverwrite(path: string): Promise<void> {
  if (await exists(path)) throw overwrites(path);
}

function overwrites(path: string): SettingsError {
  return new SettingsError(`${path} is there already; --force writes over it.`);
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
