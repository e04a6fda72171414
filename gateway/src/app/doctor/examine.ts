/** Runs all checks of an installation at the same time. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Clock } from '../../kernel/time.ts';
import { askServer } from '../ask-server.ts';
import type { WholeConfig } from '../read-config.ts';
import { checkJournal } from './check-journal.ts';
import { checkDisk, checkFolder, checkPort, checkPublicUrl } from './check-machine.ts';
import { checkMarkup } from './check-markup-names.ts';
import { checkProviders } from './check-providers.ts';
import { checkBucket, checkDatabase, checkRedis } from './check-stores.ts';
import { checkWorkloadIssuers } from './check-workload-issuers.ts';
import { type Finding, fine, warning } from './finding.ts';

export async function examine(
  installation: WholeConfig & { readonly file: string },
  clock: Clock,
): Promise<Finding[]> {
  const { settings } = installation;
  const running = (await askServer(settings.dataFolder, 'ping', {}).catch(() => null)) !== null;
  const found = await Promise.all([
    checkFolder(settings, clock),
    checkDisk(settings, clock),
    checkDatabase(settings, clock, running).then(async (database) => {
      // One after the other, because an embedded database is opened once.
      const answers = database.every(({ status }) => status !== 'error');
      return [...database, ...(answers ? await checkMarkup(installation, clock) : [])];
    }),
    checkJournal(settings, clock),
    checkBucket(settings, clock),
    checkRedis(settings, clock),
    running ? [{ check: 'server', ...fine('running; it uses the port') }] : checkPort(settings, clock),
    [checkPublicUrl(settings), checkUnpriced(installation.catalog)],
    checkProviders(installation, clock),
    checkWorkloadIssuers(settings, clock),
  ]);
  return found.flat();
}

const NAMED_MAX = 10;

/** Which models have no prices: their calls are recorded with an unknown cost, and nothing limits what they use. */
function checkUnpriced({ models }: Pick<Catalog, 'models'>): Finding {
  const codes = [...models.values()].filter(({ prices }) => prices.length === 0).map(({ code }) => code);
  if (codes.length === 0) return { check: 'prices', ...fine('every model has prices') };
  const more = codes.length > NAMED_MAX ? ` and ${codes.length - NAMED_MAX} more` : '';
  const named = `${codes.slice(0, NAMED_MAX).join(', ')}${more}`;
  return {
    check: 'prices',
    ...warning(
      `no prices: ${named}. Calls of a model without prices are charged nothing and count against no limit`,
      'Add prices, 0 if they are free, or remove the model. See docs/prices.md.',
    ),
  };
}
