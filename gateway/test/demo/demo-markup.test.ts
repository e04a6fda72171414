/** The invented batches of the demo cost what the product would charge, with the markup for their key. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBlobs } from '../../src/blobs/open-blobs.ts';
import { readCatalog } from '../../src/catalog/read-catalog.ts';
import { readConfigFile } from '../../src/config/config-file.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { batchEvents } from '../../src/demo/demo-batches.ts';
import { type DemoEvent, DemoPast } from '../../src/demo/demo-event.ts';
import { DemoScene } from '../../src/demo/demo-scene.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { makePlace, quickEngine, type TestPlace } from '../support/engines.ts';

const demo = readFileSync(new URL('../../demo/tollgate.yaml', import.meta.url), 'utf8');

describe('the batches of the demo', () => {
  let place: TestPlace;
  let db: Database;
  beforeAll(async () => {
    place = await makePlace(quickEngine);
    db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
  });
  afterAll(async () => {
    await db.close();
    await place.remove();
  });

  test('have lines with the price that their key is charged', async () => {
    const marked = demo.replace(/^prices:\n {2}version: .*\n/m, '$&  markup: [{ factor: 3, space: demo }]\n');
    expect(marked).not.toBe(demo);
    const catalog = readCatalog(readConfigFile(marked, { TOLLGATE_SIMULATOR_URL: 'http://sim' }), 0);
    const blobs = await openBlobs({ dataFolder: place.folder, s3: null });
    const tools = { db, blobs, catalog: () => catalog, log: createLog({ level: 'silent' }) };
    const past = new DemoPast(systemClock.now());
    // It has not ended, so that its lines can be read.
    const running = batchEvents(past).find(({ at }) => at === past.minutesAgo(50)) as DemoEvent;
    await db.transaction(async (tx) => {
      const scene = new DemoScene(tx, tools, new Map());
      scene.clock.moveTo(running.at);
      await scene.run('spaces.create', { name: 'demo', overage: true });
      await scene.run('keys.create', { space: 'demo', name: 'web-shop', kind: 'shared' });
      await running.write(scene);
    });
    const lines = await db.query<{ cost: string; input: number; output: number }>(sql`
      select (cost * 1000000)::float8 as cost, (usage->>'inputTokens')::int as input,
        (usage->>'outputTokens')::int as output from batch_lines where ok`);
    expect(lines.length).toBe(37);
    for (const { cost, input, output } of lines) expect(cost).toBe(3 * (1.25 * input + 5 * output));
  });
});
