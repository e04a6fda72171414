declare module 'virtual:admin-routes' {
  import type { AdminRoute } from '../../../gateway/src/contract/administration/admin-endpoint.ts';
  import type { OperationName } from '../../../gateway/src/contract/administration/admin-endpoints.ts';

  /** Made by `build/admin-routes.ts` from the contract. */
  export const adminRoutes: Readonly<Record<OperationName, AdminRoute>>;
}
