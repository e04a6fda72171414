/** `jobs`: video jobs as their owner sees them. */
import type { JobObject } from '../../contract/video.ts';
import { argument, type CommonFlags, command, group } from '../command.ts';
import { printFields } from '../print.ts';
import { GatewayClient, KEY_NOTE } from './gateway-client.ts';
import { checkOutput, saveOptions, waitAndSave } from './save-job.ts';
import { shownJob } from './watch-job.ts';

const id = argument('<id>', 'the id of the job');

const get = command({
  name: 'get',
  help: 'show the progress of a job, its files and its cost',
  examples: ['tollgate jobs get job_01j9x8w7v6t5s4r3q2p1n0m9k8'],
  arguments: { id },
  note: KEY_NOTE,
  async run({ id }, flags) {
    const client = await GatewayClient.open(flags);
    show(await client.json<JobObject>(pathOf(id)), flags);
  },
});

const wait = command({
  name: 'wait',
  help: 'follow a job until it ends',
  examples: ['tollgate jobs wait job_01j9x8w7v6t5s4r3q2p1n0m9k8 -o kite.mp4'],
  arguments: { id },
  options: saveOptions,
  note: KEY_NOTE,
  async run({ id, ...save }, flags) {
    await checkOutput(save);
    await waitAndSave(await GatewayClient.open(flags), id, { ...save, ...flags });
  },
});

const cancel = command({
  name: 'cancel',
  help: 'cancel a job; if the provider finishes it first, the video is kept and charged',
  examples: ['tollgate jobs cancel job_01j9x8w7v6t5s4r3q2p1n0m9k8'],
  arguments: { id },
  note: KEY_NOTE,
  async run({ id }, flags) {
    const client = await GatewayClient.open(flags);
    show(await client.json<JobObject>(`${pathOf(id)}/cancel`, { method: 'POST' }), flags);
  },
});

export const jobCommands = group({
  name: 'jobs',
  help: 'follow and cancel video jobs',
  commands: [get, wait, cancel],
});

function pathOf(id: string): string {
  return `/v1/jobs/${encodeURIComponent(id)}`;
}

function show(job: JobObject, flags: CommonFlags): void {
  printFields(flags.json ? { ...job } : shownJob(job), flags);
}
