/**
 * Accepting an invitation. Its creator knows the code too, so accepting proves nothing about the address: someone new
 * becomes an unconfirmed person, and a person who exists must be signed in.
 */
import type { Database, Transaction } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { countedAttempt, secretSubjects, type Visitor } from './attempts.ts';
import { insertAuditLine } from './audit.store.ts';
import { findOpenInvitation, type OpenInvitation, takeInvitation } from './invitations.store.ts';
import { digestOfSecret, readPrefix } from './key-secret.ts';
import { lockAccess } from './keys.store.ts';
import { bindMember, insertMember, listMemberships, NO_RULES } from './members.store.ts';
import { type NewSession, openSession, type SignedIn } from './open-session.ts';
import { checkedPassword, hashPassword } from './passwords.ts';
import { findPerson, insertUnconfirmedPerson } from './people.store.ts';
import { checkSameSite } from './session-request.ts';
import type { Sessions } from './sessions.ts';
import { issuerLabels, type SignInSettings } from './sign-in-ways.ts';

export interface InvitationTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly ways: SignInSettings;
  readonly publicOrigin: string | null;
}

/** What someone sends who is new here. */
export interface Newcomer {
  readonly password?: string | undefined;
  readonly nickname?: string | undefined;
}

export type InvitationRequest = Parameters<Sessions['authenticate']>[0];

/** The session of the person who accepted; `token` only if it is new. */
export type AcceptedSession = SignedIn | NewSession;

export class Invitations {
  readonly #tools: InvitationTools;

  constructor(tools: InvitationTools) {
    this.#tools = tools;
  }

  /** What an invitation is for, and whether its person has to sign in to accept it. */
  async look(code: string, visitor: Visitor): Promise<OpenInvitation & { needsSignIn: boolean }> {
    const { db, ways } = this.#tools;
    return await this.#open(code, visitor, async (invitation) => {
      const needsSignIn = !ways.password || (await findPerson(db, invitation.email)) !== null;
      return { ...invitation, needsSignIn };
    });
  }

  async accept(
    given: Newcomer & { readonly code: string },
    visitor: Visitor,
    request: InvitationRequest,
  ): Promise<AcceptedSession> {
    return await this.#open(given.code, visitor, async (invitation) => {
      const person = await findPerson(this.#tools.db, invitation.email);
      return person === null
        ? await this.#acceptAsNewcomer(invitation, given, visitor)
        : await this.#acceptAs(person.id, invitation, request);
    });
  }

  /** A wrong code counts as a failed attempt to sign in. */
  async #open<T>(
    code: string,
    visitor: Visitor,
    work: (invitation: OpenInvitation) => Promise<T | null>,
  ): Promise<T> {
    const { db, clock, publicOrigin } = this.#tools;
    checkSameSite(visitor.headers, publicOrigin);
    const done = await whenAvailable(() =>
      countedAttempt({ db, clock }, secretSubjects(visitor), async () => {
        if (readPrefix(code) !== 'iv') return null;
        const invitation = await findOpenInvitation(db, digestOfSecret(code), clock.now());
        return invitation === null ? null : await work(invitation);
      }),
    );
    if (done !== null) return done;
    throw new Problem('invalid_credentials', {
      detail:
        'The invitation is invalid, was already accepted, was revoked or has expired. Ask for a new one.',
    });
  }

  /** Null if someone else was first. */
  async #acceptAsNewcomer(
    invitation: OpenInvitation,
    { password, nickname }: Newcomer,
    visitor: Visitor,
  ): Promise<NewSession | null> {
    const { db, clock, ways } = this.#tools;
    const { email } = invitation;
    if (!ways.password) {
      throw new Problem('sign_in_not_allowed', {
        detail: `Passwords are switched off on this server. Sign in with ${issuerLabels(ways)} as ${email}, which accepts the invitation.`,
      });
    }
    const passwordHash = await hashPassword(checkedPassword(password));
    const shown = nickname?.trim() || (email.split('@')[0] as string);
    const now = clock.now();
    return await db.transaction(async (tx) => {
      await lockAccess(tx);
      if (!(await takeInvitation(tx, invitation.id, now))) return null;
      const newcomer = { id: newId('per', now), email, nickname: shown, passwordHash, now };
      const personId = await insertUnconfirmedPerson(tx, newcomer);
      if (personId === null) throw notSignedIn(email);
      await joinSpace(tx, invitation, { personId, nickname: shown, actor: email, now });
      const userAgent = visitor.headers['user-agent'];
      return await openSession(tx, { personId, openedBy: 'password', userAgent, now });
    });
  }

  /** Null if someone else was first. */
  async #acceptAs(
    personId: string,
    invitation: OpenInvitation,
    request: InvitationRequest,
  ): Promise<SignedIn | null> {
    const { db, clock, sessions } = this.#tools;
    const { person } = await signedInPerson(sessions, invitation, request);
    if (person.id !== personId) {
      throw new Problem('sign_in_not_allowed', {
        detail: `The invitation is for ${invitation.email}, but you are signed in as ${person.email}. Sign in as ${invitation.email} to accept it.`,
      });
    }
    const now = clock.now();
    const accepted = await db.transaction(async (tx) => {
      await lockAccess(tx);
      if (!(await takeInvitation(tx, invitation.id, now))) return false;
      await joinSpace(tx, invitation, { personId, nickname: person.nickname, actor: person.email, now });
      return true;
    });
    // Again, with the new membership.
    return accepted ? await sessions.authenticate(request) : null;
  }
}

export interface Joining {
  readonly personId: string;
  readonly nickname: string;
  /** For the audit log. */
  readonly actor: string;
  readonly now: Instant;
}

/** Makes the person a member, or binds the membership that the address already has; its role stays. */
export async function joinSpace(
  tx: Transaction,
  { id: invitation, spaceId, email, role, createdBy }: OpenInvitation,
  { personId, nickname, actor, now }: Joining,
): Promise<void> {
  const memberships = await listMemberships(tx, email);
  const member = memberships.find((membership) => membership.spaceId === spaceId);
  const memberId = member?.id ?? newId('mem', now);
  if (member !== undefined) await bindMember(tx, memberId, personId);
  else {
    const added = { id: memberId, spaceId, email, nickname, role, rules: NO_RULES, createdAt: now };
    await insertMember(tx, { ...added, personId });
  }
  await insertAuditLine(tx, {
    at: now,
    actor,
    action: 'invitations.accept',
    spaceId,
    subject: email,
    before: member === undefined ? null : { id: memberId, role: member.role },
    after: { id: memberId, role: member?.role ?? role, invitation, invited_by: createdBy },
  });
}

async function signedInPerson(
  sessions: Sessions,
  { email }: OpenInvitation,
  request: InvitationRequest,
): Promise<SignedIn> {
  try {
    return await sessions.authenticate(request);
  } catch (error) {
    throw error instanceof Problem && error.code === 'missing_credentials' ? notSignedIn(email) : error;
  }
}

function notSignedIn(email: string): Problem {
  return new Problem('missing_credentials', {
    detail: `${email} already has an account here. Sign in, then accept the invitation.`,
  });
}
