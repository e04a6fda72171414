/** For which subjects of tokens a space may add rules: an operator decides, because a subject is somebody's pod. */
import type { Space } from '../access/spaces.store.ts';
import {
  deleteSubjects,
  findGiven,
  findSubjectOverlap,
  type GivenSubjectsRow,
  insertSubjects,
  isGiven,
  listGiven,
  readSubjectPage,
} from '../access/workloads/workload-subjects.store.ts';
import { findRuleWithin } from '../access/workloads/workloads.store.ts';
import type { Transaction } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { nearest } from '../kernel/nearest.ts';
import { Problem } from '../kernel/problem.ts';
import { kstOf } from '../kernel/time.ts';
import type { InstallationView } from './installation-view.ts';
import { change, read } from './operation.ts';
import { answeredPage, wantedPage } from './page.ts';

const SUBJECTS_NAMED_MAX = 20;

const list = read('workloadSubjects.list', async ({ db, space }, input) => {
  const page = await readSubjectPage(db, { spaceId: space.id, ...wantedPage(input) });
  return answeredPage(page, (row) => shown(row, space));
});

const give = change('workloadSubjects.give', async ({ tx, now, space, installation }, input) => {
  const { issuer, subjects } = input;
  checkIssuer(installation, issuer);
  await checkNoOverlap(tx, space, { issuer, subjects, param: 'subjects' });
  const known = await listGiven(tx, { spaceId: space.id, issuer, limit: Number.MAX_SAFE_INTEGER });
  if (known.includes(subjects))
    throw new Problem('conflict', { detail: `${space.name} has ${subjects} already.`, param: 'subjects' });
  const given = { id: newId('wks', now), spaceId: space.id, issuer, subjects, createdAt: now };
  await insertSubjects(tx, given);
  const after = shown(given, space);
  return { answer: after, subject: subjects, after };
});

const release = change('workloadSubjects.release', async ({ tx, space }, { subjects: id }) => {
  const found = await findGiven(tx, { spaceId: space.id, id });
  if (found === null)
    throw new Problem('not_found', {
      detail: `${space.name} does not have the subjects ${id}.`,
      param: 'subjects',
    });
  const { issuer, subjects } = found;
  const used = await findRuleWithin(tx, { spaceId: space.id, issuer, subjects });
  if (used !== null)
    throw new Problem('conflict', {
      detail: `The rule ${used.id} of ${space.name} is for ${used.subject}. Remove it first.`,
      param: 'subjects',
    });
  await deleteSubjects(tx, id);
  const before = shown(found, space);
  return { answer: { ...before, released: true as const }, subject: subjects, before };
});

export const workloadSubjectOperations = [list, give, release] as const;

/** A rule for an issuer that nobody configured would never match, and say nothing. */
export function checkIssuer(installation: InstallationView | null, issuer: string): void {
  // Without a server the configuration is not known.
  const known = installation?.workloadIssuers() ?? [issuer];
  if (known.includes(issuer)) return;
  const meant = nearest(issuer, known);
  const next =
    known.length === 0
      ? 'An operator adds issuers under workload_identity in tollgate.yaml.'
      : `Use ${meant ?? known.join(' or ')}.`;
  throw new Problem('invalid_parameter', {
    detail: `No issuer ${issuer} is configured. ${next}`,
    param: 'issuer',
  });
}

/** Rejects a subject that the space may not use. An operator may take any that no other space has. */
export async function checkSubject(
  tx: Transaction,
  { space, isOperator }: { space: Space; isOperator: boolean },
  { issuer, subject }: { issuer: string; subject: string },
): Promise<void> {
  if (isOperator) return await checkNoOverlap(tx, space, { issuer, subjects: subject, param: 'subject' });
  const of = { spaceId: space.id, issuer };
  if (await isGiven(tx, { ...of, subject })) return;
  const given = await listGiven(tx, { ...of, limit: SUBJECTS_NAMED_MAX + 1 });
  const names =
    given.slice(0, SUBJECTS_NAMED_MAX).join(', ') + (given.length > SUBJECTS_NAMED_MAX ? ', …' : '');
  // The same whether another space has the subject or not.
  throw new Problem('permission_denied', {
    detail:
      `${space.name} may not use the subject ${subject} of ${issuer}${given.length === 0 ? '' : `, only ${names}`}. ` +
      'A subject is somebody’s workload. Ask an operator of the installation to give it to the space.',
    param: 'subject',
  });
}

async function checkNoOverlap(
  tx: Transaction,
  space: Space,
  { issuer, subjects, param }: { issuer: string; subjects: string; param: string },
): Promise<void> {
  const other = await findSubjectOverlap(tx, { spaceId: space.id, issuer, subjects });
  if (other === null) return;
  const same = other.subjects === subjects ? subjects : `${subjects} overlaps ${other.subjects}, which`;
  throw new Problem('conflict', {
    detail: `${same} belongs to ${other.space}. Release it and remove its rules there first.`,
    param,
  });
}

function shown({ id, issuer, subjects, createdAt }: GivenSubjectsRow, space: Space) {
  return { id, space: space.name, issuer, subjects, since: kstOf(createdAt) };
}
