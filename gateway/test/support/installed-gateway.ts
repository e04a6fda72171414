/** A data folder with a configuration, a space and a key, for gateways that run as processes of their own. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { shellActor } from '../../src/access/actor.ts';
import { runOperation } from '../../src/administration/operations.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { systemClock as clock } from '../../src/kernel/time.ts';
import { pointAt } from './config.ts';
import { type Engine, makePlace } from './engines.ts';

export interface Installed {
  readonly folder: string;
  readonly databaseUrl: string | null;
  readonly configFile: string;
  /** A shared key of the space `acme`. */
  readonly key: string;
  readonly simulator: Simulator;
  remove(): Promise<void>;
}

export async function install(engine: Engine, config: string): Promise<Installed> {
  const place = await makePlace(engine);
  const simulator = await startSimulator({ apiKey: 'simulator-key' });
  const configFile = join(place.folder, 'tollgate.yaml');
  writeFileSync(configFile, pointAt(config, { simulator }));
  const db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock });
  await migrate(db, clock);
  const context = { db, clock, actor: shellActor('test') };
  await runOperation(context, 'spaces.create', { name: 'acme', overage: true });
  const { key } = await runOperation(context, 'keys.create', { name: 'k', kind: 'shared' });
  await db.close();
  return {
    ...place,
    configFile,
    key,
    simulator,
    async remove() {
      await simulator.stop();
      await place.remove();
    },
  };
}
