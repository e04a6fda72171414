/** The rights that the groups of a person give them. Pure. */
import type { Role } from '../members.store.ts';
import type { IssuerSettings } from './issuer-settings.ts';

export interface GroupRights {
  readonly isOperator: boolean;
  /** By the name of the space. */
  readonly spaces: ReadonlyMap<string, Role>;
}

/** If several groups lead to the same space, the higher role counts. */
export function mapGroups(groups: ReadonlySet<string>, settings: IssuerSettings): GroupRights {
  const spaces = new Map<string, Role>();
  for (const { group, space, role } of settings.spaces) {
    if (groups.has(group) && spaces.get(space) !== 'admin') spaces.set(space, role);
  }
  return { isOperator: settings.operators.some((group) => groups.has(group)), spaces };
}
