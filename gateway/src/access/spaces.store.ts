/** Spaces: the tenants. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import type { Rate } from './principal.ts';

export interface Space {
  readonly id: string;
  readonly name: string;
  readonly overageAllowed: boolean;
  readonly keepsResponses: boolean;
  /** Whether its calls may ask for something that has no price. */
  readonly unpricedAllowed: boolean;
  /** Set by an operator. */
  readonly blocked: boolean;
  /** For all its keys together; null: unlimited. */
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly createdAt: Instant;
}

/** A new space has no limits. */
export type NewSpace = Omit<Space, 'blocked' | 'unpricedAllowed' | 'requestsPerMinute' | 'tokensPerMinute'>;

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
  return await db.query<Space>(sql`
    select id, name, overage_allowed as "overageAllowed", keep_responses as "keepsResponses",
      unpriced_allowed as "unpricedAllowed",
      blocked_at is not null as blocked, requests_per_minute as "requestsPerMinute",
      tokens_per_minute as "tokensPerMinute", created_at as "createdAt"
    from spaces where (${of.id}::text is null or id = ${of.id}) and (${of.name}::text is null or name = ${of.name})
    order by id`);
}

export async function updateOverage(db: Queryable, spaceId: string, allowed: boolean): Promise<void> {
  await db.query(sql`update spaces set overage_allowed = ${allowed} where id = ${spaceId}`);
}

export async function updateKeepsResponses(db: Queryable, spaceId: string, keeps: boolean): Promise<void> {
  await db.query(sql`update spaces set keep_responses = ${keeps} where id = ${spaceId}`);
}

export async function updateUnpriced(db: Queryable, spaceId: string, allowed: boolean): Promise<void> {
  await db.query(sql`update spaces set unpriced_allowed = ${allowed} where id = ${spaceId}`);
}

/** Null unblocks the space. */
export async function updateBlocked(db: Queryable, spaceId: string, at: Instant | null): Promise<void> {
  const since = at === null ? null : timestamp(at);
  await db.query(sql`update spaces set blocked_at = ${since} where id = ${spaceId}`);
}

/** For all keys of the space together. Null removes a limit; a limit that is left out stays. */
export async function rateSpace(db: Queryable, id: string, rate: Partial<Rate>): Promise<void> {
  const { requestsPerMinute: requests, tokensPerMinute: tokens } = rate;
  await db.query(sql`
    update spaces set
      requests_per_minute = case when ${requests === undefined} then requests_per_minute else ${requests ?? null}::integer end,
      tokens_per_minute = case when ${tokens === undefined} then tokens_per_minute else ${tokens ?? null}::integer end
    where id = ${id}`);
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
