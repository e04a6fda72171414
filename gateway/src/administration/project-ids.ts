/** Which ids of projects a space has: an operator decides, because an id says whose pods are read. */
import {
  deleteIds,
  findHeldIds,
  findOverlap,
  type HeldIds,
  hasId,
  insertIds,
  listGivenIds,
  readIdPage,
} from '../access/project-ids.store.ts';
import { deleteProject } from '../access/projects.store.ts';
import type { Space } from '../access/spaces.store.ts';
import { OWN_PROJECT } from '../contract/administration/words.ts';
import type { Transaction } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import { kstOf } from '../kernel/time.ts';
import { change, read } from './operation.ts';
import { answeredPage, wantedPage } from './page.ts';

const IDS_NAMED_MAX = 20;

const list = read('projectIds.list', async ({ db, space }, input) => {
  const page = await readIdPage(db, { spaceId: space.id, ...wantedPage(input) });
  return answeredPage(page, (row) => shown(row, space));
});

const give = change('projectIds.give', async ({ tx, now, space }, { ids }) => {
  checkNotOwn(ids, 'ids');
  await checkNoOverlap(tx, space, { ids, param: 'ids' });
  if ((await findHeldIds(tx, { spaceId: space.id, ids })) !== null)
    throw new Problem('conflict', { detail: `${space.name} has ${ids} already.`, param: 'ids' });
  await insertIds(tx, { ids, spaceId: space.id, at: now });
  const after = shown({ ids, state: 'given', since: now }, space);
  return { answer: after, subject: ids, after };
});

const release = change('projectIds.release', async ({ tx, space }, { ids }) => {
  const of = { spaceId: space.id, ids };
  const found = await findHeldIds(tx, of);
  if (found === null)
    throw new Problem('not_found', { detail: `${space.name} does not have ${ids}.`, param: 'ids' });
  if (found.state === 'used')
    throw new Problem('conflict', {
      detail: `A project of ${space.name} has the id ${ids}. Remove the project first.`,
      param: 'ids',
    });
  await deleteIds(tx, of);
  await deleteProject(tx, { id: ids, spaceId: space.id });
  const answer = { ids, space: space.name, released: true as const };
  return { answer, subject: ids, before: shown(found, space) };
});

export const projectIdOperations = [list, give, release] as const;

/** Rejects an id that the space may not use. An operator may take any id that no other space has. */
export async function checkProjectId(
  tx: Transaction,
  { space, isOperator }: { space: Space; isOperator: boolean },
  id: string,
): Promise<void> {
  checkNotOwn(id, 'id');
  if (isOperator) return await checkNoOverlap(tx, space, { ids: id, param: 'id' });
  if (await hasId(tx, { spaceId: space.id, id })) return;
  const given = await listGivenIds(tx, space.id, IDS_NAMED_MAX + 1);
  const names = given.slice(0, IDS_NAMED_MAX).join(', ') + (given.length > IDS_NAMED_MAX ? ', …' : '');
  // The same whether the id exists elsewhere or not.
  throw new Problem('permission_denied', {
    detail:
      `${space.name} may not use the id ${id}${given.length === 0 ? '' : `, only ${names}`}. An id decides whose ` +
      'logs are read. Ask an operator of the installation to give it to the space.',
    param: 'id',
  });
}

/** Only operators read the gateway's own log, so that not even a mistake of theirs shows it to a space. */
function checkNotOwn(ids: string, param: string): void {
  if (ids !== OWN_PROJECT) return;
  throw new Problem('invalid_parameter', {
    detail: `${OWN_PROJECT} is the gateway's own log, which only operators read. No space can have it.`,
    param,
  });
}

async function checkNoOverlap(
  tx: Transaction,
  space: Space,
  { ids, param }: { ids: string; param: string },
): Promise<void> {
  const other = await findOverlap(tx, { spaceId: space.id, ids });
  if (other === null) return;
  const same = other.ids === ids ? ids : `${ids} overlaps ${other.ids}, which`;
  throw new Problem('conflict', {
    detail: `${same} belongs to ${other.space}, or did before its project was removed. Release it there first.`,
    param,
  });
}

function shown({ ids, state, since }: HeldIds, space: Space) {
  return { ids, space: space.name, state, since: kstOf(since) };
}
