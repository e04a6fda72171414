/**
 * The first operator of an installation: a person who starts it on a terminal gets a link, with which they choose
 * their address and password. A link works once, for a short time, and only while there is no operator.
 */
import type { Database } from '../database/database.ts';
import { MINUTE_MS } from '../kernel/durations.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { countedAttempt, secretSubjects, type Visitor } from './attempts.ts';
import { insertAuditLine } from './audit.store.ts';
import {
  deleteFirstOperatorLinks,
  insertFirstOperatorLink,
  isFirstOperatorLink,
} from './first-operator.store.ts';
import { digestOfSecret, newSecret, readPrefix } from './key-secret.ts';
import { lockAccess } from './keys.store.ts';
import { type NewSession, openSession } from './open-session.ts';
import { checkedPassword, hashPassword } from './passwords.ts';
import { ensurePerson, listOperators, updateOperator, updatePassword } from './people.store.ts';
import { checkSameSite } from './session-request.ts';
import { deleteSessionsOf } from './sessions.store.ts';
import { checkPasswordAllowed, type SignInSettings } from './sign-in-ways.ts';

export const FIRST_OPERATOR_MINUTES = 30;

interface Tools {
  readonly db: Database;
  readonly clock: Clock;
}

/** The code of a new link; null if there is an operator. */
export async function createFirstOperatorLink({ db, clock }: Tools): Promise<string | null> {
  if ((await listOperators(db)).length > 0) return null;
  const code = newSecret('fo');
  const createdAt = clock.now();
  const expiresAt = createdAt + FIRST_OPERATOR_MINUTES * MINUTE_MS;
  await db.transaction((tx) =>
    insertFirstOperatorLink(tx, { digest: digestOfSecret(code), createdAt, expiresAt }),
  );
  return code;
}

export class FirstOperator {
  readonly #tools: Tools & { readonly ways: SignInSettings; readonly publicOrigin: string | null };

  constructor(tools: Tools & { readonly ways: SignInSettings; readonly publicOrigin: string | null }) {
    this.#tools = tools;
  }

  /** A wrong code counts as a failed attempt to sign in. */
  async create(
    given: { code: string; email: string; password: string },
    visitor: Visitor,
  ): Promise<NewSession> {
    const { db, clock, ways, publicOrigin } = this.#tools;
    checkSameSite(visitor.headers, publicOrigin);
    checkPasswordAllowed(ways);
    const session = await whenAvailable(() =>
      countedAttempt({ db, clock }, secretSubjects(visitor), () => this.#create(given, visitor)),
    );
    if (session !== null) return session;
    throw new Problem('invalid_credentials', {
      detail:
        'The link is invalid, was already used or has expired, or there is an operator by now. Start the server again for a new one, or run "tollgate operators add EMAIL" on its machine.',
    });
  }

  /** Null if the link does not work. Two of them at the same time wait for each other. */
  async #create(
    { code, email, password }: { code: string; email: string; password: string },
    visitor: Visitor,
  ): Promise<NewSession | null> {
    const { db, clock } = this.#tools;
    const digest = digestOfSecret(code);
    if (readPrefix(code) !== 'fo' || !(await isFirstOperatorLink(db, digest, clock.now()))) return null;
    const hash = await hashPassword(checkedPassword(password));
    return await db.transaction(async (tx) => {
      await lockAccess(tx);
      const now = clock.now();
      if (!(await isFirstOperatorLink(tx, digest, now)) || (await listOperators(tx)).length > 0) return null;
      const nickname = email.split('@')[0] as string;
      const person = await ensurePerson(tx, { id: newId('per', now), email, nickname, now });
      await updateOperator(tx, person.id, { isOperator: true, now });
      await updatePassword(tx, person.id, { hash, now });
      await deleteSessionsOf(tx, person.id);
      await deleteFirstOperatorLinks(tx);
      await insertAuditLine(tx, {
        at: now,
        actor: 'first-operator-link',
        action: 'operators.add',
        spaceId: null,
        subject: email,
        before: null,
        after: { operator: true },
      });
      const userAgent = visitor.headers['user-agent'];
      return await openSession(tx, { personId: person.id, openedBy: 'password', userAgent, now });
    });
  }
}
