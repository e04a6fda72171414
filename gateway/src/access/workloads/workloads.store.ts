/** The rules that say which workloads act as which key, and finding the key of a workload by them. */
import { type Queryable, type Transaction, timestamp } from '../../database/database.ts';
import { CALL_ANSWER_MS } from '../../database/deadlines.ts';
import { ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, json, sql } from '../../database/sql.ts';
import type { Instant } from '../../kernel/time.ts';
import { type PrincipalRow, principalFields, readPrincipal } from '../keys.store.ts';
import type { Principal } from '../principal.ts';
import { hasClaims, patternsOf, type RuleClaims } from './subject-pattern.ts';
import type { CallingWorkload } from './workload-tokens.ts';

export interface WorkloadRule {
  readonly id: string;
  readonly spaceId: string;
  readonly keyId: string;
  readonly issuer: string;
  /** Exact, or with `*` at the end. */
  readonly subject: string;
  readonly claims: RuleClaims;
  readonly createdBy: string;
  readonly createdAt: Instant;
}

export interface ListedWorkloadRule extends WorkloadRule {
  /** The name of the key. */
  readonly key: string;
}

const fields = sql`
  w.id, w.space_id as "spaceId", w.key_id as "keyId", k.name as key, w.issuer, w.subject, w.claims,
    w.created_by as "createdBy", w.created_at as "createdAt"`;

/** A rule of a revoked key counts for nothing. */
const living = sql`workloads w join keys k on k.id = w.key_id and k.revoked_at is null`;

/**
 * The key of a workload: of the rule that covers the fewest subjects, and of several of these, the one that asks for the most
 * claims, then the oldest. `management`: of the keys for the platform API, otherwise of those for calls.
 */
export async function findWorkloadPrincipal(
  db: Queryable,
  { issuer, subject, claims }: CallingWorkload,
  { management }: { management: boolean },
): Promise<Principal | null> {
  const statement = sql`
    select w.id, w.claims, k.expires_at as "expiresAt", ${principalFields}
    from ${living} join spaces s on s.id = k.space_id left join members m on m.id = k.member_id
    where w.issuer = ${issuer} and w.subject = any(${patternsOf(subject)}::text[])
      and (k.kind = 'management') = ${management} and k.member_id is null
    order by (w.subject = ${subject}) desc, length(w.subject) desc, (select count(*) from jsonb_object_keys(w.claims)) desc, w.id`;
  const rows = await db.query<PrincipalRow & { id: string; claims: RuleClaims }>({
    ...statement,
    timeoutMs: CALL_ANSWER_MS,
  });
  const row = rows.find((one) => hasClaims(claims, one.claims));
  if (row === undefined) return null;
  const { id, claims: _, ...principal } = row;
  return readPrincipal(principal, id);
}

const byId = new ListOrder('workloads', ['text']);

export async function readWorkloadPage(
  db: Queryable,
  of: { spaceId: string; keyId: string | null } & PageRequest,
): Promise<Page<ListedWorkloadRule>> {
  const conditions = [sql`w.space_id = ${of.spaceId}`];
  if (of.keyId !== null) conditions.push(sql`w.key_id = ${of.keyId}`);
  const position = byId.position(of.after);
  if (position !== null) conditions.push(sql`w.id > ${position[0]}`);
  const rows = await db.query<ListedWorkloadRule>(sql`
    select ${fields} from ${living} where ${allOf(conditions)} order by w.id limit ${of.limit + 1}`);
  return byId.page(rows, of.limit, ({ id }) => [id]);
}

export async function findWorkloadRule(
  db: Queryable,
  of: { spaceId: string; id: string },
): Promise<ListedWorkloadRule | null> {
  const [found] = await db.query<ListedWorkloadRule>(sql`
    select ${fields} from ${living} where w.space_id = ${of.spaceId} and w.id = ${of.id}`);
  return found ?? null;
}

/** The rules of the space for the subject, whatever claims they ask for. */
export async function listRulesFor(
  db: Queryable,
  of: { spaceId: string; issuer: string; subject: string },
): Promise<Array<ListedWorkloadRule & { kind: string }>> {
  return await db.query(sql`
    select ${fields}, k.kind from ${living}
    where w.space_id = ${of.spaceId} and w.issuer = ${of.issuer} and w.subject = ${of.subject}`);
}

/** A rule of the space for subjects that the pattern covers; null: there is none. */
export async function findRuleWithin(
  db: Queryable,
  of: { spaceId: string; issuer: string; subjects: string },
): Promise<ListedWorkloadRule | null> {
  const [found] = await db.query<ListedWorkloadRule>(sql`
    select ${fields} from ${living} where w.space_id = ${of.spaceId} and w.issuer = ${of.issuer}
      and (w.subject = ${of.subjects} or
        (${of.subjects.endsWith('*')} and starts_with(w.subject, ${of.subjects.replace(/\*$/, '')})))
    order by w.id limit 1`);
  return found ?? null;
}

export async function countRules(db: Queryable, spaceId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from ${living} where w.space_id = ${spaceId}`);
  return row?.count ?? 0;
}

export async function insertWorkloadRule(tx: Transaction, rule: WorkloadRule): Promise<void> {
  await tx.query(sql`
    insert into workloads (id, space_id, key_id, issuer, subject, claims, created_by, created_at)
    values (${rule.id}, ${rule.spaceId}, ${rule.keyId}, ${rule.issuer}, ${rule.subject}, ${json(rule.claims)},
      ${rule.createdBy}, ${timestamp(rule.createdAt)})`);
}

export async function deleteWorkloadRule(tx: Transaction, id: string): Promise<void> {
  await tx.query(sql`delete from workloads where id = ${id}`);
}
