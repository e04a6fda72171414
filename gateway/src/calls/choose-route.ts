/**
 * The order in which the routes of a model are tried: lower priority numbers first, and among equals by weight. The
 * turns of a conversation get the same order in every process (weighted rendezvous hashing), so that a provider's
 * prompt cache has what came before. If a route fails, only its own conversations move. Pure.
 */
import type { UpstreamRoute } from '../catalog/model.ts';
import { hashText } from '../kernel/hash-text.ts';

/** A number from 0 to 1 for each route. */
export type DrawRoute = (route: UpstreamRoute) => number;

/** The lowest rank is tried first. */
export type RankRoute = (route: UpstreamRoute, draw: DrawRoute) => number;

/** Draws only if two routes have the same priority. Weight 0 comes last among them. */
export function orderRoutes(
  routes: readonly UpstreamRoute[],
  draw: DrawRoute,
  rank: RankRoute = rankByWeight,
): readonly UpstreamRoute[] {
  if (routes.length === 1) return routes;
  const ranked = routes.map((route) => ({
    route,
    rank: isAlone(route, routes) ? 0 : route.weight === 0 ? Number.POSITIVE_INFINITY : rank(route, draw),
  }));
  ranked.sort((a, b) => a.route.priority - b.route.priority || compare(a.rank, b.rank));
  return ranked.map(({ route }) => route);
}

/** Also of two infinite ones. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The smallest of -ln(u)/w belongs to each route with a probability that is proportional to its weight. */
function rankByWeight(route: UpstreamRoute, draw: DrawRoute): number {
  return -Math.log(Math.max(draw(route), Number.MIN_VALUE)) / route.weight;
}

/** What a strategy compares. */
export interface MeasuredRoutes {
  inFlight(routeId: string): number;
  /** Null if it was not measured lately. */
  latencyMs(routeId: string): number | null;
}

/** Conversations keep their route as long as it has no more calls than the others. */
export function rankByCalls(load: MeasuredRoutes): RankRoute {
  return (route, draw) => (load.inFlight(route.id) + draw(route)) / route.weight;
}

/** A route without a measurement gets one call to measure it. */
export function rankByLatency(load: MeasuredRoutes): RankRoute {
  return ({ id }) => load.latencyMs(id) ?? (load.inFlight(id) === 0 ? 0 : Number.MAX_VALUE);
}

/** The keys of a route, in an order that a conversation keeps. */
export function orderKeys(route: UpstreamRoute, draw: DrawRoute): readonly number[] {
  if (route.keys === undefined) return FIRST_KEY;
  const ranked = Array.from({ length: route.keys }, (_, key) => ({
    key,
    rank: draw({ ...route, hashKey: `${route.hashKey} key ${key}` }),
  }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ key }) => key);
}

const FIRST_KEY: readonly number[] = [0];

function isAlone({ priority }: UpstreamRoute, routes: readonly UpstreamRoute[]): boolean {
  let same = 0;
  for (const route of routes) if (route.priority === priority) same++;
  return same === 1;
}

/** The same draws for all calls with this key. The key is read once, when the first number is needed. */
export function drawByKey(key: () => string): DrawRoute {
  let digest: number | null = null;
  return ({ hashKey }) => {
    digest ??= hashText(key());
    return hashText(`${digest}\n${hashKey}`) / 2 ** 53;
  };
}
