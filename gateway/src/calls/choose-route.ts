/** The order in which the routes of a model are tried. Pure: randomness is passed in. */
import type { UpstreamRoute } from '../catalog/model.ts';

/** Lower priority numbers first; a weighted draw among equals. Weight 0 comes last. */
export function orderRoutes(
  routes: readonly UpstreamRoute[],
  random: () => number,
): readonly UpstreamRoute[] {
  if (routes.length === 1) return routes;
  const drawn = routes.map((route) => ({
    route,
    // The largest of u^(1/w) wins with probability proportional to w.
    draw: route.weight === 0 ? -1 : random() ** (1 / route.weight),
  }));
  drawn.sort((a, b) => a.route.priority - b.route.priority || b.draw - a.draw);
  return drawn.map(({ route }) => route);
}
