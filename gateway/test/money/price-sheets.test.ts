/** The prices of a model under a version never change, including tables of image prices. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { keepPriceSheet, type UsedSheet } from '../../src/metering/price-sheets.store.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';

describe.each(engines)('price sheets on %s', (engine) => {
  let place: TestPlace;
  let db: Database;

  beforeAll(async () => {
    place = await makePlace(engine);
    db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
    await migrate(db, systemClock);
  });
  afterAll(async () => {
    await db.close();
    await place.remove();
  });

  const keep = (models: UsedSheet['models'], version = 'v1'): Promise<string[]> =>
    keepPriceSheet(db, { version, models }, systemClock.now());

  test('a price table may be sent again in any order, but not with another price', async () => {
    const table = { '1024x1024/low': '0.011', '1024x1024/high': '0.167', default: '0.042' };
    const chat = { input: '1', output: '2' };
    expect(await keep({ image: { per_image: table }, chat })).toEqual([]);
    expect(
      await keep({ chat, image: { per_image: Object.fromEntries(Object.entries(table).reverse()) } }),
    ).toEqual([]);
    const { default: _, ...fewer } = table;
    for (const changed of [
      { ...table, '1024x1024/low': '0.012' },
      { ...table, '1536x1024/low': '0.016' },
      fewer,
      '0.042',
    ]) {
      expect(await keep({ image: { per_image: changed }, chat })).toEqual(['image']);
    }
    expect(await keep({ image: { per_image: table }, chat })).toEqual([]);
    expect(await keep({ image: { per_image: '0.5' } }, 'v2')).toEqual([]);
  });
});
