/** Usage and costs by time are those of the month after any history, and stay what they are when calls are removed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BucketQuery } from '../../src/contract/organization/bucket-query.ts';
import { usageReports } from '../../src/contract/organization/usage-reports.ts';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS, HOUR_MS } from '../../src/kernel/durations.ts';
import { newId } from '../../src/kernel/ids.ts';
import { monthStart, nextMonth, systemClock, unixSecondsOf } from '../../src/kernel/time.ts';
import { rateAt, type UnitValue, worthOf } from '../../src/kernel/unit-value.ts';
import { divideHalfEven, parseUnits, printUnits, sumUnits, type Units } from '../../src/kernel/units.ts';
import { type CallRecord, callRow } from '../../src/metering/call-record.ts';
import { recordCalls } from '../../src/metering/calls.store.ts';
import { correctCall } from '../../src/metering/corrections.store.ts';
import { removeCalls } from '../../src/metering/remove-calls.store.ts';
import { OrganizationReports } from '../../src/reports/organization/organization-reports.ts';
import { monthStatement } from '../../src/reports/statement.ts';
import { usageBreakdown } from '../../src/reports/usage-breakdown.ts';
import { callOf } from '../chaos/books.ts';
import { engines } from '../support/engines.ts';
import { makeKey, makeListSpace, makeMember, useDatabase } from '../support/list-stage.ts';

const MONTH = '2026-11';
const FIRST = monthStart(MONTH);
const END = monthStart(nextMonth(MONTH));
const month = { start_time: unixSecondsOf(FIRST), end_time: unixSecondsOf(END), limit: 31 };
/** The month has another rate than the one before it, and a later one does not change it. */
const RATES: UnitValue = {
  currency: 'EUR',
  rates: [
    { from: FIRST, perUnit: '0.123456789012' },
    { from: FIRST + 10 * DAY_MS, perUnit: '9' },
  ],
};

type Result = Readonly<Record<string, unknown>>;

/** Also of the days beside the month. */
const anyCall = fc.record({
  hour: fc.integer({ min: -24, max: 31 * 24 }),
  key: fc.nat(2),
  model: fc.constantFrom('a', 'b'),
  endpoint: fc.constantFrom('chat', 'responses', 'embeddings', 'images'),
  cost: fc.option(fc.bigInt({ min: 0n, max: 10n ** 15n })),
  input: fc.nat(1_000),
  tier: fc.constantFrom(undefined, 'priority', 'flex'),
  searches: fc.nat(2),
  lateHours: fc.constantFrom(0, 0, 0, 20),
  corrected: fc.option(fc.bigInt({ min: 0n, max: 10n ** 15n }), { freq: 5 }),
  failed: fc.boolean(),
});
type AnyCall = typeof anyCall extends fc.Arbitrary<infer Call> ? Call : never;

