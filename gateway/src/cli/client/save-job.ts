/** Follows a job until it ends, and saves its files. */
import { extname } from 'node:path';
import type { JobObject } from '../../contract/video.ts';
import { flag, option } from '../command.ts';
import { linkTo } from './download-media.ts';
import type { GatewayClient } from './gateway-client.ts';
import { rejectExisting, saveMedia } from './save-media.ts';
import { watchJob } from './watch-job.ts';

export const saveOptions = {
  output: option('<file>', 'wait for the video, and save it here', { short: 'o' }),
  force: flag('overwrite an existing file'),
};

interface Save {
  readonly output: string | undefined;
  readonly force: boolean;
}

/** Checked before anything is paid for. */
export async function checkOutput({ output, force }: Save): Promise<void> {
  if (output !== undefined && !force) await rejectExisting(output);
}

export async function waitAndSave(
  client: GatewayClient,
  id: string,
  { output, force, json = false }: Save & { json?: boolean },
): Promise<void> {
  const job = await watchJob(client, id, { json });
  if (output === undefined || job.status !== 'succeeded') return;
  const paths = await save(client, job, { output, force });
  // On standard error, because standard output has the job, as one JSON value if asked for.
  process.stderr.write(`Saved to ${paths.join(', ')}.\n`);
}

/** Several files are numbered before their extension. */
async function save(
  client: GatewayClient,
  { files }: JobObject,
  { output, force }: { output: string; force: boolean },
): Promise<string[]> {
  const ready = files.filter(({ status }) => status === 'ready');
  const paths = ready.map((_, i) => (ready.length === 1 ? output : numbered(output, i + 1)));
  for (const [i, { media_id: id }] of ready.entries()) {
    await saveMedia(client, await linkTo(client, id), { path: paths[i] as string, force });
  }
  return paths;
}

function numbered(path: string, number: number): string {
  const ending = extname(path);
  return `${path.slice(0, path.length - ending.length)}-${number}${ending}`;
}
