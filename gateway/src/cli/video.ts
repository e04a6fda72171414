/** Videos as their owner makes them: ask, watch, fetch. */
import type { Command } from 'commander';
import { SettingsError } from '../app/settings.ts';
import type { JobObject } from '../contract/video.ts';
import { flagsOf } from './administer.ts';
import { type ClientFlags, GatewayClient, URL_OPTION } from './gateway-client.ts';
import { shownJob } from './job-watch.ts';
import { printFields, printJson } from './print.ts';
import { uploadReference } from './references.ts';
import { checkOutput, type SaveFlags, waitAndSave } from './save-job.ts';

interface VideoFlags extends ClientFlags, SaveFlags {
  readonly model: string;
  readonly image?: string;
  readonly seconds?: string;
  readonly aspect?: string;
  readonly resolution?: string;
  readonly idempotencyKey?: string;
  readonly wait?: boolean;
}

export function addVideoCommand(program: Command): void {
  program
    .command('video <prompt>')
    .description('make a video; the key is TOLLGATE_KEY')
    .requiredOption('--model <code>', 'the model, such as sim-video')
    .option(
      '--image <file>',
      'begin from a picture: a file here, an https address, or a reference (svc-file://…)',
    )
    .option('--seconds <seconds>', 'how long')
    .option('--aspect <ratio>', 'the shape, such as 16:9')
    .option('--resolution <name>', 'such as 720p')
    .option('--idempotency-key <key>', 'the same key within 24 hours is the same job')
    .option('--wait', 'stay until it is made')
    .option('-o, --output <file>', 'stay, and write the video here')
    .option('--force', 'write over a file that is there')
    .option(...URL_OPTION)
    .action(async (prompt: string, _: unknown, command: Command) => {
      const flags = flagsOf<VideoFlags>(command) as VideoFlags;
      await checkOutput(flags);
      const client = await GatewayClient.open(flags);
      const job = await create(client, prompt, flags);
      if (flags.wait || flags.output !== undefined) await waitAndSave(client, job.id, flags);
      else if (flags.json) printJson(job);
      else printFields({ ...shownJob(job), watch: `tollgate jobs wait ${job.id}` }, { json: false });
    });
}

async function create(client: GatewayClient, prompt: string, flags: VideoFlags): Promise<JobObject> {
  const { model, image, seconds, aspect, resolution, idempotencyKey: key } = flags;
  return await client.json<JobObject>('/v1/video/generations', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
    body: JSON.stringify({
      model,
      prompt,
      ...(image !== undefined && { image_url: await imageUrl(client, image) }),
      ...(seconds !== undefined && { duration_seconds: wholeSeconds(seconds) }),
      ...(aspect !== undefined && { aspect_ratio: aspect }),
      ...(resolution !== undefined && { resolution }),
    }),
  });
}

function wholeSeconds(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new SettingsError(`--seconds must be a whole number, not ${JSON.stringify(text)}.`);
}

/** A file is uploaded first. */
async function imageUrl(client: GatewayClient, image: string): Promise<string> {
  if (/^(https|svc-file|svc-asset):\/\//.test(image)) return image;
  return (await uploadReference(client, image, { track: 'file' })).reference;
}
