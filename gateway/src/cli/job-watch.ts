/** Follows a job, as a bar on a terminal and as lines elsewhere. Leaving it leaves the job running. */
import type { JobObject } from '../contract/video.ts';
import type { GatewayClient } from './gateway-client.ts';
import { printFields, printJson } from './print.ts';

const LOOK_MS = { first: 500, most: 5_000 };
const BAR_CHARACTERS = 30;
const RUNNING = ['queued', 'in_progress'];

export async function watchJob(
  client: GatewayClient,
  id: string,
  flags: { json?: boolean },
): Promise<JobObject> {
  const leave = (): void => {
    process.stderr.write(`\nThe job runs on. Watch it again with: tollgate jobs wait ${id}\n`);
    process.exit(0);
  };
  process.once('SIGINT', leave);
  try {
    const job = await follow(client, id);
    if (flags.json) printJson(job);
    else printFields(shownJob(job), { json: false });
    if (job.status !== 'succeeded') process.exitCode = 1;
    return job;
  } finally {
    process.off('SIGINT', leave);
  }
}

async function follow(client: GatewayClient, id: string): Promise<JobObject> {
  let delayMs = LOOK_MS.first;
  let last = '';
  for (;;) {
    const job = await client.json<JobObject>(`/v1/jobs/${encodeURIComponent(id)}`);
    const line = progressLine(job);
    if (line !== last) show(line);
    delayMs = line === last ? Math.min(delayMs * 1.5, LOOK_MS.most) : LOOK_MS.first;
    last = line;
    if (!RUNNING.includes(job.status)) {
      if (process.stderr.isTTY) process.stderr.write('\n');
      return job;
    }
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
}

/** On standard error, so that what is printed at the end can be piped. */
function show(line: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
}

function progressLine({ status, progress }: JobObject): string {
  const filled = Math.floor(((progress ?? 0) / 100) * BAR_CHARACTERS);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_CHARACTERS - filled)}`;
  return `${bar} ${progress === null ? '' : `${progress} %`}  ${status}`;
}

/** A job in a few lines. */
export function shownJob(job: JobObject): Record<string, unknown> {
  const { id, status, progress, files, usage, estimated_cost: cost, error } = job;
  const ended = !RUNNING.includes(status);
  return {
    id,
    status,
    ...(!ended && { progress: progress === null ? null : `${progress} %` }),
    ...(usage !== null && { seconds: usage.seconds }),
    ...(ended && { units: cost?.amount ?? null }),
    ...(error !== null && { error: error.message, code: error.code }),
    ...Object.fromEntries(files.map((file, i) => [`file ${i + 1}`, `${file.media_id} (${shownFile(file)})`])),
  };
}

function shownFile({ status, width, height, bytes }: JobObject['files'][number]): string {
  const size = width === null ? '' : `, ${width}x${height}`;
  return `${status}${size}${bytes === null ? '' : `, ${bytes.toLocaleString('en-US')} bytes`}`;
}
