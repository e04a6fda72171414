/** Writes the files of a job to disk, through links that are made for it. */
import { createWriteStream } from 'node:fs';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SettingsError } from '../app/settings.ts';
import type { MediaLink } from '../contract/media.ts';
import type { JobObject } from '../contract/video.ts';
import type { GatewayClient } from './gateway-client.ts';
import { watchJob } from './job-watch.ts';

/** Follows a job to its end; what came of it is written where the flags say. */
export async function waitAndSave(
  client: GatewayClient,
  id: string,
  flags: { json?: boolean; output?: string },
): Promise<void> {
  const job = await watchJob(client, id, flags);
  if (flags.output === undefined || job.status !== 'succeeded') return;
  // What is printed as JSON is one value.
  process.stderr.write(`The video is in ${await saveMedia(client, job, flags.output)}.\n`);
}

/** Answers where they are; of several, each has its number before the ending. */
async function saveMedia(client: GatewayClient, job: JobObject, path: string): Promise<string> {
  const ready = job.files.filter(({ status }) => status === 'ready');
  const paths = ready.map((_, i) => (ready.length === 1 ? path : numbered(path, i + 1)));
  for (const [i, { media_id: id }] of ready.entries()) {
    const link = await client.json<MediaLink>(`/v1/media/${encodeURIComponent(id)}/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    const reply = await fetch(link.url);
    if (!reply.ok || reply.body === null) {
      throw new SettingsError(`The file ${id} could not be fetched: ${reply.status} ${reply.statusText}.`);
    }
    await pipeline(Readable.fromWeb(reply.body as never), createWriteStream(paths[i] as string));
  }
  return paths.join(', ');
}

function numbered(path: string, number: number): string {
  const ending = extname(path);
  return `${path.slice(0, path.length - ending.length)}-${number}${ending}`;
}
