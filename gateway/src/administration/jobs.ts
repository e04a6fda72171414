/** The video jobs of a space, the files they made, and uploaded references. */
import { Problem } from '../kernel/problem.ts';
import { readJobPage } from '../reports/lists/job-page.store.ts';
import { readMediaPage, readReferencePage } from '../reports/lists/media-page.store.ts';
import { read } from './operation.ts';
import { listedMember } from './owned.ts';
import { answeredPage, shownRow, wantedPage } from './page.ts';
import { readRange } from './read-input.ts';

const FILES_PER_JOB_MAX = 100;

const list = read('jobs.list', async ({ db, space, own }, input) => {
  const { status, model } = input;
  const owner = await listedMember(db, { space, own }, input.email);
  const of = { spaceId: space.id, status, model, owner, ...readRange(input), ...wantedPage(input) };
  return answeredPage(await readJobPage(db, of), shownRow);
});

const get = read('jobs.get', async ({ db, now, space, own }, { job: id }) => {
  const spaceId = space.id;
  const owner = own?.memberId ?? null;
  const [row] = (await readJobPage(db, { spaceId, id, owner, limit: 1, after: null })).rows;
  if (row === undefined)
    throw new Problem('job_not_found', { detail: `There is no job ${id} in ${space.name}.`, param: 'job' });
  const of = { spaceId, jobId: id, now, limit: FILES_PER_JOB_MAX, after: null };
  return { ...shownRow(row), files: (await readMediaPage(db, of)).rows.map(shownRow) };
});

const media = read('media.list', async ({ db, now, space, own }, input) => {
  const owner = await listedMember(db, { space, own }, input.email);
  const page = await readMediaPage(db, { spaceId: space.id, now, owner, ...wantedPage(input) });
  return answeredPage(page, shownRow);
});

const references = read('references.list', async ({ db, now, space, own }, input) => {
  const owner = await listedMember(db, { space, own }, input.email);
  const of = { spaceId: space.id, now, owner, kind: input.kind, ...wantedPage(input) };
  return answeredPage(await readReferencePage(db, of), shownRow);
});

export const jobOperations = [list, get, media, references] as const;
