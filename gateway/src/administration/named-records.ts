/** Finds what an operation names: a space, a member, a key, a project. If it does not exist, the error says how to go on. */
import { findKey, type ListedKey } from '../access/keys.store.ts';
import { findMember, type Member } from '../access/members.store.ts';
import { findProject, type Project } from '../access/projects.store.ts';
import { findSpace, listSpaces, type Space } from '../access/spaces.store.ts';
import type { Queryable } from '../database/database.ts';
import { AdminError } from './admin-error.ts';

const NAMES_SHOWN_MAX = 20;

/** The space that is named, or the only one there is. */
export async function spaceNamed(db: Queryable, { space: name }: { space?: string }): Promise<Space> {
  if (name === undefined) return await onlySpace(db);
  const space = await findSpace(db, name);
  if (space !== null) return space;
  throw new AdminError(`There is no space ${name}. "tollgate spaces list" shows them.`);
}

async function onlySpace(db: Queryable): Promise<Space> {
  const spaces = await listSpaces(db);
  const [only, another] = spaces;
  if (only === undefined)
    throw new AdminError('There is no space yet. Create one with "tollgate spaces create NAME".');
  if (another === undefined) return only;
  const names = spaces.slice(0, NAMES_SHOWN_MAX).map(({ name }) => name);
  const more = spaces.length - names.length;
  throw new AdminError(
    `There are several spaces: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Choose one with --space NAME.`,
  );
}

export async function memberNamed(db: Queryable, space: Space, email: string): Promise<Member> {
  const member = await findMember(db, { spaceId: space.id, email });
  if (member !== null) return member;
  throw new AdminError(
    `${email} is not a member of ${space.name}. Add them with "tollgate members add ${email}".`,
  );
}

export async function keyNamed(
  db: Queryable,
  input: { space?: string; name: string },
): Promise<{ space: Space; key: ListedKey }> {
  const space = await spaceNamed(db, input);
  const key = await findKey(db, { spaceId: space.id, name: input.name });
  if (key !== null) return { space, key };
  throw new AdminError(`There is no key ${input.name} in ${space.name}. "tollgate keys list" shows them.`);
}

export async function projectNamed(db: Queryable, id: string): Promise<Project> {
  const project = await findProject(db, id);
  if (project !== null) return project;
  throw new AdminError(`There is no project ${id}. "tollgate projects list" shows them.`);
}

/** A unique index decides, so that of two callers at the same time only one succeeds. */
export async function orTaken<T>(message: string, insert: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if ((error as { code?: string }).code === '23505') throw new AdminError(message);
    throw error;
  }
}
