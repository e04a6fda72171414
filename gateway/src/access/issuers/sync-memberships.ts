/**
 * Gives a person the memberships that their groups at an issuer stand for, and removes those that the same issuer gave
 * and that no group stands for now. Memberships made by hand or by another issuer stay as they are.
 */
import type { Transaction } from '../../database/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Instant } from '../../kernel/time.ts';
import { insertAuditLine } from '../audit.store.ts';
import {
  changeRole,
  findFormerRules,
  type HeldMembership,
  insertMember,
  listMemberships,
  NO_RULES,
  type Role,
  removeMember,
} from '../members.store.ts';
import { findSpace } from '../spaces.store.ts';
import type { ClaimedPerson } from './read-claims.ts';

export interface MembershipSync {
  /** The name of the issuer. */
  readonly issuer: string;
  readonly claimed: ClaimedPerson;
  /** The roles that the groups give, by the name of the space. */
  readonly wanted: ReadonlyMap<string, Role>;
  readonly now: Instant;
}

/** Whether the address is a member of any space afterwards. */
export async function syncMemberships(tx: Transaction, sync: MembershipSync): Promise<boolean> {
  const held = await listMemberships(tx, sync.claimed.email);
  const wanted = await findSpaces(tx, sync.wanted);
  const gone = held.filter(({ issuer, spaceId }) => issuer === sync.issuer && !wanted.has(spaceId));
  for (const membership of gone) await remove(tx, membership, sync);
  for (const [spaceId, role] of wanted) {
    const existing = held.find((membership) => membership.spaceId === spaceId);
    if (existing === undefined) await add(tx, { spaceId, role }, sync);
    else if (existing.issuer === sync.issuer && existing.role !== role)
      await change(tx, existing, role, sync);
  }
  return wanted.size > 0 || held.length > gone.length;
}

/** A space that does not exist yet is skipped: its members join when they sign in after it was created. */
async function findSpaces(tx: Transaction, roles: ReadonlyMap<string, Role>): Promise<Map<string, Role>> {
  const found = new Map<string, Role>();
  for (const [name, role] of roles) {
    const space = await findSpace(tx, name);
    if (space !== null) found.set(space.id, role);
  }
  return found;
}

async function add(
  tx: Transaction,
  { spaceId, role }: { spaceId: string; role: Role },
  { issuer, claimed: { email, nickname }, now }: MembershipSync,
): Promise<void> {
  // Someone who leaves a group and comes back does not lose the rules that an administrator set.
  const rules = (await findFormerRules(tx, { spaceId, email })) ?? NO_RULES;
  const member = { id: newId('mem', now), spaceId, email, nickname, role, rules, createdAt: now };
  await insertMember(tx, { ...member, issuer });
  const line = { at: now, actor: issuerActor(issuer), action: 'members.add', spaceId, subject: email };
  await insertAuditLine(tx, { ...line, before: null, after: { email, nickname, role, id: member.id } });
}

async function change(
  tx: Transaction,
  { id, spaceId, email, role: before }: HeldMembership,
  role: Role,
  { issuer, now }: MembershipSync,
): Promise<void> {
  await changeRole(tx, id, role);
  const line = { at: now, actor: issuerActor(issuer), action: 'members.role', spaceId, subject: email };
  await insertAuditLine(tx, { ...line, before: { role: before }, after: { role } });
}

async function remove(
  tx: Transaction,
  { id, spaceId, email, role }: HeldMembership,
  { issuer, now }: MembershipSync,
): Promise<void> {
  await removeMember(tx, id, now);
  const line = { at: now, actor: issuerActor(issuer), action: 'members.remove', spaceId, subject: email };
  await insertAuditLine(tx, { ...line, before: { email, role, id }, after: null });
}

/** The actor of changes by an issuer, in the audit log. */
export function issuerActor(issuer: string): string {
  return `oidc:${issuer}`;
}
