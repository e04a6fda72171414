/**
 * The operations of administration as the console calls them: method, path and the names of their query. The contract
 * says much more of each, which would be a third of the first page.
 */
import type { Plugin } from 'vite';
import { type AdminRoute, routeOf } from '../../gateway/src/contract/administration/admin-endpoint.ts';
import { adminEndpoints } from '../../gateway/src/contract/administration/admin-endpoints.ts';

const ID = 'virtual:admin-routes';

export function adminRoutesPlugin(): Plugin {
  return {
    name: 'admin-routes',
    resolveId: (id) => (id === ID ? `\0${ID}` : null),
    load: (id) => (id === `\0${ID}` ? `export const adminRoutes = ${JSON.stringify(routes())};` : null),
  };
}

function routes(): Record<string, AdminRoute> {
  return Object.fromEntries(
    Object.entries(adminEndpoints).map(([name, endpoint]) => [name, routeOf(endpoint)]),
  );
}
