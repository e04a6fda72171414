/** Usage of one member, by day and model, by key in pages, and the summary of a month: all from the same charges. */

import { describe, expect, test } from 'vitest';
import { usageDimensions } from '../../src/contract/administration/words.ts';
import { type Database, timestamp } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { newId } from '../../src/kernel/ids.ts';
import { monthStart } from '../../src/kernel/time.ts';
import { parseUnits, printUnits } from '../../src/kernel/units.ts';
import { type CallRecord, callRow, joinRows } from '../../src/metering/call-record.ts';
import { recordCalls } from '../../src/metering/calls.store.ts';
import { chargeJob } from '../../src/metering/charge-job.ts';
import { correctCall } from '../../src/metering/corrections.store.ts';
import { readKeyUsagePage } from '../../src/reports/lists/usage-page.store.ts';
import { dailyUsage, usageBreakdown } from '../../src/reports/usage-breakdown.ts';
import { readMonthSummary } from '../../src/reports/usage-days.store.ts';
import { callOf } from '../chaos/books.ts';
import { engines } from '../support/engines.ts';
import { makeKey, makeListSpace, makeMember, readAll, useDatabase } from '../support/list-stage.ts';

const month = '2026-11';
const FIRST = monthStart(month);

interface Stage {
  readonly spaceId: string;
  readonly kim: string;
  readonly keys: { readonly kim: string; readonly lee: string; readonly shared: string };
}

/** Kim has calls on three days, a batch and a video; Lee and a shared key have calls too. */
async function makeUsage(db: Database): Promise<Stage> {
  const spaceId = await makeListSpace(db);
  const [kim, lee] = [
    (await makeMember(db, spaceId, { email: 'kim@example.com' })).id,
    (await makeMember(db, spaceId, { email: 'lee@example.com' })).id,
  ];
  const keys = {
    kim: await makeKey(db, spaceId, { name: 'kim', memberId: kim }),
    lee: await makeKey(db, spaceId, { name: 'lee', memberId: lee }),
    shared: await makeKey(db, spaceId, { name: 'shared' }),
  };
  const call = (keyId: string, cost: string | null, chargedAt: number, more: Partial<CallRecord> = {}) => {
    const memberId = keyId === keys.kim ? kim : keyId === keys.lee ? lee : null;
    return callOf(spaceId, cost, {
      id: newId('req', chargedAt - 5),
      keyId,
      memberId,
      chargedAt,
      model: 'a',
      ...more,
    });
  };
  const calls = [
    // It started before midnight, in the month before.
    call(keys.kim, '1', FIRST + 2),
    call(keys.kim, '0.5', FIRST + DAY_MS),
    call(keys.kim, null, FIRST + DAY_MS, { model: 'b' }),
    call(keys.kim, null, FIRST + DAY_MS, { outcome: 'failed' }),
    call(keys.kim, '70', FIRST - 1),
    call(keys.lee, '4', FIRST + DAY_MS),
    call(keys.shared, '8', FIRST + DAY_MS, { model: 'b' }),
  ];
  await recordCalls(db, { rows: joinRows(calls.map(callRow)), spaces: [spaceId], at: FIRST });
  const corrected = calls[1]?.id as string;
  const correction = { callId: corrected, cost: parseUnits('0.25'), note: '', at: FIRST + 40 * DAY_MS };
  await db.transaction((tx) => correctCall(tx, correction));
  await settleJobs(db, { spaceId, memberId: kim, keyId: keys.kim, at: FIRST + 3 * DAY_MS });
  return { spaceId, kim, keys };
}

async function settleJobs(
  db: Database,
  { spaceId, memberId, keyId, at }: { spaceId: string; memberId: string; keyId: string; at: number },
): Promise<void> {
  const job = { spaceId, keyId, model: 'a', unpriced: 0, cost: parseUnits('2'), at };
  await db.transaction(async (tx) => {
    const [batch, video] = [newId('batch', at), newId('job', at)];
    const batchEntry = await chargeJob(tx, { ...job, id: batch, requests: 3 });
    await tx.query(sql`
      insert into batches (id, space_id, owner, key_id, member_id, input_file_id, endpoint, model, status, total,
        created_at, expires_at, settlement_status, settled_units, settled_requests, settled_at, settled_month, entry_id)
      values (${batch}, ${spaceId}, ${memberId}, ${keyId}, ${memberId}, 'file_1', '/v1/chat/completions', 'a', 'completed',
        3, ${timestamp(at)}, ${timestamp(at)}, 'settled', 2, 3, ${timestamp(at)}, ${month}, ${batchEntry})`);
    const videoEntry = await chargeJob(tx, { ...job, id: video, requests: 1 });
    await tx.query(sql`
      insert into video_jobs (id, space_id, owner, key_id, member_id, model, status, created_at, completed_at, expires_at,
        cost, settled_at, settled_month, entry_id)
      values (${video}, ${spaceId}, ${memberId}, ${keyId}, ${memberId}, 'a', 'succeeded', ${timestamp(at)},
        ${timestamp(at)}, ${timestamp(at)}, 2, ${timestamp(at)}, ${month}, ${videoEntry})`);
  });
}

