/** The list of requests: calls and rejected requests together, its filters, and what one page examines at most. */
import { describe, expect, test } from 'vitest';
import { SCANNED_ROWS_MAX } from '../../src/database/bounded-scan.ts';
import { type Database, timestamp } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { newId } from '../../src/kernel/ids.ts';
import { parseUnits, type Units } from '../../src/kernel/units.ts';
import { type CallRecord, callRow, joinRows } from '../../src/metering/call-record.ts';
import { recordCalls } from '../../src/metering/calls.store.ts';
import { correctCall } from '../../src/metering/corrections.store.ts';
import { insertRefusals } from '../../src/metering/refusals.store.ts';
import { type RequestFilters, readRequestPage } from '../../src/reports/lists/request-page.store.ts';
import { callOf } from '../chaos/books.ts';
import { engines } from '../support/engines.ts';
import { makeKey, makeListSpace, makeMember, NOW, readAll, useDatabase } from '../support/list-stage.ts';

const MINUTE = 60_000;

interface Stage {
  readonly db: Database;
  readonly spaceId: string;
  readonly kimKey: string;
  readonly kimOther: string;
  readonly sharedKey: string;
  readonly kim: string;
}

async function makeStage(db: Database): Promise<Stage> {
  const spaceId = await makeListSpace(db);
  const { id: kim } = await makeMember(db, spaceId, { email: 'kim@example.com' });
  const kimKey = await makeKey(db, spaceId, { name: 'laptop', memberId: kim });
  const kimOther = await makeKey(db, spaceId, { name: 'desktop', memberId: kim });
  const sharedKey = await makeKey(db, spaceId, { name: 'backend' });
  return { db, spaceId, kimKey, kimOther, sharedKey, kim };
}

/** A call that started so many minutes after NOW. Returns its id. */
async function call(
  { db, spaceId, sharedKey }: Stage,
  minute: number,
  { cost = '0.1', ...more }: Partial<CallRecord> & { cost?: string | null } = {},
): Promise<string> {
  const startedAt = NOW + minute * MINUTE;
  const record = callOf(spaceId, cost, {
    id: newId('req', startedAt),
    keyId: sharedKey,
    startedAt,
    chargedAt: startedAt + 900,
    durationMs: 900,
    ...more,
  });
  await recordCalls(db, { rows: joinRows([callRow(record)]), spaces: [spaceId], at: startedAt });
  return record.id;
}

async function refuse(
  { db, spaceId, sharedKey }: Stage,
  minute: number,
  more: { id?: string; keyId?: string; endpoint?: string } = {},
): Promise<string> {
  const at = NOW + minute * MINUTE;
  const { id = newId('req', at), keyId = sharedKey, endpoint = 'createChatCompletion' } = more;
  const facts = { code: 'rate_limit_exceeded', status: 429, detail: 'x', param: null, facts: null };
  await insertRefusals(db, [{ id, at, spaceId, keyId, endpoint, ...facts }]);
  return id;
}

