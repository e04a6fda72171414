/** How routes are chosen, how long to wait between attempts, when a route is left alone. All pure. */
import { describe, expect, test } from 'vitest';
import { orderRoutes } from '../../src/calls/choose-route.ts';
import { FAILURES_TO_OPEN, OPEN_MS, RouteHealth } from '../../src/calls/route-health.ts';
import type { UpstreamRoute } from '../../src/catalog/model.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { backoffMs } from '../../src/net/backoff.ts';

function route(id: string, options: { priority?: number; weight?: number } = {}): UpstreamRoute {
  const { priority = 1, weight = 1 } = options;
  return { id, provider: 'p', upstreamModel: 'm', priority, weight, hashKey: id };
}

/** The same sequence of fractions in every run (a linear congruential generator). */
function dice(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function ids(routes: readonly UpstreamRoute[]): string {
  return routes.map(({ id }) => id).join('');
}

describe('orderRoutes', () => {
  test('a lower priority number always comes first, whatever the weights', () => {
    const random = dice();
    const routes = [route('c', { priority: 3, weight: 1_000 }), route('a', { priority: 0 }), route('b')];
    for (let i = 0; i < 200; i++) expect(ids(orderRoutes(routes, random))).toBe('abc');
  });

  test.each([
    [1, 1],
    [3, 1],
    [9, 1],
    [70, 30],
  ])('weights %i to %i share the calls in that ratio', (heavy, light) => {
    const random = dice();
    const routes = [route('a', { weight: heavy }), route('b', { weight: light })];
    const draws = 20_000;
    let first = 0;
    for (let i = 0; i < draws; i++) if (orderRoutes(routes, random)[0]?.id === 'a') first++;
    // Four standard deviations of 20,000 draws are below 1.5 in a hundred.
    expect(Math.abs(first / draws - heavy / (heavy + light))).toBeLessThan(0.015);
  });

  test('weight 0 comes last within its priority, but before the next one', () => {
    const random = dice();
    const routes = [route('z', { weight: 0 }), route('a'), route('y', { priority: 2, weight: 5 })];
    for (let i = 0; i < 200; i++) expect(ids(orderRoutes(routes, random))).toBe('azy');
  });

  test('weight 0 comes last even when chance is at its lowest', () => {
    expect(ids(orderRoutes([route('z', { weight: 0 }), route('a', { weight: 1 })], () => 0))).toBe('az');
  });

  test('every route is there once, and the given list is left alone', () => {
    const routes = ['a', 'b', 'c', 'd'].map((id) => route(id));
    const ordered = orderRoutes(routes, dice(7));
    expect([...ordered].map(({ id }) => id).sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(ids(routes)).toBe('abcd');
  });

  test('a single route and none are answered without a draw', () => {
    const never = (): number => expect.fail('no draw is needed');
    expect(ids(orderRoutes([route('a')], never))).toBe('a');
    expect(orderRoutes([], never)).toEqual([]);
  });
});

describe('backoffMs', () => {
  const at = (attempt: number, random: number): number =>
    backoffMs(attempt, { firstMs: 100, maxMs: 2_000, random });

  test.each([0, 1, 2, 3, 4, 5, 10, 60])('attempt %i waits between half and all of its ceiling', (attempt) => {
    const ceiling = Math.min(2_000, 100 * 2 ** attempt);
    const random = dice(attempt + 1);
    for (let i = 0; i < 500; i++) {
      const waitMs = at(attempt, random());
      expect(waitMs).toBeGreaterThanOrEqual(ceiling / 2);
      expect(waitMs).toBeLessThanOrEqual(ceiling);
      expect(Number.isInteger(waitMs)).toBe(true);
    }
  });

  test('waits double up to the cap and never pass it', () => {
    expect([0, 1, 2, 3, 4, 5, 1_000].map((attempt) => at(attempt, 1))).toEqual([
      100, 200, 400, 800, 1_600, 2_000, 2_000,
    ]);
  });
});

describe('RouteHealth', () => {
  const OWN = 'request';
  const fail = (
    health: RouteHealth,
    caller: string,
    times: number,
    cause: 'route' | 'request' = OWN,
  ): void => {
    for (let i = 0; i < times; i++) health.failed('a', caller, cause);
  };

  function opened(cause: 'route' | 'request'): { health: RouteHealth; clock: ReturnType<typeof handClock> } {
    const clock = handClock();
    const health = new RouteHealth(clock);
    fail(health, 'me', FAILURES_TO_OPEN, cause);
    return { health, clock };
  }

  test('a caller is admitted until it failed five times in a row', () => {
    const health = new RouteHealth(handClock());
    for (let failures = 0; failures < FAILURES_TO_OPEN; failures++) {
      expect(health.allows('a', 'me')).toBe(true);
      health.failed('a', 'me', OWN);
    }
    expect(health.allows('a', 'me')).toBe(false);
    expect([health.open(), health.heldBack()]).toEqual([[], 1]);
  });

  test('one success in between starts the count anew', () => {
    const health = new RouteHealth(handClock());
    fail(health, 'me', FAILURES_TO_OPEN - 1);
    health.succeeded('a', 'me');
    fail(health, 'me', FAILURES_TO_OPEN - 1);
    expect(health.allows('a', 'me')).toBe(true);
  });

  test('however often a caller, or two, fail, others are admitted', () => {
    const health = new RouteHealth(handClock());
    fail(health, 'me', 1_000);
    fail(health, 'my other space', 1_000);
    for (let i = 0; i < FAILURES_TO_OPEN; i++) {
      expect(health.allows('a', 'you')).toBe(true);
      if (i < FAILURES_TO_OPEN - 1) health.failed('a', 'you', OWN);
    }
  });

  test('where four callers fail and nobody succeeds, one failure keeps a caller away, and none nobody', () => {
    const clock = handClock();
    const health = new RouteHealth(clock);
    for (const caller of ['one', 'two', 'three', 'four']) health.failed('a', caller, OWN);
    expect(health.open()).toEqual(['a']);
    expect(['one', 'two', 'three', 'four', 'five'].map((caller) => health.allows('a', caller))).toEqual([
      ...[false, false, false, false],
      true,
    ]);
    health.succeeded('a', 'five');
    expect(health.open()).toEqual([]);
    expect(health.allows('a', 'one')).toBe(true);
  });

  test('five connections in a row that cannot be made close a route for everybody, of whomever they were', () => {
    const health = new RouteHealth(handClock());
    for (let i = 0; i < FAILURES_TO_OPEN; i++) {
      expect(health.allows('a', 'you')).toBe(true);
      health.failed('a', `caller ${i}`, 'route');
    }
    expect(health.allows('a', 'you')).toBe(false);
    expect(health.open()).toEqual(['a']);
    health.reached('a');
    expect(health.allows('a', 'you')).toBe(true);
  });

  test('other routes are not touched by it', () => {
    for (const cause of ['route', 'request'] as const)
      expect(opened(cause).health.allows('b', 'me')).toBe(true);
  });

  describe.each(['route', 'request'] as const)('a breaker opened by failures of the %s', (cause) => {
    test('lets exactly one call through after its time', () => {
      const { health, clock } = opened(cause);
      clock.pass(OPEN_MS - 1);
      expect(health.allows('a', 'me')).toBe(false);
      clock.pass(1);
      expect(health.allows('a', 'me')).toBe(true);
      expect(health.allows('a', 'me')).toBe(false);
    });

    test('is closed by a probe that succeeds', () => {
      const { health, clock } = opened(cause);
      clock.pass(OPEN_MS);
      health.allows('a', 'me');
      health.succeeded('a', 'me');
      expect([health.open(), health.heldBack()]).toEqual([[], 0]);
      expect([health.allows('a', 'me'), health.allows('a', 'me')]).toEqual([true, true]);
    });

    test('stays open for as long again after a probe that fails', () => {
      const { health, clock } = opened(cause);
      clock.pass(OPEN_MS);
      health.allows('a', 'me');
      health.failed('a', 'me', cause);
      clock.pass(OPEN_MS - 1);
      expect(health.allows('a', 'me')).toBe(false);
      clock.pass(1);
      expect(health.allows('a', 'me')).toBe(true);
    });

    test('lets the next call probe where the caller of a probe left', () => {
      const { health, clock } = opened(cause);
      clock.pass(OPEN_MS);
      health.allows('a', 'me');
      health.undecided('a', 'me');
      expect(health.allows('a', 'me')).toBe(true);
      expect(health.allows('a', 'me')).toBe(false);
    });

    test('does not rest shorter because a caller left who began before it opened', () => {
      const { health } = opened(cause);
      health.undecided('a', 'me');
      expect(health.allows('a', 'me')).toBe(false);
    });

    test('does not end a probe that is under way by a late failure of a call that began before', () => {
      const { health, clock } = opened(cause);
      clock.pass(OPEN_MS);
      expect(health.allows('a', 'me')).toBe(true);
      health.failed('a', 'me', cause);
      expect(health.allows('a', 'me')).toBe(false);
    });

    test('sends another probe where one never reports back', () => {
      const { health, clock } = opened(cause);
      clock.pass(OPEN_MS);
      expect(health.allows('a', 'me')).toBe(true);
      clock.pass(OPEN_MS);
      expect(health.allows('a', 'me')).toBe(true);
    });
  });

  test('a probe per caller: one that is kept away does not keep others from theirs', () => {
    const { health, clock } = opened('request');
    fail(health, 'you', FAILURES_TO_OPEN);
    clock.pass(OPEN_MS);
    expect([health.allows('a', 'me'), health.allows('a', 'you')]).toEqual([true, true]);
    expect([health.allows('a', 'me'), health.allows('a', 'you')]).toEqual([false, false]);
  });

  test('remembers a bounded number of callers, the latest', () => {
    const health = new RouteHealth(handClock());
    for (let caller = 0; caller < 10_001; caller++) fail(health, String(caller), FAILURES_TO_OPEN);
    expect(health.heldBack()).toBe(10_000);
    health.succeeded('a', 'anybody');
    expect(['0', '1', '10000'].map((caller) => health.allows('a', caller))).toEqual([true, false, false]);
  });

  function handClock(): Clock & { pass(ms: number): void } {
    let nowMs = 0;
    return {
      ...systemClock,
      elapsedMs: () => nowMs,
      pass: (ms) => {
        nowMs += ms;
      },
    };
  }
});
