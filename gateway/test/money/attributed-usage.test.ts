/** Usage by tags, end users and sessions: in every dimension and pair the rows add up to the total, whatever happened. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Database, timestamp } from '../../src/database/database.ts';
import type { Cursor } from '../../src/database/page.ts';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { newId } from '../../src/kernel/ids.ts';
import { monthStart } from '../../src/kernel/time.ts';
import { parseUnits, sumUnits } from '../../src/kernel/units.ts';
import { lockAccount } from '../../src/ledger/accounts.store.ts';
import { type AttributionValues, attributionOf } from '../../src/metering/attribution/attribution.ts';
import { type CallRecord, callRow, joinRows } from '../../src/metering/call-record.ts';
import { recordCalls } from '../../src/metering/calls.store.ts';
import { chargeJob } from '../../src/metering/charge-job.ts';
import { correctCall } from '../../src/metering/corrections.store.ts';
import { forgiveCalls } from '../../src/metering/forgive.store.ts';
import { foldTotals } from '../../src/metering/totals.store.ts';
import { readDimensionsInUse } from '../../src/reports/attributed-usage.store.ts';
import { focusRow } from '../../src/reports/focus-row.ts';
import { readFocusPage } from '../../src/reports/lists/focus-page.store.ts';
import { type UsageBreakdown, usageBreakdown } from '../../src/reports/usage-breakdown.ts';
import { callOf } from '../chaos/books.ts';
import { engines } from '../support/engines.ts';
import { makeKey, makeListSpace, makeMember, useDatabase } from '../support/list-stage.ts';

const month = '2026-11';
const FIRST = monthStart(month);
const dimensions = ['model', 'key', 'member', 'day', 'tag:team', 'tag:feature', 'end_user', 'session'];

/** Some calls are attributed to nothing, some in part, some to values that are not kept. */
const attributions: ReadonlyArray<AttributionValues | null> = [
  null,
  { 'tag:team': 'search' },
  { 'tag:team': 'other' },
  { 'tag:team': 'untagged', end_user: 'kim' },
  { 'tag:team': null, session: 's1' },
  { 'tag:feature': 'chat', 'tag:team': 'search', end_user: 'lee', session: 's2' },
  { 'tag:*': null, end_user: null, session: null },
  { session: 's1' },
];

type Step =
  | {
      kind: 'calls';
      writer: number;
      calls: ReadonlyArray<{ at: number; of: number; key: number; cost: number | null }>;
    }
  | { kind: 'repeat' }
  | { kind: 'correct'; call: number; cost: number }
  | { kind: 'forgive'; call: number }
  | { kind: 'batch'; key: number; parts: readonly number[] }
  | { kind: 'end'; writer: number };

const anyCall = fc.record({
  at: fc.nat(20),
  of: fc.nat(attributions.length - 1),
  key: fc.nat(2),
  cost: fc.option(fc.nat(1_000_000)),
});
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('calls' as const),
      writer: fc.integer({ min: 1, max: 3 }),
      calls: fc.array(anyCall, { minLength: 1, maxLength: 8 }),
    }),
  },
  fc.record({ kind: fc.constant('repeat' as const) }),
  fc.record({ kind: fc.constant('correct' as const), call: fc.nat(), cost: fc.nat(1_000_000) }),
  fc.record({ kind: fc.constant('forgive' as const), call: fc.nat() }),
  fc.record({
    kind: fc.constant('batch' as const),
    key: fc.nat(2),
    parts: fc.array(fc.nat(attributions.length - 1), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant('end' as const), writer: fc.integer({ min: 1, max: 3 }) }),
);

