/**
 * Which ids of projects a space has: those that an operator gave it, and those of its projects, also of removed ones. No two
 * spaces have ids that overlap, because an id decides whose pods are read.
 */
import { OWN_PROJECT, type projectIdStates } from '../contract/administration/words.ts';
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { ListOrder, type Page, type PageRequest } from '../database/page.ts';
import { allOf, sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export interface HeldIds {
  /** An id, or a prefix that ends with `-*`. */
  readonly ids: string;
  readonly state: (typeof projectIdStates)[number];
  readonly since: Instant;
}

const held = sql`
  select coalesce(p.id, g.ids) as ids, coalesce(p.space_id, g.space_id) as space_id,
    case when p.id is null then 'given' when p.removed_at is null then 'used' else 'removed' end as state,
    coalesce(g.created_at, p.created_at) as since
  from (select * from projects where id <> ${OWN_PROJECT}) p full join project_ids g on g.ids = p.id`;

const inOrder = new ListOrder('project ids', ['text']);

export async function readIdPage(
  db: Queryable,
  of: { spaceId: string } & PageRequest,
): Promise<Page<HeldIds>> {
  const conditions = [sql`h.space_id = ${of.spaceId}`];
  const position = inOrder.position(of.after);
  if (position !== null) conditions.push(sql`h.ids > ${position[0]}`);
  const rows = await db.query<HeldIds>(sql`
    select h.ids, h.state, h.since from (${held}) h where ${allOf(conditions)}
    order by h.ids limit ${of.limit + 1}`);
  return inOrder.page(rows, of.limit, ({ ids }) => [ids]);
}

export async function findHeldIds(
  db: Queryable,
  of: { spaceId: string; ids: string },
): Promise<HeldIds | null> {
  const [found] = await db.query<HeldIds>(sql`
    select h.ids, h.state, h.since from (${held}) h where h.space_id = ${of.spaceId} and h.ids = ${of.ids}`);
  return found ?? null;
}

/** Whether an operator gave the id to the space, or a project of the space had it. */
export async function hasId(db: Queryable, of: { spaceId: string; id: string }): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 as one from (${held}) h where h.space_id = ${of.spaceId}
      and (h.ids = ${of.id} or (h.ids like '%*' and starts_with(${of.id}, rtrim(h.ids, '*')))) limit 1`);
  return rows.length > 0;
}

/** What operators gave the space: at most `limit`. */
export async function listGivenIds(db: Queryable, spaceId: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ ids: string }>(sql`
    select ids from project_ids where space_id = ${spaceId} order by ids limit ${limit}`);
  return rows.map(({ ids }) => ids);
}

/** Ids of another space that are the same, or of which one covers the other; null: there are none. */
export async function findOverlap(
  db: Queryable,
  { spaceId, ids }: { spaceId: string; ids: string },
): Promise<{ ids: string; space: string } | null> {
  const start = ids.replace(/\*$/, '');
  const [found] = await db.query<{ ids: string; space: string }>(sql`
    select h.ids, s.name as space from (${held}) h join spaces s on s.id = h.space_id
    where h.space_id <> ${spaceId} and (h.ids = ${ids}
      or (h.ids like '%*' and starts_with(${start}, rtrim(h.ids, '*')))
      or (${start !== ids} and starts_with(rtrim(h.ids, '*'), ${start})))
    order by h.ids limit 1`);
  return found ?? null;
}

export async function insertIds(
  tx: Transaction,
  given: { ids: string; spaceId: string; at: Instant },
): Promise<void> {
  await tx.query(sql`
    insert into project_ids (ids, space_id, created_at)
    values (${given.ids}, ${given.spaceId}, ${timestamp(given.at)})`);
}

export async function deleteIds(tx: Transaction, of: { spaceId: string; ids: string }): Promise<void> {
  await tx.query(sql`delete from project_ids where ids = ${of.ids} and space_id = ${of.spaceId}`);
}
