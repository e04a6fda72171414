/** `archive`: moves the calls of a month out of the database. */
import { resolve } from 'node:path';
import { databasePlace } from '../admin/administration.ts';
import { requireDatabase } from '../admin/no-installation.ts';
import { argument, command, flag, option } from '../command.ts';
import { printFields } from '../print.ts';
import { calendarMonth } from '../words.ts';

export const archiveCommand = command({
  name: 'archive',
  help: 'write the calls of a month to a file, compare it with the database, and remove them there',
  note:
    'Reports, statements and the books stay the same. Calls without a price and corrected calls stay in the database.\n' +
    'The month must have ended at least 31 days ago.',
  examples: ['tollgate archive 2026-08 --to /archive', 'tollgate archive 2026-08 --to /archive --keep'],
  arguments: { month: argument('<month>', 'the calendar month (KST), such as 2026-08', calendarMonth) },
  options: {
    to: option('<folder>', 'where the file is written', { required: true }),
    keep: flag('only write the file; remove nothing'),
  },
  async run({ month, to, keep }, flags) {
    const { archiveInstallation } = await import('../../app/archive-installation.ts');
    const { systemClock: clock } = await import('../../kernel/time.ts');
    const place = await databasePlace(flags);
    requireDatabase(place, flags);
    const report = await archiveInstallation(place, { month, folder: resolve(to), keep }, clock);
    printFields({ ...report }, flags);
  },
});