describe.each(engines)('usage by what calls are attributed to, on %s', (engine) => {
  const used = useDatabase(engine);

  async function makeStage(db: Database) {
    const spaceId = await makeListSpace(db);
    const kim = (await makeMember(db, spaceId, { email: 'kim@example.com' })).id;
    const keys = [
      { id: await makeKey(db, spaceId, { name: 'kim', memberId: kim }), memberId: kim },
      { id: await makeKey(db, spaceId, { name: 'one' }), memberId: null },
      { id: await makeKey(db, spaceId, { name: 'two' }), memberId: null },
    ] as const;
    return { db, spaceId, keys, kim };
  }

  const report = (db: Database, of: { spaceId: string; memberId?: string }, by: string, and?: string) =>
    usageBreakdown(db, { ...of, month, by, and });

  function total({ rows }: Pick<UsageBreakdown, 'rows'>) {
    return {
      requests: rows.reduce((sum, row) => sum + row.requests, 0),
      unpriced: rows.reduce((sum, row) => sum + row.unpriced, 0),
      cost: sumUnits(rows.map(({ cost }) => parseUnits(cost))),
    };
  }

  test('in every dimension and pair the rows add up to the total after any history', async () => {
    const { db } = used;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 3, maxLength: 12 }), async (steps) => {
        const stage = await makeStage(db);
        const { spaceId, keys, kim } = stage;
        const done: CallRecord[] = [];
        const expected = new Map<string, bigint>();
        let last: { rows: string; writer: number } | null = null;
        const count = (of: number, cost: bigint): void => {
          const value = attributions[of]?.['tag:team'];
          if (value) expected.set(value, (expected.get(value) ?? 0n) + cost);
        };
        const ofCall = new Map<string, { of: number; cost: bigint | null }>();
        for (const step of steps) {
          if (step.kind === 'calls') {
            const calls = step.calls.map(({ at, of, key, cost }) => {
              const chargedAt = FIRST + at * DAY_MS;
              const { id: keyId, memberId } = keys[key] as (typeof keys)[number];
              const values = attributions[of] ?? null;
              const attribution = values && attributionOf(values);
              const more = { id: newId('req', chargedAt), keyId, memberId, chargedAt, attribution };
              const made = callOf(spaceId, cost === null ? null : BigInt(cost), {
                ...more,
                model: `m${at % 2}`,
              });
              ofCall.set(made.id, { of, cost: cost === null ? null : BigInt(cost) });
              count(of, BigInt(cost ?? 0));
              return made;
            });
            done.push(...calls);
            last = { rows: joinRows(calls.map(callRow)), writer: step.writer };
            await recordCalls(db, { ...last, spaces: [spaceId], at: FIRST });
          } else if (step.kind === 'repeat' && last !== null) {
            // Its answer was lost, and another writer sends it again.
            await recordCalls(db, { ...last, writer: (last.writer % 3) + 1, spaces: [spaceId], at: FIRST });
          } else if (step.kind === 'correct' && done.length > 0) {
            const call = done[step.call % done.length] as CallRecord;
            const known = ofCall.get(call.id) as { of: number; cost: bigint | null };
            const cost = BigInt(step.cost);
            await db.transaction((tx) =>
              correctCall(tx, { callId: call.id, cost: cost as never, note: '', at: FIRST }),
            );
            count(known.of, cost - (known.cost ?? 0n));
            known.cost = cost;
          } else if (step.kind === 'forgive' && done.length > 0) {
            const call = done[step.call % done.length] as CallRecord;
            const { requests } = await db.transaction(async (tx) => {
              await lockAccount(tx, spaceId);
              return await forgiveCalls(tx, { spaceId, ref: call.id, model: null, note: '', at: FIRST });
            });
            const known = ofCall.get(call.id) as { cost: bigint | null };
            if (requests > 0) known.cost = 0n;
          } else if (step.kind === 'batch') {
            const { id: keyId } = keys[step.key] as (typeof keys)[number];
            const parts = step.parts.map((of) => ({
              of,
              values: attributions[of] ?? null,
              cost: BigInt(of + 1),
            }));
            for (const { of, cost } of parts) count(of, cost);
            const attributed = [...Map.groupBy(parts, ({ of }) => of).values()].flatMap((same) => {
              const values = same[0]?.values ?? null;
              const cost = same.reduce((sum, part) => sum + part.cost, 0n) as never;
              return values === null
                ? []
                : [{ attribution: attributionOf(values), requests: same.length, unpriced: 0, cost }];
            });
            const cost = parts.reduce((sum, part) => sum + part.cost, 0n) as never;
            const job = { id: newId('batch', FIRST), spaceId, keyId, model: 'm0', requests: parts.length };
            await db.transaction((tx) => chargeJob(tx, { ...job, unpriced: 0, cost, attributed, at: FIRST }));
          } else if (step.kind === 'end') {
            // The process of the writer died: others move its rows, a few at a time.
            while ((await foldTotals(db, { writers: [step.writer], rowsMax: 2 })) > 0);
          }
        }
        const all = total(await report(db, { spaceId }, 'model'));
        for (const by of dimensions)
          for (const and of [undefined, ...dimensions]) {
            if (by === and || ['day/key', 'key/day', 'day/member', 'member/day'].includes(`${by}/${and}`))
              continue;
            const found = await report(db, { spaceId }, by, and);
            expect(total(found), `${by} and ${and}`).toEqual(all);
            expect(found.rows.every(({ requests, unpriced }) => requests >= unpriced && unpriced >= 0)).toBe(
              true,
            );
          }
        for (const [team, cost] of expected) {
          const { rows } = await report(db, { spaceId }, 'tag:team');
          const row = rows.find(({ name, kind }) => name === team && kind === 'value');
          expect(parseUnits(row?.cost ?? '0'), team).toBe(cost);
        }
        const own = total(await report(db, { spaceId, memberId: kim }, 'model'));
        for (const by of dimensions.slice(4)) {
          expect(total(await report(db, { spaceId, memberId: kim }, by)), by).toEqual(own);
          expect(total(await report(db, { spaceId, memberId: kim }, by, 'model')), by).toEqual(own);
        }
      }),
      { numRuns: 4 },
    );
  });

  test('a tag that is called "other" or "untagged" is neither of them', async () => {
    const { db } = used;
    const { spaceId, keys, kim } = await makeStage(db);
    const call = (cost: string, values: AttributionValues | null) =>
      callOf(spaceId, cost, {
        ...{ keyId: keys[1].id, chargedAt: FIRST, id: newId('req', FIRST) },
        attribution: values && attributionOf(values),
      });
    const calls = [
      call('1', { 'tag:team': 'other' }),
      call('2', { 'tag:team': null }),
      call('4', { 'tag:team': 'untagged' }),
      call('8', { end_user: 'x' }),
      call('16', null),
    ];
    await recordCalls(db, { rows: joinRows(calls.map(callRow)), spaces: [spaceId], at: FIRST });
    expect(await readDimensionsInUse(db, { spaceId }, month)).toEqual(['end_user', 'tag:team']);
    expect(await readDimensionsInUse(db, { spaceId, memberId: kim }, month)).toEqual([]);
    const { rows } = await report(db, { spaceId }, 'tag:team');
    expect(rows.map(({ name, kind, cost }) => [name, kind, cost])).toEqual([
      ['untagged', 'untagged', '24'],
      ['untagged', 'value', '4'],
      ['other', 'other', '2'],
      ['other', 'value', '1'],
    ]);
  });

  test('the FOCUS export has a row for each combination of tags, and the same sum', async () => {
    const { db } = used;
    const { spaceId, keys } = await makeStage(db);
    const call = (cost: string, values: AttributionValues | null) =>
      callOf(spaceId, cost, {
        ...{ keyId: keys[1].id, chargedAt: FIRST, startedAt: FIRST, id: newId('req', FIRST) },
        attribution: values && attributionOf(values),
      });
    const calls = [
      call('1', { 'tag:team': 'search', session: 's1' }),
      call('2', { 'tag:team': 'search', session: 's2', end_user: 'kim' }),
      call('4', { 'tag:team': null, 'tag:site': 'a' }),
      call('8', { end_user: 'kim' }),
      call('16', null),
      call('32', { 'tag:*': null }),
    ];
    await recordCalls(db, { rows: joinRows(calls.map(callRow)), spaces: [spaceId], at: FIRST });
    await insertBatchWithLines(db, { spaceId, keyId: keys[1].id });
    const callId = calls[0]?.id as string;
    await db.transaction((tx) => correctCall(tx, { callId, cost: parseUnits('0.5'), note: '', at: FIRST }));
    const rows: Array<{ Tags: unknown; BilledCost: string; ConsumedQuantity: number | null }> = [];
    let after: Cursor | null = null;
    do {
      const page = await readFocusPage(db, { spaceId, month, after, limit: 2 });
      rows.push(...page.rows.map((row) => focusRow(row, { space: { id: spaceId, name: 'any' }, month })));
      after = page.next;
    } while (after !== null);
    const shown = rows.map(({ Tags, BilledCost, ConsumedQuantity: requests }) => [
      Tags,
      BilledCost,
      requests,
    ]);
    expect(shown.toSorted()).toEqual(
      [
        [{ team: 'search' }, '67', 3],
        [{ team: null, site: 'a' }, '4', 1],
        [{}, '184', 4],
        [{ team: 'search' }, '-0.5', 0],
      ].toSorted(),
    );
  });

  /** A settled batch of two lines: one with a tag and a cost of 64, one without and a cost of 128. */
  async function insertBatchWithLines(db: Database, { spaceId, keyId }: { spaceId: string; keyId: string }) {
    const id = newId('batch', FIRST);
    const at = sql`${timestamp(FIRST)}::timestamptz`;
    const attribution = attributionOf({ 'tag:team': 'search', session: 's1' });
    const attributed = [{ attribution, requests: 1, unpriced: 0, cost: parseUnits('64') }];
    const job = { id, spaceId, keyId, model: 'sim-chat', requests: 2, unpriced: 0, cost: parseUnits('192') };
    const entryId = await db.transaction((tx) => chargeJob(tx, { ...job, attributed, at: FIRST }));
    await db.query(sql`
      insert into batches (id, space_id, owner, key_id, input_file_id, endpoint, model, status, total, completed,
        created_at, expires_at, settlement_status, settled_units, settled_at, settled_month, settled_requests, entry_id)
      values (${id}, ${spaceId}, ${keyId}, ${keyId}, 'file_1', '/v1/chat/completions', 'sim-chat', 'completed', 2, 2,
        ${at}, ${at}, 'settled', 192, ${at}, ${month}, 2, ${entryId})`);
    await db.query(sql`
      insert into line_receipts (id, batch_id, line, outcome, usage_source, cost, attempts, started_at, duration_ms,
        attribution)
      select ${id} || line, ${id}, line, 'completed', 'provider', cost, 1, ${at}, 1, attribution
      from (values (1, 64, ${attribution.text}), (2, 128, null))
        as l (line, cost, attribution)`);
  }

  test('a row without the fields of attribution is recorded, as a process of the version before sends it', async () => {
    const { db } = used;
    const { spaceId, keys } = await makeStage(db);
    const row = callRow(callOf(spaceId, '1', { keyId: keys[1].id, chargedAt: FIRST }));
    const older = row.split('\x1f').slice(0, -2).join('\x1f');
    expect(await recordCalls(db, { rows: `${older}\x1e`.slice(0, -1), spaces: [spaceId], at: FIRST })).toBe(
      1,
    );
    const [found] = await db.query<{ attribution: string | null }>(
      sql`select attribution from calls where space_id = ${spaceId}`,
    );
    expect(found?.attribution).toBeNull();
  });

  test('days cannot be combined with keys or members, and a dimension not with itself', async () => {
    const { db } = used;
    const { spaceId } = await makeStage(db);
    await expect(report(db, { spaceId }, 'day', 'key')).rejects.toThrow('cannot be combined');
    await expect(report(db, { spaceId }, 'tag:a', 'tag:a')).rejects.toThrow('are both tag:a');
  });
});
