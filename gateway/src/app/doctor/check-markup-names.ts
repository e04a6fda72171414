/** Whether the spaces and keys exist that `prices.markup` names. Asks the running server, or else the database. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../kernel/time.ts';
import { type ConfigProblem, placedText } from '../../yaml/config-error.ts';
import { askServer } from '../ask-server.ts';
import { type KnownCallers, type ReadCallers, readCallers, unknownInMarkup } from '../check-markup.ts';
import type { WholeConfig } from '../read-config.ts';
import type { Settings } from '../settings.ts';
import { bounded, type Finding, failure, warning } from './finding.ts';

const NOBODY: KnownCallers = { spaces: [], keys: [] };

/** Throws if neither a server nor the database answers. */
export async function findUnknownCallers(
  { content, problems, settings }: WholeConfig,
  clock: Clock,
): Promise<ConfigProblem[]> {
  const found = await unknownInMarkup(content, callersOf(settings, clock));
  return found.flatMap((error) => problems.placed(error));
}

/** After the database was found to answer. */
export async function checkMarkup(
  installation: WholeConfig & { readonly file: string },
  clock: Clock,
): Promise<Finding[]> {
  const next =
    'Correct it and give the sheet a new prices.version, or create the space. Until then the markup applies to nobody.';
  const later = 'Check again after the next start.';
  return await bounded('markup', { clock, next: later }, async () => {
    try {
      const found = await findUnknownCallers(installation, clock);
      return found.map((problem) => failure(placedText(problem, installation.file), next));
    } catch (error) {
      return warning(`its spaces and keys were not checked: ${(error as Error).message}`, later);
    }
  });
}

function callersOf(settings: Settings, clock: Clock): ReadCallers {
  return async (keys) => {
    const { databaseUrl, dataFolder: folder } = settings;
    const answered = await askServer(folder, 'callers', { keys }).catch(() => null);
    if (answered !== null) return answered.result;
    if (databaseUrl === null && !existsSync(join(folder, 'postgres'))) return NOBODY;
    const { openDatabase } = await import('../../database/open-database.ts');
    const { describeServer } = await import('../../database/describe-server.ts');
    const db = await openDatabase({ url: databaseUrl?.reveal() ?? null, folder, clock });
    try {
      const { pending } = await describeServer(db);
      if (pending === null) return NOBODY;
      if (pending > 0) throw new Error('the database has pending migrations');
      return await readCallers(db, keys);
    } finally {
      await db.close();
    }
  };
}
