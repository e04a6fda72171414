/** Reads one kept response for its owner, with what is recorded of its call. */
import type { OwnerScope } from '../access/principal.ts';
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { parseUnits, type Units } from '../kernel/units.ts';
import { type KeptState, type KeptTurn, mediaOf } from './kept-responses.store.ts';

export interface StoredResponse extends KeptTurn, RecordedCall {
  /** Null for a response that was kept before heads were. */
  readonly head: string | null;
  readonly expiresAt: Instant;
  /** Null: unknown, which is not zero. */
  readonly cost: Units | null;
}

/** The fields of the call. Null if it is not recorded. */
export interface RecordedCall {
  readonly model: string | null;
  readonly startedAt: Instant | null;
  readonly inputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly outputTokens: number | null;
  readonly reasoningTokens: number | null;
}

/** `list` is the side whose items are read; the other one is empty. */
export async function findStoredResponse(
  db: Queryable,
  of: { id: string; callId: string; list: 'input' | 'output' },
  at: OwnerScope & { now: Instant },
): Promise<StoredResponse | null> {
  const [row] = await db.query<Omit<StoredResponse, 'cost'> & { cost: string | null }>(sql`
    select r.id, r.previous_id as "previousId", r.head, r.state, r.expires_at as "expiresAt",
      case when ${of.list} = 'input' then r.input else '[]' end as input,
      case when ${of.list} = 'output' then r.output else '[]' end as output,
      ${mediaOf(sql`r.id`, of.list)} as media,
      c.model, c.started_at as "startedAt", c.cost, c.input_tokens as "inputTokens",
      c.cached_input_tokens as "cachedInputTokens", c.cache_write_tokens as "cacheWriteTokens",
      c.output_tokens as "outputTokens", c.reasoning_tokens as "reasoningTokens"
    from kept_responses r left join calls c on c.id = ${of.callId}
    where r.id = ${of.id} and r.space_id = ${at.spaceId} and r.owner = ${at.owner}
      and r.expires_at > ${timestamp(at.now)}`);
  return row === undefined ? null : { ...row, cost: row.cost === null ? null : parseUnits(row.cost) };
}

/** Undefined if it is not kept in this scope. */
export async function findState(
  db: Queryable,
  id: string,
  at: OwnerScope & { now: Instant },
): Promise<KeptState | undefined> {
  const [row] = await db.query<{ state: KeptState }>(sql`
    select state from kept_responses where id = ${id} and space_id = ${at.spaceId} and owner = ${at.owner}
      and expires_at > ${timestamp(at.now)}`);
  return row?.state;
}