describe.each(engines)('the list of requests on %s', (engine) => {
  const opened = useDatabase(engine);

  async function listed(stage: Stage, filters: RequestFilters = {}, limit = 2): Promise<string[]> {
    const { db, spaceId } = stage;
    const rows = await readAll((page) => readRequestPage(db, { spaceId, ...filters, ...page }), limit);
    return rows.map(({ id }) => id);
  }

  test('shows a call with its key, member, usage, times and cost, and a rejected request with its code', async () => {
    const stage = await makeStage(opened.db);
    const { db, spaceId, kim, kimKey } = stage;
    const called = await call(stage, 1, { keyId: kimKey, memberId: kim, streamed: true, firstByteMs: 120 });
    const rejected = await refuse(stage, 2, { keyId: kimKey });
    const { rows } = await readRequestPage(db, { spaceId, after: null, limit: 10 });
    const key = { key: 'laptop', member: 'kim@example.com' };
    expect(rows).toEqual([
      {
        ...{ id: rejected, started_at: NOW + 2 * MINUTE, status: 'rejected', problem: 'rate_limit_exceeded' },
        ...{ endpoint: 'chat', model: null, ...key, streamed: null, first_byte_ms: null, duration_ms: null },
        ...{ input_tokens: null, output_tokens: null, cost: null, corrected: false, attempts: null },
        attribution: null,
      },
      {
        ...{ id: called, started_at: NOW + MINUTE, status: 'completed', problem: null, endpoint: 'chat' },
        ...{
          model: 'sim-chat',
          ...key,
          streamed: true,
          first_byte_ms: 120,
          duration_ms: 900,
          input_tokens: 1,
        },
        ...{ output_tokens: 1, cost: '0.1', corrected: false, attempts: 1 },
        attribution: null,
      },
    ]);
  });

  test('lists a call that failed once, although it was also answered with an error', async () => {
    const stage = await makeStage(opened.db);
    const id = await call(stage, 1, { outcome: 'failed', problem: 'service_unavailable', cost: null });
    await refuse(stage, 1, { id });
    expect(await listed(stage)).toEqual([id]);
    expect(await listed(stage, { status: 'failed' })).toEqual([id]);
    expect(await listed(stage, { status: 'rejected' })).toEqual([]);
  });

  test('filters by status, model, endpoint, key, member, time, id and cost, alone and together', async () => {
    const stage = await makeStage(opened.db);
    const { kim, kimKey, kimOther, sharedKey } = stage;
    const own = { keyId: kimKey, memberId: kim };
    const a = await call(stage, 1, { ...own, model: 'gpt' });
    const b = await call(stage, 2, { outcome: 'partial', cost: '2.5' });
    const c = await call(stage, 3, { outcome: 'failed', cost: null, endpoint: 'images' });
    const d = await refuse(stage, 4, own);
    const e = await call(stage, 5, { keyId: kimOther, memberId: kim, model: 'gpt', cost: null });
    const f = await refuse(stage, 6, { endpoint: 'editImage' });
    const g = await call(stage, 7, { ...own, cost: '0.100000000001' });
    const expected: Array<[RequestFilters, string[]]> = [
      [{}, [g, f, e, d, c, b, a]],
      [{ status: 'completed' }, [g, e, a]],
      [{ status: 'partial' }, [b]],
      [{ status: 'failed' }, [c]],
      [{ status: 'rejected' }, [f, d]],
      [{ model: 'gpt' }, [e, a]],
      [{ endpoint: 'images' }, [f, c]],
      [{ endpoint: 'chat' }, [g, e, d, b, a]],
      [{ keyId: kimKey }, [g, d, a]],
      [{ keyId: sharedKey }, [f, c, b]],
      [{ memberId: kim }, [g, e, d, a]],
      [{ memberId: kim, keyId: kimOther }, [e]],
      [{ memberId: kim, keyId: sharedKey }, []],
      [{ memberId: kim, status: 'rejected' }, [d]],
      [{ memberId: kim, model: 'gpt', status: 'completed' }, [e, a]],
      [{ keyId: sharedKey, status: 'failed' }, [c]],
      [{ from: NOW + 3 * MINUTE }, [g, f, e, d, c]],
      [{ until: NOW + 3 * MINUTE }, [b, a]],
      [{ from: NOW + 2 * MINUTE, until: NOW + 5 * MINUTE }, [d, c, b]],
      [{ from: NOW + 2 * MINUTE, until: NOW + 5 * MINUTE, memberId: kim }, [d]],
      [{ id: d }, [d]],
      [{ id: g, status: 'completed' }, [g]],
      [{ id: g, status: 'failed' }, []],
      [{ minCost: parseUnits('0.100000000001') }, [g, b]],
      [{ minCost: parseUnits('0.100000000001'), keyId: kimKey }, [g]],
    ];
    for (const [filters, ids] of expected)
      for (const limit of [1, 2, 10])
        expect(await listed(stage, filters, limit), JSON.stringify(filters, print)).toEqual(ids);
  });

  test('a key, a member or a request of another space is not found', async () => {
    const [own, foreign] = [await makeStage(opened.db), await makeStage(opened.db)];
    const id = await call(foreign, 1, { keyId: foreign.kimKey, memberId: foreign.kim });
    await refuse(foreign, 2, { keyId: foreign.kimKey });
    for (const filters of [{ keyId: foreign.kimKey }, { memberId: foreign.kim }, { id }])
      expect(await listed(own, filters)).toEqual([]);
    expect(await listed(foreign, { keyId: foreign.kimKey })).toHaveLength(2);
  });

  test('a corrected call shows its new cost and is found by it', async () => {
    const stage = await makeStage(opened.db);
    const { db, spaceId } = stage;
    const [lowered, raised] = [await call(stage, 1, { cost: '5' }), await call(stage, 2, { cost: '0.1' })];
    const correct = (callId: string, cost: string) =>
      db.transaction((tx) => correctCall(tx, { callId, cost: parseUnits(cost), note: '', at: NOW }));
    await correct(lowered, '6');
    await correct(lowered, '0.5');
    await correct(raised, '7');
    const { rows } = await readRequestPage(db, { spaceId, after: null, limit: 10 });
    expect(rows).toMatchObject([
      { id: raised, cost: '7', corrected: true },
      { id: lowered, cost: '0.5', corrected: true },
    ]);
    expect(await listed(stage, { minCost: parseUnits('1') })).toEqual([raised]);
  });

  test(`a page examines at most ${SCANNED_ROWS_MAX} rows and then ends early, and the next ones find the rest`, async () => {
    const stage = await makeStage(opened.db);
    const { db, spaceId, sharedKey } = stage;
    const rare = await call(stage, -1_000, { model: 'rare' });
    const older = await refuse(stage, -2_000);
    await db.query(sql`
      insert into calls (id, space_id, key_id, endpoint, model, streamed, outcome, usage_source, attempts, started_at,
        duration_ms, charged_at, month)
      select 'req_9' || lpad(n::text, 25, '0'), ${spaceId}, ${sharedKey}, 'chat', 'usual', false, 'completed', 'none', 1,
        ${timestamp(NOW)}, 5, ${timestamp(NOW)}, '2026-11'
      from generate_series(1, ${SCANNED_ROWS_MAX + 10}) n`);
    const first = await readRequestPage(db, { spaceId, model: 'rare', after: null, limit: 5 });
    expect(first.rows).toEqual([]);
    expect(first.next).not.toBeNull();
    const second = await readRequestPage(db, { spaceId, model: 'rare', after: first.next, limit: 5 });
    expect(second).toMatchObject({ rows: [{ id: rare }], next: null });
    // A rejected request that is older than the examined calls waits for its page.
    const withEndpoint = { spaceId, endpoint: 'images', limit: 5 };
    const refused = await refuse(stage, -3_000, { endpoint: 'createImage' });
    const early = await readRequestPage(db, { ...withEndpoint, after: null });
    expect(early.rows).toEqual([]);
    const later = await readRequestPage(db, { ...withEndpoint, after: early.next });
    expect(later).toMatchObject({ rows: [{ id: refused }], next: null });
    expect((await listed(stage, { status: 'rejected' })).slice(-2)).toEqual([older, refused]);
  });
});

function print(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value as Units) : value;
}
