/** `video`: creates a video as a job, and saves it when it is done. */
import type { JobObject } from '../../contract/video.ts';
import { argument, command, flag, option } from '../command.ts';
import { durationIn } from '../duration.ts';
import { printFields, printJson } from '../print.ts';
import { GatewayClient, KEY_NOTE } from './gateway-client.ts';
import { uploadReference } from './references.ts';
import { checkOutput, saveOptions, waitAndSave } from './save-job.ts';
import { shownJob } from './watch-job.ts';

interface VideoRequest {
  readonly prompt: string;
  readonly model: string;
  readonly image: string | undefined;
  readonly seconds: number | undefined;
  readonly aspect: string | undefined;
  readonly resolution: string | undefined;
}

export const videoCommand = command({
  name: 'video',
  help: 'create a video',
  examples: ["tollgate video 'A red kite' --model sim-video -o kite.mp4"],
  arguments: { prompt: argument('<prompt>', 'what the video shows') },
  options: {
    model: option('<code>', 'the model, such as sim-video', { required: true }),
    image: option('<file>', 'the first frame: a local file, an https URL or a reference (svc-file://…)'),
    seconds: option('<duration>', 'the length, such as 8s; a number alone means seconds', {
      read: durationIn('s'),
    }),
    aspect: option('<ratio>', 'the aspect ratio, such as 16:9'),
    resolution: option('<name>', 'such as 720p'),
    idempotencyKey: option('<key>', 'within 24 hours, a request with the same key creates no second job'),
    wait: flag('wait until the video is ready'),
    ...saveOptions,
  },
  note: KEY_NOTE,
  async run({ wait, idempotencyKey, output, force, ...request }, flags) {
    await checkOutput({ output, force });
    const client = await GatewayClient.open(flags);
    const job = await create(client, request, idempotencyKey);
    if (wait || output !== undefined) await waitAndSave(client, job.id, { output, force, ...flags });
    else if (flags.json) printJson(job);
    else printFields({ ...shownJob(job), watch: `tollgate jobs wait ${job.id}` });
  },
});

async function create(
  client: GatewayClient,
  request: VideoRequest,
  key: string | undefined,
): Promise<JobObject> {
  const { prompt, model, image, seconds, aspect, resolution } = request;
  return await client.json<JobObject>('/v1/video/generations', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
    body: JSON.stringify({
      model,
      prompt,
      ...(image !== undefined && { image_url: await imageUrl(client, image) }),
      ...(seconds !== undefined && { duration_seconds: seconds }),
      ...(aspect !== undefined && { aspect_ratio: aspect }),
      ...(resolution !== undefined && { resolution }),
    }),
  });
}

/** A local file is uploaded first. */
async function imageUrl(client: GatewayClient, image: string): Promise<string> {
  if (/^(https|svc-file|svc-asset):\/\//.test(image)) return image;
  return (await uploadReference(client, image, { track: 'file' })).reference;
}