describe.each(engines)('usage in the form of OpenAI, on %s', (engine) => {
  const used = useDatabase(engine);

  function reports(unitValue: UnitValue | null = null): OrganizationReports {
    const clock = { ...systemClock, now: () => END + DAY_MS };
    return new OrganizationReports({ db: used.db, clock, unitValue: () => unitValue });
  }

  /** The results of all pages. Amounts are read as they are written. */
  async function all(read: (query: BucketQuery) => Promise<string>, query: BucketQuery): Promise<Result[]> {
    const found: Result[] = [];
    for (let page: string | null = null; ; ) {
      const text = await read({ ...query, ...(page !== null && { page }) });
      const answer = JSON.parse(text.replaceAll(/"value":(-?[\d.]+)/g, '"value":"$1"')) as {
        data: Array<{ start_time: number; results: Result[] }>;
        next_page: string | null;
      };
      for (const { start_time, results } of answer.data)
        found.push(...results.map((result) => ({ start_time, ...result })));
      if (answer.next_page === null) return found;
      page = answer.next_page;
    }
  }

  async function makeHistory(db: Database, calls: readonly AnyCall[]): Promise<string> {
    const spaceId = await makeListSpace(db);
    const kim = (await makeMember(db, spaceId, { email: 'kim@example.com' })).id;
    const keys = [
      { keyId: await makeKey(db, spaceId, { name: 'kim', memberId: kim }), memberId: kim },
      { keyId: await makeKey(db, spaceId, { name: 'one' }), memberId: null },
      { keyId: await makeKey(db, spaceId, { name: 'two' }), memberId: null },
    ];
    for (const call of calls) {
      const made = recordOf(spaceId, call, keys[call.key] as (typeof keys)[number]);
      await recordCalls(db, { rows: callRow(made), spaces: [spaceId], at: made.chargedAt });
      const { corrected } = call;
      if (corrected === null || call.failed) continue;
      const correction = { callId: made.id, cost: corrected as Units, note: '', at: END };
      await db.transaction((tx) => correctCall(tx, correction));
    }
    return spaceId;
  }

  function recordOf(spaceId: string, call: AnyCall, of: Pick<CallRecord, 'keyId' | 'memberId'>): CallRecord {
    const chargedAt = FIRST + call.hour * HOUR_MS;
    const startedAt = chargedAt - call.lateHours * HOUR_MS;
    const { model, endpoint, input, tier, searches } = call;
    const details = { ...(tier && { tier }), ...(searches > 0 && { tools: { web_search: searches } }) };
    return callOf(spaceId, call.failed ? null : call.cost, {
      ...{ id: newId('req', startedAt), startedAt, chargedAt, ...of, model, endpoint },
      ...(call.failed && { outcome: 'failed' as const }),
      usage: {
        ...{ inputTokens: input, cachedInputTokens: input >> 2, cacheWriteTokens: 0 },
        ...{ outputTokens: input * 2, reasoningTokens: 0, images: 3, details },
      },
    });
  }

  /** Everything that can be asked of whole days. */
  async function asked(spaceId: string): Promise<unknown> {
    const reader = { id: 'test', spaceIds: [spaceId] };
    const every = reports();
    const usage = (name: keyof typeof usageReports, more: Partial<BucketQuery> = {}) =>
      all((query) => every.usage(usageReports[name], reader, query), { ...month, ...more });
    return {
      costs: await all((query) => every.costs(reader, query), {
        ...month,
        group_by: ['api_key_id', 'user_id', 'line_item', 'batch'],
      }),
      completions: await usage('completions'),
      grouped: await usage('completions', {
        group_by: ['project_id', 'user_id', 'api_key_id', 'model', 'batch', 'service_tier'],
      }),
      embeddings: await usage('embeddings', { group_by: ['user_id'] }),
      images: await usage('images', { models: ['a'] }),
      searches: await usage('webSearches', { group_by: ['model'] }),
    };
  }

  test('costs add up to the month, in units and in its currency, also when its calls are removed', async () => {
    const { db } = used;
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { minLength: 5, maxLength: 16 }), async (calls) => {
        const spaceId = await makeHistory(db, calls);
        const reader = { id: 'test', spaceIds: [spaceId] };
        const { total } = await usageBreakdown(db, { spaceId, month: MONTH, by: 'model' });
        const statement = await monthStatement(db, { spaceId, month: MONTH, now: END + DAY_MS });
        expect(statement.usage.cost).toBe(total.cost);
        const check = async (): Promise<void> => {
          for (const group_by of [[], ['line_item'], ['user_id', 'api_key_id']] as const) {
            const found = await all((query) => reports().costs(reader, query), { ...month, group_by });
            expect(printUnits(sumUnits(found.map(({ units }) => parseUnits(units as string))))).toBe(
              total.cost,
            );
            expect(found.reduce((sum, row) => sum + (row.num_requests as number), 0)).toBe(total.requests);
            expect(found.reduce((sum, row) => sum + (row.num_unpriced_requests as number), 0)).toBe(
              total.unpriced,
            );
          }
          const inEuro = await all((query) => reports(RATES).costs(reader, query), month);
          const exact = inEuro.reduce((sum, { amount }) => {
            const { value, currency } = amount as { value: string; currency: string };
            expect(currency).toBe('eur');
            const [whole = '', places = ''] = value.split('.');
            return sum + BigInt(whole + places.padEnd(24, '0'));
          }, 0n);
          const cents = divideHalfEven(exact, 10n ** 22n);
          const worth = worthOf(total.cost, rateAt(RATES, FIRST))?.amount;
          expect(`${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`).toBe(worth);
        };
        await check();
        const before = await asked(spaceId);
        const removed = await removeCalls(db, { from: FIRST - 3 * DAY_MS, until: END + 2 * DAY_MS });
        const stays = ({ failed, cost, corrected }: AnyCall): boolean =>
          !failed && (cost === null || corrected !== null);
        expect(removed).toBe(calls.filter((call) => !stays(call)).length);
        await check();
        expect(await asked(spaceId)).toEqual(before);
      }),
      { numRuns: 5 },
    );
  });

  test('a day of UTC in which the rate begins has a result in units and one in the currency', async () => {
    const { db } = used;
    const plain = {
      key: 1,
      model: 'a',
      endpoint: 'chat',
      input: 1,
      tier: undefined,
      searches: 0,
      lateHours: 0,
    };
    const call = (hour: number, cost: bigint) =>
      ({ ...plain, hour, cost, corrected: null, failed: false }) as AnyCall;
    const spaceId = await makeHistory(db, [call(-1, 10n ** 12n), call(1, 3n)]);
    const reader = { id: 'test', spaceIds: [spaceId] };
    const day = { start_time: month.start_time - 15 * 3_600, limit: 1 };
    const text = await reports(RATES).costs(reader, day);
    expect([...text.matchAll(/"amount":(\{.*?\})/g)].map(([, amount]) => amount).sort()).toEqual([
      '{"value":0.000000000000370370367036,"currency":"eur"}',
      '{"value":1,"currency":"xxx"}',
    ]);
  });

  test('what is not known of removed calls is said, and is no zero', async () => {
    const { db } = used;
    const call = {
      key: 1,
      model: 'a',
      endpoint: 'chat',
      input: 9,
      tier: undefined,
      searches: 0,
      lateHours: 0,
    };
    const spaceId = await makeHistory(db, [
      { ...call, hour: 30, cost: 5n, corrected: null, failed: false } as AnyCall,
    ]);
    await removeCalls(db, { from: FIRST, until: END });
    const reader = { id: 'test', spaceIds: [spaceId] };
    const usage = (query: Partial<BucketQuery>) =>
      reports().usage(usageReports.completions, reader, { ...month, ...query });
    const lost = { code: 'invalid_parameter', param: 'start_time' };
    const day = Math.floor((month.start_time + 30 * 3_600) / 86_400) * 86_400;
    await expect(usage({ bucket_width: '1h', start_time: day })).rejects.toMatchObject(lost);
    await expect(usage({ start_time: day + 16 * 3_600 })).rejects.toMatchObject(lost);
    await expect(reports().costs(reader, { start_time: day + 16 * 3_600 })).rejects.toMatchObject(lost);
    expect(JSON.parse(await usage({ start_time: day, limit: 1 }))).toMatchObject({
      data: [{ results: [{ input_tokens: 9, num_model_requests: 1 }] }],
    });
    // A process of the version before does not write what it counted.
    await db.query(sql`delete from removed_usage where space_id = ${spaceId}`);
    await expect(usage({ start_time: day, limit: 1 })).rejects.toMatchObject(lost);
    expect(JSON.parse(await reports().costs(reader, { start_time: day, limit: 1 }))).toMatchObject({
      data: [{ results: [{ units: '0.000000000005' }] }],
    });
  });
});
