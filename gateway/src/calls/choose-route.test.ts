/** Which route a conversation gets: the same one each time, by weight, and no other conversation moves. */
import { describe, expect, test } from 'vitest';
import type { UpstreamRoute } from '../catalog/model.ts';
import { drawByKey, orderRoutes } from './choose-route.ts';

const SESSIONS = 100_000;

function route(id: string, weight = 1, priority = 1): UpstreamRoute {
  return { id, provider: 'p', upstreamModel: id, priority, weight, hashKey: `p/${id}` };
}

function order(routes: readonly UpstreamRoute[], session: string): string[] {
  return orderRoutes(
    routes,
    drawByKey(() => session),
  ).map(({ id }) => id);
}

const sessions = Array.from({ length: SESSIONS }, (_, i) => `space-1\nsession-${i}`);

describe('routes of one priority', () => {
  test.each([
    { weights: [1, 1, 1, 1] },
    { weights: [3, 1] },
    { weights: [70, 20, 10] },
    { weights: [5, 3, 2, 1] },
    { weights: [99, 1] },
  ])('with the weights $weights share 100,000 sessions within two hundredths', ({ weights }) => {
    const routes = weights.map((weight, i) => route(`r${i}`, weight));
    const counts = new Map<string, number>();
    for (const session of sessions) {
      const [first = ''] = order(routes, session);
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    const sum = weights.reduce((a, b) => a + b);
    // Of all sessions; four standard deviations of 100,000 draws are below 0.7 %.
    const off = weights.map((weight, i) => Math.abs((counts.get(`r${i}`) ?? 0) / SESSIONS - weight / sum));
    expect(Math.max(...off)).toBeLessThan(0.02 * Math.max(...weights.map((weight) => weight / sum)));
  });

  test('give a session the same order each time, whatever order they are written in', () => {
    const routes = ['a', 'b', 'c', 'd'].map((id) => route(id));
    const moved = routes.toReversed();
    for (const session of sessions.slice(0, 1_000))
      expect(order(moved, session)).toEqual(order(routes, session));
  });

  test('keep all sessions but those of a route that is removed', () => {
    const routes = ['a', 'b', 'c', 'd'].map((id, i) => route(id, i + 1));
    const without = routes.filter(({ id }) => id !== 'b');
    for (const session of sessions.slice(0, 10_000)) {
      expect(order(without, session)).toEqual(order(routes, session).filter((id) => id !== 'b'));
    }
  });

  test('share the sessions of a failed route by their weights', () => {
    const routes = [route('dead', 4), route('heavy', 3), route('light', 1)];
    const seconds = sessions.map((session) => order(routes, session)).filter(([first]) => first === 'dead');
    const heavy = seconds.filter(([, second]) => second === 'heavy').length;
    expect(Math.abs(heavy / seconds.length - 0.75)).toBeLessThan(0.02);
  });

  test('place the sessions of two spaces independently', () => {
    const routes = [route('a'), route('b')];
    const same = sessions
      .slice(0, 10_000)
      .filter((session) => order(routes, session)[0] === order(routes, `space-2${session}`)[0]).length;
    expect(Math.abs(same / 10_000 - 0.5)).toBeLessThan(0.03);
  });
});

test('a model with one route, or one of each priority, reads no conversation', () => {
  const never = drawByKey(() => expect.fail('nothing is to be read'));
  expect(orderRoutes([route('a')], never)).toHaveLength(1);
  const ranked = orderRoutes([route('b', 1, 2), route('a', 1, 1)], never);
  expect(ranked.map(({ id }) => id)).toEqual(['a', 'b']);
});
