/** Reloads of the configuration that overlap. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CatalogSource } from '../../src/app/catalog-source.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { wrap } from '../chaos/trouble.ts';
import { changeConfig, pointAt, simulated, testConfig } from '../support/config.ts';
import { makePlace, quickEngine, type TestPlace } from '../support/engines.ts';

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

test('the newest file wins, also when an earlier reload is slower', async () => {
  const file = join(place.folder, 'tollgate.yaml');
  const write = (model: string): void => {
    const config = changeConfig(testConfig(), { models: { [model]: simulated('sim-chat') } });
    writeFileSync(file, pointAt(config, { simulator: { url: 'http://127.0.0.1:1/v1' } }));
  };
  const slow = Promise.withResolvers<void>();
  let waits = false;
  const source = new CatalogSource({
    file,
    env: process.env,
    db: wrap(db, async (statement) => {
      if (waits) {
        waits = false;
        await slow.promise;
      }
      return await db.query(statement);
    }),
    clock: systemClock,
    log: createLog({ level: 'error', write: () => undefined }),
    onChange: () => undefined,
  });
  write('first');
  await source.start();
  waits = true;
  write('second');
  const second = source.runOnce();
  write('third');
  const third = source.runOnce();
  // Time for the third to overtake, if it could.
  for (let i = 0; i < 50; i++) await db.query(sql`select 1`);
  slow.resolve();
  expect(await Promise.all([second, third])).toEqual([true, true]);
  expect([...source.current.models.keys()]).toContain('third');
  source.stop();
});
