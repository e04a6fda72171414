/** Stored errors of requests: deleted after some time, and limited in number under load. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { BackgroundTasks } from '../../src/kernel/background-tasks.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import type { Refusal } from '../../src/metering/refusals.store.ts';
import { KEYED_MAX, KEYLESS_MAX, REFUSAL_KEPT_DAYS, Refusals } from '../../src/metering/refusals.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';
import { startGateway } from '../support/gateway.ts';

const FLOOD = 300;

const background = new BackgroundTasks((error) => expect.fail(String(error)));

describe.each(engines)('refusals on %s', (engine) => {
  let place: TestPlace;
  let db: Database;
  let nowMs = 0;
  const clock: Clock = { ...systemClock, now: () => nowMs };
  beforeAll(async () => {
    place = await makePlace(engine);
    db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock });
    await migrate(db, systemClock);
  });
  afterAll(async () => {
    await db.close();
    await place.remove();
  });
  beforeEach(async () => {
    nowMs = Date.parse('2026-11-15T00:00:00Z');
    await db.query(sql`delete from refusals`);
  });

  function refusal(keyId: string | null, at = nowMs): Refusal {
    const facts = { spaceId: null, endpoint: 'chat', code: 'not_found', status: 404, detail: 'x' };
    return { id: newId('req', at), at, keyId, ...facts, param: null, facts: null };
  }

  async function rows(): Promise<Array<{ keyed: boolean; count: number }>> {
    return await db.query(sql`
      select key_id is not null as keyed, count(*) as count from refusals group by 1 order by 1`);
  }

  test(`rows are deleted after ${REFUSAL_KEPT_DAYS} days, however many there are`, async () => {
    const oldest = new Date(nowMs - REFUSAL_KEPT_DAYS * DAY_MS).toISOString();
    // More than one statement deletes.
    await db.query(sql`
      insert into refusals (id, at, endpoint, code, status, detail)
      select 'req_' || n, ${oldest}::timestamptz - n * interval '1 millisecond', 'chat', 'not_found', 404, 'x'
      from generate_series(0, 5200) as n`);
    await new Refusals({ db, clock, background }).runOnce();
    expect(await db.query(sql`select id from refusals`)).toEqual([{ id: 'req_0' }]);
  });

  test('under load a limited number of rows per second is stored, and requests with a key have their own limit', async () => {
    const refusals = new Refusals({ db, clock, background });
    for (let i = 0; i < 2 * KEYED_MAX; i++) {
      // Requests count when they fail, however long ago they began.
      refusals.note(refusal(null, nowMs - (i % 7) * 1_000));
      refusals.note(refusal('key_1', nowMs - (i % 3) * 1_000));
    }
    await refusals.flush();
    expect(await rows()).toEqual([
      { keyed: false, count: KEYLESS_MAX },
      { keyed: true, count: KEYED_MAX },
    ]);
    nowMs += 1_000;
    for (let i = 0; i < KEYLESS_MAX + 5; i++) refusals.note(refusal(null));
    await refusals.flush();
    expect(await rows()).toMatchObject([{ keyed: false, count: 2 * KEYLESS_MAX }, { keyed: true }]);
  });
});

test('many requests without a key are all answered, and few are stored', async () => {
  const gateway = await startGateway();
  try {
    const beganMs = systemClock.now();
    const statuses = await Promise.all(
      Array.from({ length: FLOOD }, async () => (await fetch(`${gateway.url}/v1/models`)).status),
    );
    const seconds = Math.floor(systemClock.now() / 1000) - Math.floor(beganMs / 1000) + 1;
    expect(new Set(statuses)).toEqual(new Set([401]));
    const [row] = await gateway.query<{ count: number }>(sql`select count(*) as count from refusals`);
    expect(row?.count).toBeGreaterThan(0);
    expect(row?.count).toBeLessThanOrEqual(seconds * KEYLESS_MAX);
  } finally {
    await gateway.stop();
  }
});
