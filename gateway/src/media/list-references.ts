/** Lists the references that a caller uploaded, the newest first. */
import { ownerScope, type Principal } from '../access/principal.ts';
import { type IdPageRequest, unknownCursor, writeIdPage } from '../contract/pages.ts';
import type { ReferenceList } from '../contract/references.ts';
import type { Database, Queryable } from '../database/database.ts';
import { isId } from '../kernel/ids.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { referenceObject } from './reference-object.ts';
import { findReference, findReferencePage } from './references.store.ts';

export async function listOwnReferences(
  request: { principal: Principal; page: IdPageRequest },
  { db, clock }: { db: Database; clock: Clock },
): Promise<ReferenceList> {
  const { after, limit } = request.page;
  const at = { ...ownerScope(request.principal), now: clock.now() };
  return await whenAvailable(async () => {
    if (after !== null && !(await isOwn(db, after, at))) throw unknownCursor('a reference', after);
    const references = await findReferencePage(db, at, request.page);
    return writeIdPage(references.map(referenceObject), limit);
  });
}

async function isOwn(
  db: Queryable,
  id: string,
  at: { spaceId: string; owner: string; now: Instant },
): Promise<boolean> {
  const found = isId('ref', id) ? await findReference(db, id, at) : null;
  return found?.owner === at.owner;
}
