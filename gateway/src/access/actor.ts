/** Who administers: a person with a session, a program with a token, or someone with a shell on the server. */
import type { Queryable } from '../database/database.ts';
import type { Role } from './members.store.ts';
import type { Person } from './person.ts';

export interface Actor {
  /** For the audit log: an e-mail address, `token:NAME`, or `operator:NAME` with the name of a system user. */
  readonly name: string;
  readonly credential: 'session' | 'token' | 'shell';
  /** Operators may do everything in every space. */
  readonly isOperator: boolean;
  readonly memberships: readonly ActorMembership[];
  /** A token may be limited to reading. */
  readonly access: 'read' | 'write';
  /**
   * The actor with the rights it has now, or a 401. A change asks inside its transaction, because a role may have been
   * removed while the request arrived. Left out for the shell, whose rights do not change.
   */
  readonly reread?: (db: Queryable) => Promise<Actor>;
}

export interface ActorMembership {
  readonly spaceId: string;
  readonly spaceName: string;
  readonly role: Role;
  /** Null for a token, which belongs to no person. */
  readonly memberId: string | null;
  readonly email: string | null;
}

/** For someone who can open the data folder or the database: they may do everything. */
export function shellActor(name: string): Actor {
  return { name, credential: 'shell', isOperator: true, memberships: [], access: 'write' };
}

export function personActor({ email, isOperator, spaces }: Person): Actor {
  const memberships = spaces.map(({ id, name, role, memberId }) => {
    return { spaceId: id, spaceName: name, role, memberId, email };
  });
  return { name: email, credential: 'session', isOperator, memberships, access: 'write' };
}
