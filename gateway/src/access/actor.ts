/**
 * Who administers: a person with a session, a program with an administration token, or a command in a shell. What an
 * actor may do follows from here alone, and is read with every request.
 */
import type { Database, Queryable } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import { type Clock, kstOf } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { type AccessLevel, type AdminToken, findAdminToken, touchAdminToken } from './admin-tokens.store.ts';
import { digestOfSecret, readPrefix } from './key-secret.ts';
import type { Role } from './members.store.ts';
import type { Person } from './person.ts';
import { kindNames } from './read-credential.ts';
import type { SessionHeaders } from './session-request.ts';
import type { Sessions } from './sessions.ts';

export interface Actor {
  /** Different for any two actors, also if their names are alike. */
  readonly id: string;
  /** In the audit log: an e-mail address, `token:NAME`, or `operator:USER` in a shell. */
  readonly name: string;
  /** Operators reach every space and the installation itself. */
  readonly isOperator: boolean;
  readonly memberships: readonly ActorMembership[];
  readonly access: AccessLevel;
  readonly credential: 'session' | 'token' | 'shell';
  /** The name of the space that is meant where none is named and there are several; left out: none. */
  readonly defaultSpace?: string;
  /**
   * The actor with the rights it has now, or a 401. A change asks inside its transaction, because a role may have been
   * removed while the request arrived. Left out for the shell, whose rights do not change.
   */
  readonly reread?: (db: Queryable) => Promise<Actor>;
}

export interface ActorMembership {
  readonly spaceId: string;
  readonly role: Role;
  /** Null for a token, which is no member. */
  readonly memberId: string | null;
  readonly email: string | null;
}

/** Who sent a request, and the session or token it was sent with. */
export interface Caller {
  readonly actor: Actor;
  readonly credential: string;
}

const USED_EVERY_MS = 60_000;
const SEND = 'Send Authorization: Bearer at_…, or a console session (ts_…)';

export class Actors {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #sessions: Sessions;

  constructor(tools: { db: Database; clock: Clock; sessions: Sessions }) {
    this.#db = tools.db;
    this.#clock = tools.clock;
    this.#sessions = tools.sessions;
  }

  /**
   * Throws a 401 without a valid session or token, and a 403 for a write with a cookie that another site made the
   * browser send.
   */
  async callerOf(request: { method?: string | undefined; headers: SessionHeaders }): Promise<Caller> {
    const secret = readTokenSecret(request.headers.authorization);
    if (secret !== null) {
      const reread = (db: Queryable) => this.#tokenActor(db, secret);
      return { actor: { ...(await this.#tokenActor(this.#db, secret)), reread }, credential: secret };
    }
    const { credential, ...session } = await this.#sessions.authenticate(request);
    const reread = async (db: Queryable) => actorOfPerson(await this.#sessions.personOf(session, db));
    return { actor: { ...actorOfPerson(session.person), reread }, credential };
  }

  async #tokenActor(db: Queryable, secret: string): Promise<Actor> {
    const now = this.#clock.now();
    return await whenAvailable(async () => {
      const token = await findAdminToken(db, digestOfSecret(secret));
      if (token === null) {
        throw new Problem('invalid_credentials', {
          detail: 'The administration token is unknown or was revoked. Check it, or create a new one.',
        });
      }
      if (!token.isOwned) {
        throw new Problem('invalid_credentials', {
          detail:
            'The administration token has ended: the person who answers for it has lost the right to it. Create a new one.',
        });
      }
      if (token.expiresAt <= now) {
        throw new Problem('invalid_credentials', {
          detail: `The administration token expired at ${kstOf(token.expiresAt)}. Create a new one.`,
        });
      }
      if (now - (token.lastUsedAt ?? 0) >= USED_EVERY_MS) await touchAdminToken(db, token.id, now);
      return actorOfToken(token);
    });
  }
}

function actorOfPerson({ id, email, isOperator, spaces }: Person): Actor {
  return {
    id,
    name: email,
    isOperator,
    access: 'write',
    credential: 'session',
    memberships: spaces.map((space) => {
      return { spaceId: space.id, role: space.role, memberId: space.memberId, email };
    }),
  };
}

function actorOfToken({ id, name, spaceId, access }: AdminToken): Actor {
  return {
    id,
    name: `token:${name}`,
    isOperator: spaceId === null,
    memberships: spaceId === null ? [] : [{ spaceId, role: 'admin', memberId: null, email: null }],
    access,
    credential: 'token',
  };
}

/** A command on the machine of the server, or with access to its database. `name`: `operator:USER`. */
export function shellActor(name: string, defaultSpace?: string): Actor {
  const rights = { isOperator: true, memberships: [], access: 'write', credential: 'shell' } as const;
  return { id: name, name, ...rights, ...(defaultSpace !== undefined && { defaultSpace }) };
}

/** Whether a request comes with an administration token, valid or not. */
export function bearsAdminToken({ authorization }: SessionHeaders): boolean {
  return /^Bearer +at_/i.test(authorization ?? '');
}

/** The secret of a token; null if the request has another credential, or none. */
function readTokenSecret(authorization: string | undefined): string | null {
  const bearer = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (bearer === undefined) return null;
  const prefix = readPrefix(bearer);
  if (prefix === 'at') return bearer;
  if (prefix === 'ts') return null;
  if (prefix === null && !bearer.startsWith('at_')) return null;
  const what =
    prefix === null ? 'The administration token is cut off or mistyped.' : `This is ${kindNames[prefix]}.`;
  throw new Problem('invalid_credentials', { detail: `${what} ${SEND}.` });
}
