/** How a space pays, for metrics. */
import { findSpaceById } from '../access/spaces.store.ts';
import type { Queryable } from '../database/database.ts';
import type { SpaceClass } from '../telemetry/call-meter.ts';

/** `prepaid`: it may spend only what it holds. */
export function spaceClass(of: { readonly overageAllowed: boolean; readonly blocked: boolean }): SpaceClass {
  return of.overageAllowed && !of.blocked ? 'postpaid' : 'prepaid';
}

export async function readSpaceClass(db: Queryable, spaceId: string): Promise<SpaceClass> {
  const space = await findSpaceById(db, spaceId);
  if (space === null) return 'prepaid';
  const { overage_allowed: overageAllowed, blocked } = space.rules;
  return spaceClass({ overageAllowed, blocked });
}
