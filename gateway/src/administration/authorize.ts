/**
 * The one place that decides who may run an operation. A space that the actor cannot see is answered exactly like one
 * that does not exist.
 */
import type { Actor } from '../access/actor.ts';
import type { Role } from '../access/members.store.ts';
import { findSpace, findSpaceById, listSpaces, type Space } from '../access/spaces.store.ts';
import {
  type AdminEndpoint,
  changes,
  IN_SPACE,
  needsPerson,
} from '../contract/administration/admin-endpoint.ts';
import type { Queryable } from '../database/database.ts';
import { isId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';

const NAMES_SHOWN_MAX = 20;

/** What an operation may touch. */
export interface Authorized {
  /** Null for operations that belong to no space. */
  readonly space: Space | null;
  /** A member reaches only what is theirs; null: everything in the space. */
  readonly own: Own | null;
}

export interface Own {
  readonly memberId: string;
  readonly email: string;
}

export async function authorize(
  db: Queryable,
  actor: Actor,
  { endpoint, input }: { endpoint: AdminEndpoint; input: { readonly space?: string } },
): Promise<Authorized> {
  const space = endpoint.path.startsWith(IN_SPACE) ? await visibleSpace(db, actor, input.space) : null;
  if (changes(endpoint) && actor.access === 'read')
    throw new Problem('permission_denied', {
      detail: 'This token can only read. Create one with write access for this.',
    });
  if (needsPerson(endpoint, input) && actor.credential === 'token')
    throw new Problem('permission_denied', {
      detail: 'A token cannot do this. Sign in as a person, or use a shell on the server.',
    });
  if (actor.isOperator) return { space, own: null };
  // Outside a space nobody is an administrator. What belongs to members there, the operation finds by the actor.
  if (endpoint.right === 'operator' || (space === null && endpoint.right === 'admin'))
    throw needs('an operator of the installation');
  if (space === null) return { space, own: null };
  const membership = actor.memberships.find(({ spaceId }) => spaceId === space.id);
  if (membership?.role === 'admin') return { space, own: null };
  if (endpoint.right === 'admin') throw needs(`an administrator of ${space.name}`);
  const { memberId, email } = membership ?? { memberId: null, email: null };
  if (memberId === null || email === null) throw needs(`a member of ${space.name}`);
  return { space, own: { memberId, email } };
}

/** The role of the actor in a space; null if they cannot see it. */
export function roleOf(actor: Actor, spaceId: string): Role | 'operator' | null {
  if (actor.isOperator) return 'operator';
  return actor.memberships.find((membership) => membership.spaceId === spaceId)?.role ?? null;
}

async function visibleSpace(db: Queryable, actor: Actor, name: string | undefined): Promise<Space> {
  if (name === undefined) return await onlySpace(db, actor);
  const space = isId('spc', name) ? await findSpaceById(db, name) : await findSpace(db, name);
  if (space !== null && roleOf(actor, space.id) !== null) return space;
  throw new Problem('not_found', { detail: `There is no space ${name} that you can see.`, param: 'space' });
}

async function onlySpace(db: Queryable, actor: Actor): Promise<Space> {
  const spaces = (await listSpaces(db)).filter(({ id }) => roleOf(actor, id) !== null);
  const [only, another] = spaces;
  if (only === undefined)
    throw new Problem('not_found', { detail: 'There is no space yet.', param: 'space' });
  if (another === undefined) return only;
  const meant = spaces.find(({ name }) => name === actor.defaultSpace);
  if (meant !== undefined) return meant;
  const names = spaces.slice(0, NAMES_SHOWN_MAX).map(({ name }) => name);
  const more = spaces.length - names.length;
  throw new Problem('invalid_parameter', {
    detail: `There are several spaces: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Choose one.`,
    param: 'space',
  });
}

function needs(who: string): Problem {
  return new Problem('permission_denied', { detail: `Only ${who} may do this.` });
}
