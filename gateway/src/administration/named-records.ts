/** Finds what an operation names: a member, a key, a project, a build. */
import { findKey, hadKey, type ListedKey } from '../access/keys.store.ts';
import { findMember, findMemberEmail, type Member } from '../access/members.store.ts';
import { type Build, findBuild, findProject, type Project } from '../access/projects.store.ts';
import type { Space } from '../access/spaces.store.ts';
import { findWorkloadRule, type ListedWorkloadRule } from '../access/workloads/workloads.store.ts';
import type { Queryable } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import type { Own } from './authorize.ts';

export async function memberNamed(db: Queryable, space: Space, email: string): Promise<Member> {
  const member = await findMember(db, { spaceId: space.id, email });
  if (member !== null) return member;
  throw new Problem('not_found', { detail: `${email} is not a member of ${space.name}.`, param: 'email' });
}

/** A member finds only their own keys. */
export async function keyNamed(
  db: Queryable,
  { space, own }: { space: Space; own: Own | null },
  name: string,
): Promise<ListedKey> {
  const key = await findKey(db, { spaceId: space.id, name });
  if (key !== null && (own === null || key.memberId === own.memberId)) return key;
  throw new Problem('not_found', { detail: `There is no key ${name} in ${space.name}.`, param: 'name' });
}

/** The e-mail address of the owner of a personal key; null: shared. */
export async function keyOwner(db: Queryable, { memberId }: ListedKey): Promise<string | null> {
  return memberId === null ? null : await findMemberEmail(db, memberId);
}

/** Whose requests are listed: of a key that is named, or of one that is given by its id and may be revoked. */
export async function listedKey(
  db: Queryable,
  { space, own }: { space: Space; own: Own | null },
  { key, key_id: id }: { key?: string; key_id?: string },
): Promise<string | null> {
  if (id === undefined) return key === undefined ? null : (await keyNamed(db, { space, own }, key)).id;
  if (key !== undefined)
    throw new Problem('invalid_parameter', { detail: 'Send key or key_id, not both.', param: 'key_id' });
  if (await hadKey(db, { id, spaceId: space.id, memberId: own?.memberId ?? null })) return id;
  throw new Problem('not_found', { detail: `There is no key ${id} in ${space.name}.`, param: 'key_id' });
}

export async function workloadRuleNamed(
  db: Queryable,
  space: Space,
  id: string,
): Promise<ListedWorkloadRule> {
  const rule = await findWorkloadRule(db, { spaceId: space.id, id });
  if (rule !== null) return rule;
  throw new Problem('not_found', {
    detail: `There is no rule ${id} for workloads in ${space.name}.`,
    param: 'workload',
  });
}

export async function projectNamed(db: Queryable, space: Space, id: string): Promise<Project> {
  const project = await findProject(db, id);
  if (project?.spaceId === space.id) return project;
  throw new Problem('not_found', { detail: `There is no project ${id} in ${space.name}.`, param: 'project' });
}

export async function buildNamed(db: Queryable, space: Space, id: string): Promise<Build> {
  const build = await findBuild(db, id);
  if (build?.spaceId === space.id) return build;
  throw new Problem('not_found', { detail: `There is no build ${id} in ${space.name}.`, param: 'build' });
}

/** A unique index decides, so that of two callers at the same time only one succeeds. */
export async function orTaken<T>(detail: string, param: string, insert: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if ((error as { code?: string }).code === '23505') throw new Problem('conflict', { detail, param });
    throw error;
  }
}
