import { describe, expect, test } from 'vitest';
import type { Model } from '../catalog/model.ts';
import { Problem } from '../kernel/problem.ts';
import { systemClock } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';
import type { CallRecord } from '../metering/call-record.ts';
import type { Usage } from '../pricing/usage.ts';
import type { KeptReply } from './call-reply.ts';
import type { CallTools } from './call-tools.ts';
import { type Arrived, CallEnding, type EndingCall } from './end-call.ts';

const usage: Usage = {
  ...{
    inputTokens: 1_000_000,
    outputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  },
  ...{ images: 0, imageInputTokens: 0 },
};
const price = { tokens: { input: parseUnits('2'), output: parseUnits('8') }, rules: [] };
const model = {
  code: 'm',
  prices: [{ from: null, price }],
  priceVersion: 'v1',
  contextTokens: null,
  outputTokensMax: null,
} as unknown as Model;
const size = { bytes: 8_000_000, addresses: 0, answers: 1, outputTokensMax: null };

/** A call whose usage is counted if the provider does not tell it; the count waits until it is let go. */
function stage(of: {
  gone?: boolean;
  kept?: boolean;
  keep?: boolean;
  reported?: Usage | null;
  refuses?: boolean;
}) {
  const records: CallRecord[] = [];
  const seen = {
    settled: [] as string[],
    stored: [] as string[],
    left: 0,
    leftSettled: 0,
    charged: 0,
    refusals: 0,
  };
  const counted = Promise.withResolvers<void>();
  const kept = { charged: () => void seen.charged++ } as unknown as KeptReply;
  const call = {
    facts: {
      ...{
        id: 'req_1',
        endpoint: 'chat',
        requested: 'm',
        streamed: true,
        startedAt: 0,
        startedMs: 0,
        trace: null,
        budgets: null,
        model,
      },
      principal: { spaceId: 'spc_1', spaceName: 's', keyId: 'key_1', memberId: null },
      hold: { settle: (cost: Units) => void seen.settled.push(printUnits(cost)), grow: () => undefined },
    },
    reply: { gone: of.gone ?? false, ...(of.kept && { kept }) },
    keep: of.keep ? async () => true : null,
    size,
    ...(of.refuses && {
      fallback: { takesRefusals: true, log: { attempts: 2 }, answerRefused: async () => ++seen.refusals > 0 },
    }),
  } as unknown as EndingCall;
  const arrived: Arrived = {
    opened: {
      ...{ route: { provider: 'p', upstreamModel: 'u' }, attempts: 1, tried: [], api: {}, headers: {} },
    } as unknown as Arrived['opened'],
    answer: {
      usage: of.reported === undefined ? usage : of.reported,
      finishReason: of.refuses ? 'content_filter' : 'stop',
    },
    texts: () => ({
      prompt: () => ['a'],
      images: 0,
      produced: () => ({ texts: ['b'], restCharacters: 0 }),
      soFar: null,
    }),
  };
  const tools = {
    clock: systemClock,
    recorder: { record: async (record: CallRecord) => void records.push(record) },
    rates: { used: () => undefined },
    meter: { called: () => null, implausible: () => undefined },
    leftCalls: {
      open: () => {
        seen.left++;
        return { settled: () => void seen.leftSettled++, abandon: () => undefined };
      },
    },
    tokens: {
      countOrEstimate: async (texts: readonly string[]) => {
        await counted.promise;
        return texts.length;
      },
    },
  } as unknown as CallTools;
  const store = async (_: unknown, record: CallRecord): Promise<void> =>
    void seen.stored.push(record.outcome);
  return {
    ending: new CallEnding(call, arrived, tools),
    records,
    seen,
    store,
    count: () => counted.resolve(),
  };
}

describe('a call ends', () => {
  test('complete: it is charged once, and its caller is shown what it cost and that it is kept', async () => {
    const { ending, records, seen, store } = stage({ keep: true });
    const { end, isLeft } = await ending.complete(store);
    expect({ ...end, cost: printUnits(end.cost as Units), isLeft }).toEqual({
      usage,
      cost: '2',
      kept: true,
      isLeft: false,
    });
    expect(records.map(({ outcome, problem }) => [outcome, problem])).toEqual([['completed', null]]);
    expect(seen).toMatchObject({ settled: ['2'], stored: [] });
  });

  test('complete and repeatable: it is stored before it is charged, also if its caller has left', async () => {
    const { ending, records, seen, store } = stage({ kept: true, gone: true });
    const { isLeft } = await ending.complete(store);
    expect([isLeft, records[0]?.outcome, seen.stored, seen.charged]).toEqual([
      false,
      'completed',
      ['completed'],
      1,
    ]);
  });

  test('not at all if what is to be repeated cannot be stored: it is not charged', async () => {
    const { ending, records } = stage({ kept: true });
    const failing = ending.complete(async () => Promise.reject(new Error('no room')));
    await expect(failing).rejects.toThrow('no room');
    expect(records).toEqual([]);
  });

  test('left, with known usage: what arrived is charged, and it is no error', async () => {
    const { ending, records, seen, store } = stage({ gone: true });
    ending.left();
    const { isLeft } = await ending.complete(store);
    expect([isLeft, records[0]?.outcome, records[0]?.problem]).toEqual([true, 'partial', null]);
    expect([seen.settled, seen.left]).toEqual([['2'], 0]);
  });

  test('left while its tokens are counted: it is held until it is charged', async () => {
    const { ending, records, seen, store, count } = stage({ gone: true, reported: null });
    const ended = ending.complete(store);
    ending.left();
    ending.left();
    expect([seen.left, seen.leftSettled]).toEqual([1, 0]);
    count();
    await ended;
    expect([seen.left, seen.leftSettled, records[0]?.usageSource]).toEqual([1, 1, 'estimated']);
    ending.left();
    expect(seen.left, 'its usage is known').toBe(1);
  });

  test('broken off: what arrived is charged, then its caller gets the problem', async () => {
    const { ending, records, seen, store } = stage({});
    const problem = new Problem('upstream_error', { detail: 'The provider stopped.' });
    await expect(ending.broken(problem, store)).rejects.toBe(problem);
    expect(records.map((record) => [record.outcome, record.problem])).toEqual([
      ['partial', 'upstream_error'],
    ]);
    expect([seen.settled, problem.upstream?.attempts]).toEqual([['2'], 1]);
  });

  test('broken off for a caller that left: it is charged, and nobody gets a problem', async () => {
    const { ending, records, store } = stage({ gone: true });
    await ending.broken(new Problem('upstream_error', { detail: 'The provider stopped.' }), store);
    expect(records.map(({ outcome, problem }) => [outcome, problem])).toEqual([['partial', null]]);
  });

  test('refused: another model is asked once, and only if nothing of the answer is left', async () => {
    const { ending, seen, records } = stage({ refuses: true });
    expect(await ending.refused(() => ['but here is a text'])).toBe(false);
    expect(await ending.refused(() => [])).toBe(true);
    expect([seen.refusals, records]).toEqual([1, []]);
  });

  test('unanswered: nothing is charged, and the problem says which route it was', () => {
    const { ending, records } = stage({});
    const failed = ending.unanswered(new Problem('upstream_error', { detail: 'Nothing came.' }));
    expect([failed.problem.code, records]).toEqual(['upstream_error', []]);
  });
});
