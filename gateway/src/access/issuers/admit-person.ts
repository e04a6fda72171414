/** Lets a person in whom an issuer vouches for: their memberships, their operator rights, their session. */
import type { Transaction } from '../../database/database.ts';
import { newId } from '../../kernel/ids.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Instant } from '../../kernel/time.ts';
import { joinSpace } from '../accept-invitation.ts';
import { insertAuditLine } from '../audit.store.ts';
import { endLostRights } from '../end-rights.ts';
import { findInvitationsFor, type OpenInvitation, takeInvitation } from '../invitations.store.ts';
import { lockAccess } from '../keys.store.ts';
import { type NewSession, openSession } from '../open-session.ts';
import {
  confirmPerson,
  ensurePerson,
  findPerson,
  type PersonRecord,
  updateOperator,
} from '../people.store.ts';
import { findSubject, keepIdentity } from './identities.store.ts';
import type { IssuerSettings } from './issuer-settings.ts';
import { mapGroups } from './map-groups.ts';
import type { ClaimedPerson } from './read-claims.ts';
import { issuerActor, syncMemberships } from './sync-memberships.ts';

export interface IssuerAdmission {
  readonly settings: IssuerSettings;
  readonly claimed: ClaimedPerson;
  readonly userAgent: string | undefined;
  readonly now: Instant;
}

/** Null if the person has no access to anything. Rights that ended are removed all the same. */
export async function admitPerson(tx: Transaction, admission: IssuerAdmission): Promise<NewSession | null> {
  const { settings, claimed, userAgent, now } = admission;
  const { name, issuer } = settings;
  await lockAccess(tx);
  const known = await findPerson(tx, claimed.email);
  if (known !== null) await checkSubject(tx, known, admission);
  const { isOperator, spaces } = mapGroups(claimed.groups, settings);
  const isMember = await syncMemberships(tx, { issuer: name, claimed, wanted: spaces, now });
  const { email, nickname, subject } = claimed;
  const invitations = isMember || isOperator ? [] : await findInvitationsFor(tx, email, now);
  if (known === null && !isMember && !isOperator && invitations.length === 0) return null;
  const person = known ?? (await ensurePerson(tx, { id: newId('per', now), email, nickname, now }));
  await confirm(tx, person, admission);
  // Without access nobody could accept an invitation, and the issuer vouches that it is theirs.
  for (const invitation of invitations) await acceptFor(tx, person, invitation, admission);
  await syncOperator(tx, person, isOperator, admission);
  await endRights(tx, person, admission);
  await keepIdentity(tx, { personId: person.id, issuer, subject }, now);
  return await openSession(tx, { personId: person.id, openedBy: `issuer:${name}`, userAgent, now });
}

/** An address can be given to someone else at the issuer, who must not get the rights of the first owner. */
async function checkSubject(
  tx: Transaction,
  person: PersonRecord,
  { settings, claimed }: IssuerAdmission,
): Promise<void> {
  const subject = await findSubject(tx, { personId: person.id, issuer: settings.issuer });
  if (subject === null || subject === claimed.subject) return;
  throw new Problem('sign_in_not_allowed', {
    detail:
      `Another account of ${settings.label} has signed in as ${person.email} before. ` +
      'Ask your operator for a sign-in link, which lets your account in.',
  });
}

async function acceptFor(
  tx: Transaction,
  { id: personId, nickname }: PersonRecord,
  invitation: OpenInvitation,
  { settings: { name }, now }: IssuerAdmission,
): Promise<void> {
  await takeInvitation(tx, invitation.id, now);
  await joinSpace(tx, invitation, { personId, nickname, actor: issuerActor(name), now });
}

/** The issuer vouches for the address, so a password that someone chose without proving to own it ends. */
async function confirm(
  tx: Transaction,
  { id, email, passwordHash }: PersonRecord,
  { settings: { name }, now }: IssuerAdmission,
): Promise<void> {
  if (!(await confirmPerson(tx, id, now))) return;
  const line = { at: now, actor: issuerActor(name), action: 'people.confirm', spaceId: null, subject: email };
  const before = { confirmed: false, password: passwordHash === null ? 'none' : 'set' };
  await insertAuditLine(tx, { ...line, before, after: { confirmed: true, password: 'none' } });
}

/** What the person made with rights that ended here: tokens and open invitations. */
async function endRights(
  tx: Transaction,
  { email }: PersonRecord,
  { settings: { name }, now }: IssuerAdmission,
): Promise<void> {
  const { tokensEnded, invitationsRevoked } = await endLostRights(tx, { email, keptBy: null, now });
  const line = { at: now, actor: issuerActor(name), after: { revoked: true } };
  for (const { name: subject, spaceId, access } of tokensEnded) {
    const action = spaceId === null ? 'operatorTokens.revoke' : 'tokens.revoke';
    await insertAuditLine(tx, { ...line, action, spaceId, subject, before: { access } });
  }
  for (const { email: subject, spaceId } of invitationsRevoked)
    await insertAuditLine(tx, { ...line, action: 'invitations.revoke', spaceId, subject, before: null });
}

/** Rights that an operator gave, or another issuer, stay. */
async function syncOperator(
  tx: Transaction,
  person: PersonRecord,
  isOperator: boolean,
  { settings: { name }, now }: IssuerAdmission,
): Promise<void> {
  const removes = person.isOperator && !isOperator && person.operatorIssuer === name;
  const adds = isOperator && !person.isOperator;
  if (!removes && !adds) return;
  await updateOperator(tx, person.id, { isOperator, issuer: isOperator ? name : null, now });
  const action = isOperator ? 'operators.add' : 'operators.remove';
  const line = { at: now, actor: issuerActor(name), action, spaceId: null, subject: person.email };
  await insertAuditLine(tx, { ...line, before: { operator: !isOperator }, after: { operator: isOperator } });
}
