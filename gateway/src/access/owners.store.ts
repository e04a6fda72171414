/** Who answers for a token or an invitation: a person by their e-mail address, or a shell. */
import { type Sql, sql } from '../database/sql.ts';
import { belongsTo } from './members.store.ts';

/**
 * Whether the owner may administer the space now; `spaceId` null: the installation. A name that no person has is that of a
 * shell, whose rights do not end. Tokens own nothing.
 */
export function mayAdminister(owner: Sql, spaceId: Sql): Sql {
  return sql`(${owner} not like 'token:%' and not exists (
    select 1 from people p where lower(p.email) = lower(${owner}) and not p.is_operator and not exists (
      select 1 from members m
      where m.space_id = ${spaceId} and m.role = 'admin' and m.removed_at is null and ${belongsTo})))`;
}
