/** The video jobs of a space, the files they made, and uploaded references. */
import { Problem } from '../kernel/problem.ts';
import { kstOf } from '../kernel/time.ts';
import { type JobListRow, readJobPage } from '../reports/lists/job-page.store.ts';
import { type MediaListRow, readMediaPage, readReferencePage } from '../reports/lists/media-page.store.ts';
import { read } from './operation.ts';
import { listedMember, shownOwner } from './owned.ts';
import { answeredPage, wantedPage } from './page.ts';
import { readRange, shownTime } from './read-input.ts';

const FILES_PER_JOB_MAX = 100;

const list = read('jobs.list', async ({ db, space, own }, input) => {
  const { status, model } = input;
  const owner = await listedMember(db, { space, own }, input.email);
  const of = { spaceId: space.id, status, model, owner, ...readRange(input), ...wantedPage(input) };
  return answeredPage(await readJobPage(db, of), shownJob);
});

const get = read('jobs.get', async ({ db, now, space, own }, { job: id }) => {
  const spaceId = space.id;
  const owner = own?.memberId ?? null;
  const [row] = (await readJobPage(db, { spaceId, id, owner, limit: 1, after: null })).rows;
  if (row === undefined)
    throw new Problem('job_not_found', { detail: `There is no job ${id} in ${space.name}.`, param: 'job' });
  const of = { spaceId, jobId: id, now, limit: FILES_PER_JOB_MAX, after: null };
  return { ...shownJob(row), files: (await readMediaPage(db, of)).rows.map(shownMedia) };
});

const media = read('media.list', async ({ db, now, space, own }, input) => {
  const owner = await listedMember(db, { space, own }, input.email);
  const page = await readMediaPage(db, { spaceId: space.id, now, owner, ...wantedPage(input) });
  return answeredPage(page, shownMedia);
});

const references = read('references.list', async ({ db, now, space, own }, input) => {
  const owner = await listedMember(db, { space, own }, input.email);
  const of = { spaceId: space.id, now, owner, kind: input.kind, ...wantedPage(input) };
  return answeredPage(await readReferencePage(db, of), (row) => ({
    ...{ id: row.id, ...shownOwner(row), kind: row.kind, track: row.track },
    ...{ mime_type: row.mimeType, bytes: row.bytes },
    created_at: kstOf(row.createdAt),
    expires_at: kstOf(row.expiresAt),
  }));
});

export const jobOperations = [list, get, media, references] as const;

function shownJob(row: JobListRow) {
  const { id, model, status, progress, problem, cost } = row;
  return {
    ...{ id, ...shownOwner(row), model, status, progress, problem, cost },
    created_at: kstOf(row.createdAt),
    started_at: shownTime(row.startedAt),
    completed_at: shownTime(row.completedAt),
    expires_at: kstOf(row.expiresAt),
  };
}

function shownMedia(row: MediaListRow) {
  const { id, status, bytes, width, height } = row;
  return {
    ...{ id, ...shownOwner(row), job_id: row.jobId, status, mime_type: row.mimeType, bytes },
    duration_seconds: row.durationSeconds,
    ...{ width, height },
    created_at: kstOf(row.createdAt),
    expires_at: shownTime(row.expiresAt),
  };
}
