/** `inspect`: what the members of a space made: video jobs, their files, and references. */
import { argument, group } from '../command.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';

const jobs = listCommand('jobs.list', {
  name: 'jobs',
  help: 'list video jobs, newest first',
  examples: ['tollgate inspect jobs --status failed'],
  options: { space },
  columns: ['id', 'status', 'cost', 'model', 'owner', 'progress', 'created_at'],
  empty: 'No jobs.',
});

const job = adminCommand('jobs.get', {
  name: 'job',
  help: 'show one video job and the files it made',
  examples: ['tollgate inspect job job_01k9x3v7q2m5n8r4t6w0y1z2a3'],
  arguments: { job: argument('<id>', 'the id of the job') },
  options: { space },
});

const media = listCommand('media.list', {
  name: 'media',
  help: 'list the files that jobs made, newest first',
  examples: ['tollgate inspect media --email kim@example.com'],
  options: { space },
  columns: ['id', 'status', 'mime_type', 'bytes', 'job_id', 'owner', 'created_at'],
  empty: 'No files.',
});

const references = listCommand('references.list', {
  name: 'references',
  help: 'list uploaded references, newest first',
  examples: ['tollgate inspect references --kind image'],
  options: { space },
  columns: ['id', 'owner', 'kind', 'mime_type', 'bytes', 'created_at', 'expires_at'],
  empty: 'No references.',
});

export const inspectCommands = group({
  name: 'inspect',
  help: 'list what the members of a space made: jobs, files and references',
  commands: [jobs, job, media, references],
});
