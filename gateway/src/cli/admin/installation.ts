/** `installation`: how the running server is doing, and what it runs with. */
import { group } from '../command.ts';
import { printFields, printJson, printRows } from '../print.ts';
import { adminCommand } from './admin-command.ts';

const version = adminCommand('installation.version', {
  help: 'show the version of the server',
  examples: ['tollgate installation version --url https://tollgate.example.com'],
});

const health = adminCommand('installation.health', {
  help: 'show the health of providers and routes, and the background work that waits',
  examples: ['tollgate installation health'],
  print({ providers, routes, jobs, ...facts }, flags) {
    if (flags.json) {
      printJson({ ...facts, providers, routes, jobs });
      return;
    }
    printFields(facts);
    process.stdout.write('\n');
    printRows(providers, { empty: 'No providers.' });
    const open = routes.filter(({ state }) => state === 'open');
    process.stdout.write(`\n${routes.length} routes, ${open.length} open.\n`);
    if (open.length > 0) printRows(open, { empty: '' });
    if (jobs.length > 0) process.stdout.write('\n');
    printRows(jobs, { empty: 'No background work waits.' });
  },
});

const processes = adminCommand('installation.processes', {
  help: 'show the processes that use the database, and the units and limits that they have taken',
  examples: ['tollgate installation processes', 'tollgate installation processes --json'],
  print({ processes: running, purses }, flags) {
    if (flags.json) {
      printJson({ processes: running, purses });
      return;
    }
    const rows = running.map(({ holds, roles, ...one }) => ({ ...one, roles: roles.join(' ') }));
    printRows(rows, { empty: 'No process runs.' });
    process.stdout.write('\n');
    printRows(purses, { empty: '' });
    process.stdout.write('\n');
    const held = running.flatMap(({ id, holds }) => (holds === null ? [] : [{ process: id, ...holds }]));
    printRows(held, { empty: 'No process has said yet what its calls hold.' });
  },
});

const config = adminCommand('installation.config', {
  help: 'show the configuration in effect, without secrets',
  examples: ['tollgate installation config --json'],
  print({ providers, models, unpriced_models, limits, ...facts }, flags) {
    if (flags.json) {
      printJson({ ...facts, providers, models, unpriced_models, limits });
      return;
    }
    printFields({ ...facts, models: models.length, unpriced_models: unpriced_models.join(' ') || null });
    process.stdout.write('\n');
    printRows(providers, { empty: 'No providers.' });
    process.stdout.write('\n');
    printFields(limits);
  },
});

export const installationCommands = group({
  name: 'installation',
  help: 'show how the running server is doing, and what it runs with',
  commands: [health, processes, config, version],
});
