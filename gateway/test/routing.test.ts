/** How routes are chosen, how long to wait between attempts, when a route is left alone. All pure. */
import { describe, expect, test } from 'vitest';
import type { Route } from '../src/catalog/model.ts';
import { orderRoutes } from '../src/gateway/choose-route.ts';
import { FAILURES_TO_OPEN, OPEN_MS, RouteHealth } from '../src/gateway/route-health.ts';
import { type Clock, systemClock } from '../src/kernel/time.ts';
import { backoffMs } from '../src/net/backoff.ts';

function route(id: string, options: { priority?: number; weight?: number } = {}): Route {
  const { priority = 1, weight = 1 } = options;
  return { id, provider: 'p', upstreamModel: 'm', priority, weight };
}

/** The same sequence of fractions in every run (a linear congruential generator). */
function dice(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function ids(routes: readonly Route[]): string {
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
  function openedRoute(): { health: RouteHealth; clock: ReturnType<typeof handClock> } {
    const clock = handClock();
    const health = new RouteHealth(clock);
    for (let i = 0; i < FAILURES_TO_OPEN; i++) health.failed('a');
    return { health, clock };
  }

  test('a route is admitted until it failed five times in a row', () => {
    const health = new RouteHealth(handClock());
    for (let failures = 0; failures < FAILURES_TO_OPEN; failures++) {
      expect(health.admits('a')).toBe(true);
      health.failed('a');
    }
    expect(health.admits('a')).toBe(false);
    expect(health.open()).toEqual(['a']);
  });

  test('one success in between starts the count anew', () => {
    const health = new RouteHealth(handClock());
    for (let i = 0; i < FAILURES_TO_OPEN - 1; i++) health.failed('a');
    health.succeeded('a');
    for (let i = 0; i < FAILURES_TO_OPEN - 1; i++) health.failed('a');
    expect(health.admits('a')).toBe(true);
  });

  test('other routes are not touched by it', () => {
    const { health } = openedRoute();
    expect(health.admits('b')).toBe(true);
  });

  test('after its time exactly one call is let through to probe it', () => {
    const { health, clock } = openedRoute();
    clock.pass(OPEN_MS - 1);
    expect(health.admits('a')).toBe(false);
    clock.pass(1);
    expect(health.admits('a')).toBe(true);
    expect(health.admits('a')).toBe(false);
  });

  test('a probe that succeeds closes the circuit', () => {
    const { health, clock } = openedRoute();
    clock.pass(OPEN_MS);
    health.admits('a');
    health.succeeded('a');
    expect(health.open()).toEqual([]);
    expect([health.admits('a'), health.admits('a')]).toEqual([true, true]);
  });

  test('a probe that fails leaves the route alone for as long again', () => {
    const { health, clock } = openedRoute();
    clock.pass(OPEN_MS);
    health.admits('a');
    health.failed('a');
    clock.pass(OPEN_MS - 1);
    expect(health.admits('a')).toBe(false);
    clock.pass(1);
    expect(health.admits('a')).toBe(true);
  });

  test('a probe whose caller left lets the next call probe', () => {
    const { health, clock } = openedRoute();
    clock.pass(OPEN_MS);
    health.admits('a');
    health.undecided('a');
    expect(health.admits('a')).toBe(true);
    expect(health.admits('a')).toBe(false);
  });

  test('a late failure of a call that began before does not end a probe that is under way', () => {
    const { health, clock } = openedRoute();
    clock.pass(OPEN_MS);
    expect(health.admits('a')).toBe(true);
    health.failed('a');
    expect(health.admits('a')).toBe(false);
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
