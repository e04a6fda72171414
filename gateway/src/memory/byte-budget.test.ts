import { beforeEach, describe, expect, test } from 'vitest';
import { TestClock } from '../../test/support/test-clock.ts';
import { KIB } from '../kernel/bytes.ts';
import { ByteBudget, type ByteLease } from './byte-budget.ts';

const LIMITS = { keyBytes: 400 * KIB, spaceBytes: 600 * KIB, totalBytes: 1_000 * KIB, waitMs: 1_000 };

let clock: TestClock;
let budget: ByteBudget;

beforeEach(() => {
  clock = new TestClock();
  budget = new ByteBudget(LIMITS, clock);
});

function open(spaceId: string, keyId = `${spaceId}-key`): ByteLease {
  return budget.open({ spaceId, keyId, spaceName: spaceId });
}

/** Takes bytes and expects that there is room. */
function holding(bytes: number, spaceId: string, keyId?: string): ByteLease {
  const lease = open(spaceId, keyId);
  expect(lease.take(bytes)).toBeNull();
  return lease;
}

async function refusal(lease: ByteLease, bytes: number): Promise<unknown> {
  const taking = lease.take(bytes);
  const refused = expect(taking).rejects;
  clock.pass(LIMITS.waitMs);
  await refused.toMatchObject({ retryAfterMs: expect.any(Number) });
  return await taking?.catch((error: unknown) => error);
}

describe('the byte budget', () => {
  test('rejects a key at its limit with 429, and admits other keys', async () => {
    holding(300 * KIB, 'a');
    expect(await refusal(open('a'), 200 * KIB)).toMatchObject({
      code: 'rate_limit_exceeded',
      detail: expect.stringContaining('This key has too many bytes of calls in progress'),
      facts: { limit: 'bytes_in_flight_key' },
    });
    holding(100 * KIB, 'a', 'another key of a');
    holding(300 * KIB, 'b');
    expect(budget.refused).toBe(1);
  });

  test('rejects a space at its limit with 429', async () => {
    holding(300 * KIB, 'a', 'one');
    holding(90 * KIB, 'a', 'two');
    expect(await refusal(open('a', 'three'), 300 * KIB)).toMatchObject({
      code: 'rate_limit_exceeded',
      detail: expect.stringContaining('The space a has too many bytes of calls in progress'),
      facts: { limit: 'bytes_in_flight_space' },
    });
  });

  test('grants nothing to a call that ended while several of its requests waited', async () => {
    const first = holding(600 * KIB, 'a');
    const gone = holding(100 * KIB, 'b');
    const waits = [gone.take(350 * KIB), gone.take(350 * KIB)];
    expect(budget.waiting).toBe(2);
    gone.close();
    await Promise.all(waits);
    first.close();
    expect(budget.waiting).toBe(0);
    expect(budget.held).toBe(0);
  });

  test('rejects with 503 when the total is reached, and still admits small calls', async () => {
    for (const space of ['a', 'b', 'c']) holding(330 * KIB, space);
    expect(await refusal(open('d'), 100 * KIB)).toMatchObject({
      code: 'service_unavailable',
      facts: { limit: 'bytes_in_flight_total' },
    });
    holding(60 * KIB, 'd');
  });

  test('lets a space hold at most as much as is free, so that a new space always finds room', async () => {
    const spaces = Array.from({ length: 20 }, (_, i) => `space ${i}`);
    for (const space of spaces) {
      let taking = open(space).take(70 * KIB);
      while (taking === null) taking = open(space).take(70 * KIB);
      const refused = expect(taking).rejects.toMatchObject({ status: expect.any(Number) });
      clock.pass(LIMITS.waitMs);
      await refused;
    }
    const [first, second] = [open('space 0'), open('space 1')];
    expect(first.space.held).toBeGreaterThanOrEqual(second.space.held);
    expect(budget.held).toBeLessThanOrEqual(LIMITS.totalBytes);
  });

  test('admits the only call of a space, however large it is', () => {
    holding(900 * KIB, 'a');
  });

  test('gives room that a call returns to a call that waits', async () => {
    const first = holding(300 * KIB, 'a');
    const taking = open('a').take(200 * KIB);
    expect(budget.waiting).toBe(1);
    first.close();
    await taking;
    expect(budget.held).toBe(200 * KIB);
  });

  test('serves the space that holds the fewest bytes first', async () => {
    const last = [
      holding(300 * KIB, 'c'),
      holding(90 * KIB, 'a'),
      holding(300 * KIB, 'b'),
      holding(300 * KIB, 'd'),
    ];
    const order: string[] = [];
    const large = open('a')
      .take(200 * KIB)
      ?.then(() => order.push('a holds much'));
    const small = open('e')
      .take(200 * KIB)
      ?.then(() => order.push('e holds nothing'));
    last[0]?.close();
    await small;
    last[2]?.close();
    await large;
    expect(order).toEqual(['e holds nothing', 'a holds much']);
  });

  test('never rejects a reply, and lets one exceed every limit, so that no reply waits forever', () => {
    const granted: string[] = [];
    const answers = ['a', 'b', 'c'].map((space) => {
      const lease = holding(330 * KIB, space);
      return { space, lease };
    });
    const taken = answers.map(({ space, lease }) => lease.takeAnswer(400 * KIB, () => granted.push(space)));
    expect(taken).toEqual([true, false, false]);
    answers[0]?.lease.close();
    expect(granted).toEqual(['b']);
    answers[1]?.lease.close();
    expect(granted).toEqual(['b', 'c']);
    answers[2]?.lease.close();
    expect(budget.held).toBe(0);
  });

  test('gets everything back when a call ends, even while it waits', async () => {
    const first = holding(300 * KIB, 'a');
    const second = holding(50 * KIB, 'a');
    const waiting = second.take(200 * KIB);
    second.close();
    await waiting;
    const third = open('b');
    third.add(5_000 * KIB);
    third.giveBack(9_000 * KIB);
    for (const lease of [first, second, third]) lease.close();
    for (const lease of [first, second, third]) {
      lease.add(1);
      lease.giveBack(1);
      lease.close();
    }
    expect(budget).toMatchObject({ held: 0, waiting: 0 });
  });
});
