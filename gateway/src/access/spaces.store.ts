/** Spaces: the tenants. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { type Rules, readRules, type StoredRules, storedRules } from './rules.store.ts';

export interface Space {
  readonly id: string;
  readonly name: string;
  readonly rules: Rules<'space'>;
  readonly createdAt: Instant;
}

/** The other rules of a new space are the initial ones. */
export interface NewSpace extends Omit<Space, 'rules'> {
  readonly overageAllowed: boolean;
  readonly keepsResponses: boolean;
}

/** A space needs an account before anything is charged: `ledger/open-space.ts` inserts both. */
export async function insertSpace(tx: Transaction, space: NewSpace): Promise<void> {
  await tx.query(sql`
    insert into spaces (id, name, overage_allowed, keep_responses, created_at)
    values (${space.id}, ${space.name}, ${space.overageAllowed}, ${space.keepsResponses},
      ${timestamp(space.createdAt)})`);
}

export async function listSpaces(db: Queryable): Promise<Space[]> {
  return await readSpaces(db, { id: null, name: null });
}

export async function findSpace(db: Queryable, name: string): Promise<Space | null> {
  const [space] = await readSpaces(db, { id: null, name });
  return space ?? null;
}

export async function findSpaceById(db: Queryable, id: string): Promise<Space | null> {
  const [space] = await readSpaces(db, { id, name: null });
  return space ?? null;
}

async function readSpaces(db: Queryable, of: { id: string | null; name: string | null }): Promise<Space[]> {
  const rows = await db.query<Omit<Space, 'rules'> & { rules: StoredRules }>(sql`
    select s.id, s.name, ${storedRules('space', 's')} as rules, s.created_at as "createdAt"
    from spaces s where (${of.id}::text is null or s.id = ${of.id}) and (${of.name}::text is null or s.name = ${of.name})
    order by s.id`);
  return rows.map((row) => ({ ...row, rules: readRules('space', row.rules) }));
}

/** The names that a space has given to models. */
export async function readAliases(db: Queryable, spaceId: string): Promise<Readonly<Record<string, string>>> {
  const [row] = await db.query<{ aliases: Record<string, string> }>(sql`
    select aliases from spaces where id = ${spaceId}`);
  return row?.aliases ?? {};
}

/** Null removes the name. */
export async function updateAlias(
  tx: Transaction,
  spaceId: string,
  { name, model }: { name: string; model: string | null },
): Promise<void> {
  await tx.query(sql`
    update spaces set aliases = case when ${model}::text is null then aliases - ${name}::text
      else aliases || jsonb_build_object(${name}::text, ${model}::text) end
    where id = ${spaceId}`);
}
