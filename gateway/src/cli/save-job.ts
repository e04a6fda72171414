/** Follows a job to its end, and writes its files to disk. */
import { extname } from 'node:path';
import type { JobObject } from '../contract/video.ts';
import { linkTo } from './download-media.ts';
import type { GatewayClient } from './gateway-client.ts';
import { watchJob } from './job-watch.ts';
import { refuseToOverwrite, saveMedia } from './media.ts';

export interface SaveFlags {
  readonly json?: boolean;
  readonly output?: string;
  readonly force?: boolean;
}

/** Asked before anything is paid for. */
export async function checkOutput({ output, force }: SaveFlags): Promise<void> {
  if (output !== undefined && !force) await refuseToOverwrite(output);
}

export async function waitAndSave(client: GatewayClient, id: string, flags: SaveFlags): Promise<void> {
  const job = await watchJob(client, id, flags);
  const { output, force = false } = flags;
  if (output === undefined || job.status !== 'succeeded') return;
  const paths = await save(client, job, { output, force });
  // What is printed as JSON is one value.
  process.stderr.write(`The video is in ${paths.join(', ')}.\n`);
}

/** Of several files each has its number before the ending. */
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
