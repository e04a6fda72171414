/** A route, and a key of its provider, as one call tries them. */
import type { UpstreamRoute } from '../catalog/model.ts';
import { randomFraction } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Provider, ProviderApi } from '../providers/provider.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import {
  drawByKey,
  orderKeys,
  orderRoutes,
  type RankRoute,
  rankByCalls,
  rankByLatency,
} from './choose-route.ts';
import type { RouteHealth } from './route-health.ts';
import type { RouteLoad } from './route-load.ts';
import type { RouteRests } from './route-rests.ts';
import type { CallUpstream, PreparedRequest } from './upstream-request.ts';

export class RouteTarget<Api extends ProviderApi = ProviderApi> {
  readonly route: UpstreamRoute;
  /** The number of the key, from 0. */
  readonly key: number;
  readonly provider: Provider;
  readonly caller: string;
  /** By `elapsedMs`: the provider asked to wait until then. */
  notBeforeMs = 0;
  readonly #request: Pick<CallUpstream<Api>, 'prepare'>;
  #prepared: PreparedRequest<Api> | Problem | null = null;

  constructor(
    request: Pick<CallUpstream<Api>, 'prepare' | 'caller'>,
    at: { route: UpstreamRoute; key: number; provider: Provider },
  ) {
    this.#request = request;
    this.caller = request.caller;
    this.route = at.route;
    this.key = at.key;
    this.provider = at.provider;
  }

  /** What rests if the provider says that a limit is reached. */
  get restId(): string {
    return this.route.keys === undefined ? this.route.id : `${this.route.id} ${this.key}`;
  }

  /**
   * A Problem if the route cannot serve the call. Written when it is first tried, because most calls need one route
   * only.
   */
  prepare(): PreparedRequest<Api> | Problem {
    this.#prepared ??= this.#request.prepare(this.route, this.provider);
    return this.#prepared;
  }

  /** Null if it is ready. Otherwise the route is not tried, which says nothing about its health. */
  async makeReady(health: RouteHealth): Promise<Problem | null> {
    const prepared = this.prepare();
    if (prepared instanceof Problem || prepared.ready === undefined) return null;
    let unready: Problem | null = null;
    let made = false;
    try {
      unready = await prepared.ready();
      made = unready === null;
    } finally {
      if (!made) health.undecided(this.route.id, this.caller);
    }
    return unready;
  }
}

interface TargetTools {
  readonly providers: Pick<ProviderRegistry, 'get'>;
  readonly load: RouteLoad;
  readonly rests: RouteRests;
}

/** The routes of a model in the order to try them; those that rest come last. */
export function targetsOf<Api extends ProviderApi>(
  request: Pick<CallUpstream<Api>, 'prepare' | 'caller' | 'conversation' | 'model'>,
  { providers, load, rests }: TargetTools,
): Array<RouteTarget<Api>> {
  const { conversation, caller, model } = request;
  const draw = conversation === undefined ? randomFraction : drawByKey(() => `${caller}\n${conversation()}`);
  const targets: Array<RouteTarget<Api>> = [];
  for (const route of orderRoutes(model.routes, draw, rankOf(model.strategy, load))) {
    for (const key of orderKeys(route, draw)) {
      const provider = providers.get(route.provider, key);
      targets.push(new RouteTarget(request, { route, key, provider }));
    }
  }
  if (targets.length === 1 || !rests.any) return targets;
  const resting = targets.filter(({ restId }) => rests.isResting(restId));
  return resting.length === 0 ? targets : [...targets.filter((it) => !resting.includes(it)), ...resting];
}

/** Undefined: by weight. */
function rankOf(strategy: string | undefined, load: RouteLoad): RankRoute | undefined {
  if (strategy === undefined || strategy === 'sticky') return undefined;
  return strategy === 'least_busy' ? rankByCalls(load) : rankByLatency(load);
}
