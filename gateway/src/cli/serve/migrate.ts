/** `migrate`: brings the database up to this program and exits, for deployments that migrate before they start servers. */
import type { Database } from '../../database/database.ts';
import { databasePlace } from '../admin/administration.ts';
import { requireDatabase } from '../admin/no-installation.ts';
import { type CommonFlags, command, flag } from '../command.ts';
import { printJson } from '../print.ts';

export const migrateCommand = command({
  name: 'migrate',
  help: 'bring the database up to this version of tollgate and exit; "serve" does the same at its start',
  examples: ['tollgate migrate', 'tollgate migrate --plan'],
  options: { plan: flag('only print what would run') },
  async run({ plan }, flags) {
    const { migrate, planMigrations } = await import('../../database/migrate.ts');
    const { systemClock } = await import('../../kernel/time.ts');
    const names = await withDatabase(flags, (db) => (plan ? planMigrations(db) : migrate(db, systemClock)));
    if (flags.json) printJson({ [plan ? 'pending' : 'applied']: names });
    else process.stdout.write(names.length > 0 ? `${names.join('\n')}\n` : 'The database is up to date.\n');
  },
});

/** Other than "serve", it never creates an embedded database. */
async function withDatabase<Result>(
  flags: CommonFlags,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const { openDatabase } = await import('../../database/open-database.ts');
  const { systemClock: clock } = await import('../../kernel/time.ts');
  const place = await databasePlace(flags);
  requireDatabase(place, flags);
  const { databaseUrl, dataFolder: folder } = place;
  const db = await openDatabase({ url: databaseUrl?.reveal() ?? null, folder, clock });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
