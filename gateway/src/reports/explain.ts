/** Explains a request by its id: the limit and the figures that rejected it, or its receipt. */
import type { Person } from '../access/person.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { Explanation } from '../contract/explanation.ts';
import type { Queryable } from '../database/database.ts';
import { isId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { isoOf } from '../kernel/time.ts';
import {
  type CallFound,
  findCall,
  findRefusal,
  findVideo,
  listCorrections,
  type RefusalFound,
} from './explain.store.ts';
import { explainedCall } from './receipt-object.ts';

/** `spaces` limits the result; null: all spaces. Returns null for an unknown request or one of another space. */
export async function explain(
  db: Queryable,
  ref: string,
  spaces: ReadonlySet<string> | null,
): Promise<Explanation | null> {
  const refusal = await findRefusal(db, ref);
  const call = isId('job', ref) ? await findVideo(db, ref) : await findCall(db, ref);
  const found = call ?? refusal;
  if (found === null) return null;
  if (spaces !== null && (found.spaceId === null || !spaces.has(found.spaceId))) return null;
  return {
    ref,
    ...senderOf(found),
    refusal: refusal === null ? null : refusalOf(refusal),
    call: call === null ? null : explainedCall(call, await listCorrections(db, ref)),
  };
}

function senderOf({ space, key, keyHint, member }: RefusalFound | CallFound) {
  return { space, key, key_hint: keyHint, member };
}

function refusalOf({
  at,
  endpoint,
  code,
  status,
  detail,
  param,
  facts,
}: RefusalFound): Explanation['refusal'] {
  return { at: isoOf(at), endpoint: shownEndpoint(endpoint), status, type: code, detail, param, facts };
}

/** The method and path: `POST /v1/chat/completions`. */
function shownEndpoint(name: string): string {
  const known = (endpoints as Readonly<Record<string, Endpoint>>)[name];
  return known === undefined ? name : `${known.method} ${known.path}`;
}

/**
 * For a signed-in person: an administrator sees the requests of all keys of the space, a member those of their
 * own keys. Any other request is answered as if it did not exist.
 */
export async function explainTo(db: Queryable, person: Person, ref: string): Promise<Explanation> {
  const spaces = person.isOperator ? null : new Set(person.spaces.map(({ id }) => id));
  const explanation = await explain(db, ref, spaces);
  if (explanation === null || !maySee(person, explanation)) {
    throw new Problem('not_found', {
      detail: `There is no request ${JSON.stringify(ref.slice(0, 100))} that you can see.`,
    });
  }
  return explanation;
}

function maySee(person: Person, { space, member }: Explanation): boolean {
  if (person.isOperator) return true;
  const role = person.spaces.find(({ name }) => name === space)?.role;
  return role === 'admin' || member?.toLowerCase() === person.email.toLowerCase();
}
