/** A route as one call tries it. Its request is written when it is first tried, because most calls need one route only. */
import type { UpstreamRoute } from '../catalog/model.ts';
import { randomFraction } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Provider, ProviderApi } from '../providers/provider.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { drawByKey, orderRoutes } from './choose-route.ts';
import type { RouteHealth } from './route-health.ts';
import type { CallUpstream, PreparedRequest } from './upstream-request.ts';

export class RouteTarget<Api extends ProviderApi = ProviderApi> {
  readonly route: UpstreamRoute;
  readonly provider: Provider;
  readonly caller: string;
  readonly #request: Pick<CallUpstream<Api>, 'prepare'>;
  #prepared: PreparedRequest<Api> | Problem | null = null;

  constructor(
    request: Pick<CallUpstream<Api>, 'prepare' | 'caller'>,
    route: UpstreamRoute,
    provider: Provider,
  ) {
    this.#request = request;
    this.caller = request.caller;
    this.route = route;
    this.provider = provider;
  }

  /** A Problem if the route cannot serve the call. */
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

/** The routes of a model in the order to try them. */
export function targetsOf<Api extends ProviderApi>(
  request: Pick<CallUpstream<Api>, 'prepare' | 'caller' | 'conversation' | 'model'>,
  providers: Pick<ProviderRegistry, 'get'>,
): Array<RouteTarget<Api>> {
  const { conversation, caller, model } = request;
  const draw = conversation === undefined ? randomFraction : drawByKey(() => `${caller}\n${conversation()}`);
  return orderRoutes(model.routes, draw).map(
    (route) => new RouteTarget(request, route, providers.get(route.provider)),
  );
}
