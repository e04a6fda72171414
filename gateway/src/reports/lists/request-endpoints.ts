/** The names of endpoints in the list of requests. A recorded call and a rejected request name theirs differently. */
import { modelKinds } from '../../contract/paid-endpoints.ts';

const kindOfRoute: ReadonlyMap<string, string> = new Map(
  Object.entries(modelKinds).flatMap(([kind, { endpoints }]) =>
    Object.keys(endpoints).map((name) => [name, kind]),
  ),
);

/** The names under which rejected requests of an endpoint are stored. */
export function routesOf(endpoint: string): readonly string[] {
  return [endpoint, ...[...kindOfRoute].flatMap(([name, kind]) => (kind === endpoint ? [name] : []))];
}

/** The name that is shown: that of calls where there is one. */
export function shownRequestEndpoint(stored: string): string {
  return kindOfRoute.get(stored) ?? stored;
}
