/** Finds a job for its owner. */
import { ownerOf, type Principal } from '../access/principal.ts';
import type { Database } from '../database/database.ts';
import { isId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { listMedia } from '../media/media.store.ts';
import type { ShownJob } from './job-object.ts';
import { findOwnVideoJob, findVideoJob, type VideoJob } from './video-jobs.store.ts';

/** Missing jobs and those of other owners get the same answer. */
export async function getJob(
  request: { principal: Principal; id: string },
  { db }: { db: Database },
): Promise<ShownJob> {
  const { principal, id } = request;
  const caller = { spaceId: principal.spaceId, owner: ownerOf(principal) };
  const job = isId('job', id) ? await whenAvailable(() => findOwnVideoJob(db, id, caller)) : null;
  if (job !== null) return await withFiles(job, db);
  throw new Problem('job_not_found', {
    detail: `There is no job ${JSON.stringify(id.slice(0, 100))} that this key can see.`,
    param: 'job_id',
  });
}

/** For a job that is known to exist. */
export async function mustFindJob(db: Database, id: string): Promise<ShownJob> {
  const job = await whenAvailable(() => findVideoJob(db, id));
  if (job === null) throw new Error(`the job ${id} is gone`);
  return await withFiles(job, db);
}

async function withFiles(job: VideoJob, db: Database): Promise<ShownJob> {
  return { job, files: await whenAvailable(() => listMedia(db, job.id)) };
}
