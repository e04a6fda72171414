/** The requests of a space, and the explanation of one. */
import { Problem } from '../kernel/problem.ts';
import { explain, explainToActor, isSameAddress, withoutRoute } from '../reports/explain.ts';
import { readRequestPage } from '../reports/lists/request-page.store.ts';
import { listedKey } from './named-records.ts';
import { read } from './operation.ts';
import { listedMember } from './owned.ts';
import { answeredPage, shownRow, wantedPage } from './page.ts';
import { readRange, unitsOf } from './read-input.ts';

const list = read('requests.list', async ({ db, space, own }, input) => {
  const { status, model, endpoint, id, min_cost } = input;
  const memberId = await listedMember(db, { space, own }, input.email);
  const keyId = await listedKey(db, { space, own }, input);
  const minCost =
    min_cost === undefined ? null : unitsOf(min_cost, { field: 'min_cost', least: '0 or more' });
  const filters = { status, model, endpoint, id, memberId, keyId, minCost, ...readRange(input) };
  const page = await readRequestPage(db, { spaceId: space.id, ...filters, ...wantedPage(input) });
  return answeredPage(page, shownRow);
});

const get = read('requests.get', async ({ db, space, own, actor }, { request }) => {
  const found = await explain(
    db,
    request,
    ({ spaceId, member }) => spaceId === space.id && (own === null || isSameAddress(own.email, member)),
  );
  if (found === null) {
    const detail = `There is no record of ${request} in ${space.name}.`;
    throw new Problem('not_found', { detail, param: 'request' });
  }
  return actor.isOperator ? found : withoutRoute(found);
});

const why = read('why', ({ db, actor }, { ref }) => explainToActor(db, actor, ref));

export const requestOperations = [list, get, why] as const;
