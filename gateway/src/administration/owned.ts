/** Whose things a list shows: a member sees their own, an administrator may choose a member. */
import type { Space } from '../access/spaces.store.ts';
import type { Queryable } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import type { Own } from './authorize.ts';
import { memberNamed } from './named-records.ts';

/** The id of the member whose things are listed; null: all of the space. */
export async function listedMember(
  db: Queryable,
  { space, own }: { space: Space; own: Own | null },
  email: string | undefined,
): Promise<string | null> {
  if (own === null) return email === undefined ? null : (await memberNamed(db, space, email)).id;
  if (email === undefined || email.toLowerCase() === own.email.toLowerCase()) return own.memberId;
  throw new Problem('permission_denied', {
    detail: `Only an administrator of ${space.name} can list the things of others: leave out email.`,
    param: 'email',
  });
}