describe.each(engines)('usage on %s', (engine) => {
  const stage = useDatabase(engine);

  test('of one member is the same by model, key, member and day, and holds nothing of others', async () => {
    const { db } = stage;
    const { spaceId, kim, keys } = await makeUsage(db);
    const own = { requests: 7, unpriced: 1, cost: '5.25' };
    for (const by of usageDimensions) {
      const { total, rows } = await usageBreakdown(db, { spaceId, memberId: kim, month, by });
      expect(total, by).toEqual(own);
      if (by === 'key') expect(rows).toMatchObject([{ name: 'kim', ...own, key_id: keys.kim }]);
      if (by === 'member') expect(rows).toMatchObject([{ name: 'kim@example.com', ...own, key_id: null }]);
    }
    const everybody = { requests: 9, unpriced: 1, cost: '17.25' };
    for (const by of usageDimensions)
      expect((await usageBreakdown(db, { spaceId, month, by })).total, by).toEqual(everybody);
    const { rows } = await usageBreakdown(db, {
      spaceId: await makeListSpace(db),
      memberId: kim,
      month,
      by: 'key',
    });
    expect(rows).toEqual([]);
  });

  test('by day and model has a row for each of both, for a space and for a member', async () => {
    const { db } = stage;
    const { spaceId, kim } = await makeUsage(db);
    const row = (day: string, model: string, [requests, unpriced]: [number, number], cost: string) => {
      return { day: `${month}-${day}`, model, requests, unpriced, cost };
    };
    expect(await dailyUsage(db, { spaceId, memberId: kim, month })).toEqual([
      row('01', 'a', [1, 0], '1'),
      row('02', 'a', [1, 0], '0.25'),
      row('02', 'b', [1, 1], '0'),
      row('04', 'a', [4, 0], '4'),
    ]);
    expect(await dailyUsage(db, { spaceId, month })).toEqual([
      row('01', 'a', [1, 0], '1'),
      row('02', 'a', [2, 0], '4.25'),
      row('02', 'b', [2, 1], '8'),
      row('04', 'a', [4, 0], '4'),
    ]);
    expect(await dailyUsage(db, { spaceId, month: '2026-12' })).toEqual([]);
  });

  test('by key has the highest cost first, and the summary counts what the rows add up to', async () => {
    const { db } = stage;
    const { spaceId, kim, keys } = await makeUsage(db);
    const read = (more: object = {}) =>
      readAll((page) => readKeyUsagePage(db, { spaceId, month, ...more, ...page }), 1);
    const rows = await read();
    expect(rows.map(({ id, cost }) => [id, cost])).toEqual([
      [keys.shared, '8'],
      [keys.kim, '5.25'],
      [keys.lee, '4'],
    ]);
    expect(rows[1]).toEqual({
      ...{
        id: keys.kim,
        key: 'kim',
        kind: 'personal',
        member: 'kim@example.com',
        requests: 7,
        unpriced: 1,
      },
      ...{ cost: '5.25', last_used_at: FIRST + 3 * DAY_MS },
    });
    expect((await read({ memberId: kim })).map(({ id }) => id)).toEqual([keys.kim]);
    const { cost, ...summary } = await readMonthSummary(db, spaceId, month);
    expect({ ...summary, cost: printUnits(cost) }).toEqual({
      requests: 9,
      unpriced: 1,
      cost: '17.25',
      activeKeys: 3,
    });
    const empty = await readMonthSummary(db, spaceId, '2026-12');
    expect(empty).toEqual({ requests: 0, unpriced: 0, cost: 0n, activeKeys: 0 });
  });
});
