/** Finds ids in filters that name nothing the reader may see: without this, a mistyped id would look like no usage. */
import type { Queryable } from '../../database/database.ts';
import { type Sql, sql } from '../../database/sql.ts';

export interface NamedIds {
  readonly project_ids?: readonly string[];
  readonly user_ids?: readonly string[];
  readonly api_key_ids?: readonly string[];
}

/** The first id that is unknown; null: all are known. `spaceIds`: what the reader may see; null: everything. */
export async function findUnknownId(
  db: Queryable,
  { project_ids: spaces = [], user_ids: members = [], api_key_ids: keys = [] }: NamedIds,
  spaceIds: readonly string[] | null,
): Promise<{ param: string; id: string } | null> {
  if (spaces.length + members.length + keys.length === 0) return null;
  const missing = (param: string, ids: readonly string[], rows: Sql, space: Sql): Sql => sql`
    select ${param}::text as param, id from unnest(${ids}::text[]) as asked (id)
    where not exists (select from ${rows} where t.id = asked.id
      and (${spaceIds === null} or ${space} = any (${spaceIds ?? []}::text[])))`;
  const [unknown] = await db.query<{ param: string; id: string }>(sql`
    ${missing('project_ids', spaces, sql`spaces t`, sql`t.id`)}
    union all ${missing('user_ids', members, sql`members t`, sql`t.space_id`)}
    union all ${missing('api_key_ids', keys, sql`keys t`, sql`t.space_id`)}
    limit 1`);
  return unknown ?? null;
}
