/** `gc`: removes now what servers remove in the course of time. */
import { requireDatabase } from '../admin/no-installation.ts';
import { command, flag } from '../command.ts';
import { printRows } from '../print.ts';
import { readInstallation } from '../read-installation.ts';

export const gcCommand = command({
  name: 'gc',
  help: 'remove what has expired or is older than its retention, and say what it was; servers do the same by themselves',
  examples: ['tollgate gc --dry-run', 'tollgate gc'],
  options: { dryRun: flag('only count what would be removed') },
  async run({ dryRun }, flags) {
    const { settings } = await readInstallation(flags);
    requireDatabase(settings, flags);
    const { sweepInstallation } = await import('../../app/sweep-installation.ts');
    const { systemClock: clock } = await import('../../kernel/time.ts');
    const rows = await sweepInstallation(settings, { env: process.env, clock, dryRun });
    printRows(
      rows.map((row) => ({ ...row })),
      { json: flags.json, empty: '' },
    );
  },
});
