/** Runs all checks of an installation at the same time. */
import type { Clock } from '../../kernel/time.ts';
import { askServer } from '../ask-server.ts';
import type { WholeConfig } from '../read-config.ts';
import { checkJournal } from './check-journal.ts';
import { checkDisk, checkFolder, checkPort, checkPublicUrl } from './check-machine.ts';
import { checkMarkup } from './check-markup-names.ts';
import { checkProviders } from './check-providers.ts';
import { checkBucket, checkDatabase, checkRedis } from './check-stores.ts';
import { checkUnpriced } from './check-unpriced.ts';
import { type Finding, fine } from './finding.ts';

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
  ]);
  return found.flat();
}
