/** `migrate`: brings the database up to this program and exits, for deployments that migrate before they start servers. */
import type { Database } from '../../database/database.ts';
import type { PlannedStep } from '../../database/migrate.ts';
import { databasePlace } from '../admin/administration.ts';
import { requireDatabase } from '../admin/no-installation.ts';
import { type CommonFlags, command, flag } from '../command.ts';
import { printJson, printRows } from '../print.ts';

export const migrateCommand = command({
  name: 'migrate',
  help: 'bring the database up to this version of tollgate and exit; "serve" does the same at its start',
  examples: ['tollgate migrate', 'tollgate migrate --plan'],
  options: { plan: flag('only print what would run, what it locks and how long it may take') },
  async run({ plan }, flags) {
    const { migrate, planMigrations } = await import('../../database/migrate.ts');
    const { systemClock } = await import('../../kernel/time.ts');
    if (plan) printPlan(await withDatabase(flags, planMigrations), flags);
    else printApplied(await withDatabase(flags, (db) => migrate(db, systemClock)), flags);
  },
});

const UP_TO_DATE = 'The database is up to date.';

/** `expand`: the previous version of tollgate works on beside it. */
function printPlan(steps: readonly PlannedStep[], { json }: CommonFlags): void {
  if (json) printJson({ pending: steps.map(({ name }) => name), steps });
  else
    printRows(
      steps.map((step) => ({ ...step })),
      { empty: UP_TO_DATE, columns: ['name', 'kind', 'locks', 'takes'] },
    );
}

function printApplied(names: readonly string[], { json }: CommonFlags): void {
  if (json) printJson({ applied: names });
  else process.stdout.write(`${names.join('\n') || UP_TO_DATE}\n`);
}

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
