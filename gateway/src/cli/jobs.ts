/** Jobs as their owner sees them. */
import type { Command } from 'commander';
import type { JobObject } from '../contract/video.ts';
import { flagsOf } from './administer.ts';
import { type ClientFlags, GatewayClient, URL_OPTION } from './gateway-client.ts';
import { shownJob } from './job-watch.ts';
import { printFields } from './print.ts';
import { checkOutput, type SaveFlags, waitAndSave } from './save-job.ts';

interface JobFlags extends ClientFlags, SaveFlags {}

export function addJobCommands(program: Command): void {
  const jobs = program.command('jobs').description('video jobs: look, wait, stop');
  jobs
    .command('get <id>')
    .description('how far a job is, its files and what it cost')
    .option(...URL_OPTION)
    .action(async (id: string, _: unknown, command: Command) => {
      const flags = flagsOf<JobFlags>(command) as JobFlags;
      const client = await GatewayClient.open(flags);
      show(await client.json<JobObject>(pathOf(id)), flags);
    });
  jobs
    .command('wait <id>')
    .description('follow a job until it has ended')
    .option('-o, --output <file>', 'write the video here')
    .option('--force', 'write over a file that is there')
    .option(...URL_OPTION)
    .action(async (id: string, _: unknown, command: Command) => {
      const flags = flagsOf<JobFlags>(command) as JobFlags;
      await checkOutput(flags);
      await waitAndSave(await GatewayClient.open(flags), id, flags);
    });
  jobs
    .command('cancel <id>')
    .description('stop a job; what its provider has finished first is kept and charged')
    .option(...URL_OPTION)
    .action(async (id: string, _: unknown, command: Command) => {
      const flags = flagsOf<JobFlags>(command) as JobFlags;
      const client = await GatewayClient.open(flags);
      show(await client.json<JobObject>(`${pathOf(id)}/cancel`, { method: 'POST' }), flags);
    });
}

function pathOf(id: string): string {
  return `/v1/jobs/${encodeURIComponent(id)}`;
}

function show(job: JobObject, { json }: JobFlags): void {
  printFields(json ? { ...job } : shownJob(job), { json: json ?? false });
}
