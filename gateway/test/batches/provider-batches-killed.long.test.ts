/** kill -9 of the real program at each step of creating a batch at its provider, followed by a restart. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HoldPoint } from '../../simulator/batches/batch-cues.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { BatchStage } from '../support/batches-stage.ts';
import { pointAt } from '../support/config.ts';
import { engines, makePlace } from '../support/engines.ts';
import { administerAt } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { PATIENCE, WORK_MS_MAX } from '../support/patience.ts';
import { madeOf, numbered, providerConfig } from '../support/provider-batches-stage.ts';

/** The step of each batch when the process is killed: first the batch at OpenAI, then the one at Anthropic. */
const everyDeath: ReadonlyArray<readonly [HoldPoint, HoldPoint | null]> = [
  ['upload', 'create-before'],
  ['create-before', 'create'],
  ['create', 'results'],
  ['results', null],
];
/** The long run has them all; provider-batches-leases.long.test.ts covers what the short run leaves out. */
const deaths = process.env.TOLLGATE_CHAOS_ROUNDS === undefined ? everyDeath.slice(1, 3) : everyDeath;

describe.each(engines)('kill -9 on %s', (engine) => {
  test(
    'at any step each batch is created once at its provider, charged once, and has every line',
    async () => {
      const { place, simulator, admin } = await prepare();
      const processes = [await startGatewayProcess(place)];
      const current = () => processes.at(-1) as (typeof processes)[number];
      await admin('spaces.create', { name: 'acme', overage: true });
      await admin('grants.add', { amount: '1000', kind: 'paid' });
      const { key } = await admin('keys.create', { name: 'test', kind: 'shared' });
      // Of a gateway only the address is asked, and that changes with each start.
      const stage = () => new BatchStage({ url: current().url, key } as never, key);
      const cuesOf = (which: 0 | 1): string[] =>
        deaths.flatMap((points) => (points[which] === null ? [] : `hold-${points[which]}`));
      const [chat, claude] = [
        await stage().submitted(numbered('their-chat', 4, ...cuesOf(0))),
        await stage().submitted(numbered('their-claude', 4, ...cuesOf(1))),
      ];
      for (const points of deaths) {
        const wanted = points.filter((point) => point !== null);
        const reached = (): string[] => wanted.filter((point) => simulator.shop.held(point) > 0);
        await expect.poll(reached, PATIENCE).toEqual(wanted);
        await current().kill();
        await expireLeases();
        simulator.shop.forget();
        processes.push(await startGatewayProcess(place));
      }
      for (const { id } of [chat, claude]) {
        const batch = await stage().settled(id);
        expect(batch).toMatchObject({
          status: 'completed',
          request_counts: { total: 4, completed: 4, failed: 0 },
        });
        const lines = await stage().lines(batch.output_file_id);
        expect([...lines.keys()]).toEqual([0, 1, 2, 3].map((row) => `row ${row}`));
        expect(madeOf({ simulator } as never, id)).toHaveLength(1);
      }
      expect((await admin('ledger.verify')).disagreements).toEqual([]);
      await current().stop();
      await simulator.stop();
      await place.remove();

      /** As if the leases had expired. */
      async function expireLeases(): Promise<void> {
        const db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
        await db.query(sql`update jobs set lease_until = null`);
        await db.close();
      }
    },
    WORK_MS_MAX,
  );

  async function prepare() {
    const folder = await makePlace(engine);
    const simulator = await startSimulator({ apiKey: 'simulator-key' });
    const configFile = join(folder.folder, 'tollgate.yaml');
    writeFileSync(configFile, pointAt(providerConfig(300), { simulator }));
    return { place: { ...folder, configFile }, simulator, admin: administerAt(folder.folder) };
  }
});
