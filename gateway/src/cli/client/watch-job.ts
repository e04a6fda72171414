/** Follows a job until it ends, and shows it in a few lines. */
import type { JobObject } from '../../contract/video.ts';
import { printFields, printJson } from '../print.ts';
import type { GatewayClient } from './gateway-client.ts';
import { progressBar, watch } from './watch.ts';

const RUNNING: readonly string[] = ['queued', 'in_progress'];

export async function watchJob(
  client: GatewayClient,
  id: string,
  flags: { json?: boolean },
): Promise<JobObject> {
  const job = await watch({
    poll: () => client.json<JobObject>(`/v1/jobs/${encodeURIComponent(id)}`),
    line: progressLine,
    isOver: ({ status }) => !RUNNING.includes(status),
    onLeave: `The job keeps running. Watch it again with: tollgate jobs wait ${id}`,
  });
  if (flags.json) printJson(job);
  else printFields(shownJob(job));
  if (job.status !== 'succeeded') process.exitCode = 1;
  return job;
}

function progressLine({ status, progress }: JobObject): string {
  return `${progressBar((progress ?? 0) / 100)} ${progress === null ? '' : `${progress} %`}  ${status}`;
}

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
