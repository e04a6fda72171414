/** The person behind a console session, and the spaces they can see. */
import type { Role } from './members.store.ts';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly nickname: string;
  /** Operators see every space, also those they are not a member of. */
  readonly isOperator: boolean;
  /** The spaces the person is a member of. */
  readonly spaces: readonly Membership[];
}

export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** The id of the person as a member of this space. */
  readonly memberId: string;
}

/** A space as a person sees it. */
export interface SeenSpace {
  readonly id: string;
  readonly name: string;
  readonly role: Role | 'operator';
}

/** The role of the person in a space; null if they have none. */
export function roleIn(person: Person, spaceId: string): Role | 'operator' | null {
  if (person.isOperator) return 'operator';
  return person.spaces.find((space) => space.id === spaceId)?.role ?? null;
}
