/** Lists the jobs of a caller, the newest first. */
import { ownerScope, type Principal } from '../access/principal.ts';
import { type IdPageRequest, unknownCursor, writeIdPage } from '../contract/pages.ts';
import type { JobList } from '../contract/video.ts';
import type { Database } from '../database/database.ts';
import { isId } from '../kernel/ids.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { listMediaOfJobs } from '../media/media.store.ts';
import { jobObject } from './job-object.ts';
import { findOwnVideoJob, findVideoJobPage } from './video-jobs.store.ts';

export async function listOwnJobs(
  request: { principal: Principal; page: IdPageRequest },
  { db }: { db: Database },
): Promise<JobList> {
  const { after, limit } = request.page;
  const caller = ownerScope(request.principal);
  return await whenAvailable(async () => {
    if (after !== null && (!isId('job', after) || (await findOwnVideoJob(db, after, caller)) === null))
      throw unknownCursor('a job', after);
    const jobs = await findVideoJobPage(db, caller, request.page);
    const media = await listMediaOfJobs(
      db,
      jobs.map(({ id }) => id),
    );
    const files = Map.groupBy(media, ({ jobId }) => jobId);
    return writeIdPage(
      jobs.map((job) => jobObject({ job, files: files.get(job.id) ?? [] })),
      limit,
    );
  });
}
