/** Which pods and CI jobs call as which key of a space, with a token of their issuer. */
import type { ListedKey } from '../access/keys.store.ts';
import type { Space } from '../access/spaces.store.ts';
import type { RuleClaims } from '../access/workloads/subject-pattern.ts';
import {
  countRules,
  deleteWorkloadRule,
  insertWorkloadRule,
  type ListedWorkloadRule,
  listRulesFor,
  readWorkloadPage,
} from '../access/workloads/workloads.store.ts';
import { jsonDigest } from '../kernel/digest.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { kstOf } from '../kernel/time.ts';
import { keyNamed, listedKey, workloadRuleNamed } from './named-records.ts';
import { change, read } from './operation.ts';
import { answeredPage, wantedPage } from './page.ts';
import { checkIssuer, checkSubject } from './workload-subjects.ts';

const RULES_MAX = 1_000;

const list = read('workloads.list', async ({ db, space }, input) => {
  const keyId = await listedKey(db, { space, own: null }, input);
  const page = await readWorkloadPage(db, { spaceId: space.id, keyId, ...wantedPage(input) });
  return answeredPage(page, (rule) => shown(rule, space));
});

const add = change('workloads.add', async ({ tx, now, actor, space, installation }, input) => {
  const { issuer, subject, claims: listed = [] } = input;
  checkIssuer(installation, issuer);
  const key = await keyNamed(tx, { space, own: null }, input.key);
  checkKind(key);
  await checkSubject(tx, { space, isOperator: actor.isOperator }, { issuer, subject });
  const claims = readClaimList(listed);
  for (const other of await listRulesFor(tx, { spaceId: space.id, issuer, subject })) {
    // A workload may have a key for calls and one for the platform API.
    const sameUse = (other.kind === 'management') === (key.kind === 'management');
    if (!sameUse || jsonDigest(other.claims) !== jsonDigest(claims)) continue;
    throw new Problem('conflict', {
      detail: `${subject} of ${issuer} acts as the key ${other.key} already, by the rule ${other.id}. Remove it first.`,
      param: 'subject',
    });
  }
  if ((await countRules(tx, space.id)) >= RULES_MAX)
    throw new Problem('conflict', {
      detail: `${space.name} has ${RULES_MAX} rules for workloads, which is the most. Remove one first.`,
    });
  const id = newId('wkl', now);
  const rule = { id, spaceId: space.id, keyId: key.id, issuer, subject, claims };
  const added = { ...rule, createdBy: actor.name, createdAt: now };
  await insertWorkloadRule(tx, added);
  const after = shown({ ...added, key: key.name }, space);
  return { answer: after, subject, after };
});

const remove = change('workloads.remove', async ({ tx, space }, { workload: id }) => {
  const rule = await workloadRuleNamed(tx, space, id);
  await deleteWorkloadRule(tx, id);
  const before = shown(rule, space);
  return { answer: { ...before, removed: true as const }, subject: rule.subject, before };
});

export const workloadOperations = [list, add, remove] as const;

/** What a workload spends belongs to no person. */
function checkKind({ kind, name }: ListedKey): void {
  if (kind !== 'personal') return;
  throw new Problem('invalid_parameter', {
    detail: `${name} is a personal key. A workload needs a shared key, or a management key for the platform API.`,
    param: 'key',
  });
}

function readClaimList(listed: readonly string[]): RuleClaims {
  const claims: Record<string, string> = {};
  for (const claim of listed) {
    const at = claim.indexOf('=');
    const name = claim.slice(0, at);
    if (Object.hasOwn(claims, name))
      throw new Problem('invalid_parameter', { detail: `claims has ${name} twice.`, param: 'claims' });
    Object.defineProperty(claims, name, { value: claim.slice(at + 1), enumerable: true });
  }
  return claims;
}

function shown({ id, key, issuer, subject, claims, createdBy, createdAt }: ListedWorkloadRule, space: Space) {
  return {
    id,
    space: space.name,
    key_name: key,
    issuer,
    subject,
    claims: Object.entries(claims).map(([name, value]) => `${name}=${value}`),
    created_by: createdBy,
    created_at: kstOf(createdAt),
  };
}
