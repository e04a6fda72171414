/** Explains a request by its id: the limit and the figures that rejected it, or its receipt. */
import type { Actor } from '../access/actor.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { Explanation } from '../contract/explanation.ts';
import type { Queryable } from '../database/database.ts';
import { Problem, type UpstreamReport } from '../kernel/problem.ts';
import { kstMsOf } from '../kernel/time.ts';
import { REFUSAL_KEPT_DAYS } from '../metering/refusals.ts';
import {
  type CallFound,
  findRecorded,
  findRefusal,
  listCorrections,
  type RefusalFound,
} from './explain.store.ts';
import { explainedCall, withoutPlaces, withoutUnknown } from './receipt-object.ts';

/** Whether a request of this space, by the member with this e-mail, may be seen. */
export type SeesRequest = (of: { spaceId: string | null; member: string | null }) => boolean;

/** Null for an unknown request, or one that may not be seen. */
export async function explain(db: Queryable, ref: string, sees: SeesRequest): Promise<Explanation | null> {
  const refusal = await findRefusal(db, ref);
  const call = await findRecorded(db, ref);
  const found = call ?? refusal;
  if (found === null || !sees(found)) return null;
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
  return { at: kstMsOf(at), endpoint: shownEndpoint(endpoint), status, type: code, detail, param, facts };
}

/** The method and path: `POST /v1/chat/completions`. */
function shownEndpoint(name: string): string {
  const known = (endpoints as Readonly<Record<string, Endpoint>>)[name];
  return known === undefined ? name : `${known.method} ${known.path}`;
}

/**
 * An administrator sees the requests of all keys of the space, a member those of their own keys. Any other request is
 * answered as if it did not exist.
 */
export async function explainToActor(db: Queryable, actor: Actor, ref: string): Promise<Explanation> {
  const explanation = await explain(db, ref, (of) => maySee(actor, of));
  if (explanation !== null) return actor.isOperator ? explanation : withoutRoute(explanation);
  const [seen, next] = actor.isOperator
    ? ['', 'look in the log of the gateway']
    : [' that you can see', 'an operator can look in the log of the gateway'];
  throw new Problem('not_found', {
    detail:
      `There is no record of ${ref}${seen}. Rejected requests are kept for a limited time (${REFUSAL_KEPT_DAYS} days by default), ` +
      `and under load only a sample of them is kept: ${next}.`,
    param: 'ref',
  });
}

/** Which provider answered, and what it said, is shown to operators only. */
export function withoutRoute(explanation: Explanation): Explanation {
  const { call, refusal } = explanation;
  return {
    ...explanation,
    refusal: refusal === null ? null : { ...refusal, facts: withoutUpstream(refusal.facts) },
    call: call === null ? null : callWithoutRoute(call),
  };
}

function callWithoutRoute(call: NonNullable<Explanation['call']>): NonNullable<Explanation['call']> {
  const attempts = withoutPlaces(call.attempt_log);
  return { ...call, route: null, usage: withoutUnknown(call.usage), attempt_log: attempts };
}

/** Every name of an UpstreamReport. */
const UPSTREAM_FACTS: Readonly<Record<keyof UpstreamReport, true>> = {
  provider: true,
  route: true,
  model: true,
  upstream_model: true,
  attempts: true,
  provider_status: true,
  provider_said: true,
};

type Facts = NonNullable<Explanation['refusal']>['facts'];

function withoutUpstream(facts: Facts): Facts {
  const others = Object.entries(facts ?? {}).filter(([name]) => !Object.hasOwn(UPSTREAM_FACTS, name));
  return others.length === 0 ? null : Object.fromEntries(others);
}

function maySee(
  { isOperator, memberships }: Actor,
  { spaceId, member }: { spaceId: string | null; member: string | null },
): boolean {
  const own = memberships.find((membership) => membership.spaceId === spaceId);
  return isOperator || own?.role === 'admin' || (own !== undefined && isSameAddress(own.email, member));
}

export function isSameAddress(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one.toLowerCase() === other.toLowerCase();
}
