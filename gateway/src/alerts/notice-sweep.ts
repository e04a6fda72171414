/**
 * The job that looks for events which no transaction causes alone: totals over all processes, and times that come. It exists
 * while there are targets, and one process has it at a time.
 */
import type { Database } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import type { JobResult } from '../jobs/job-runner.ts';
import { endJob, type LeasedJob, requireLease } from '../jobs/jobs.store.ts';
import { SECOND_MS } from '../kernel/durations.ts';
import type { Clock } from '../kernel/time.ts';
import type { NewEvent } from './event.ts';
import { raiseEvents } from './events.store.ts';
import type { Notice } from './notice.ts';
import { hasTargets } from './targets.store.ts';

export const NOTICE_SWEEP_MS = 10 * SECOND_MS;

export interface NoticeSweep {
  readonly db: Database;
  readonly clock: Clock;
  readonly notices: readonly Notice[];
  readonly onRaised: (events: readonly NewEvent[]) => void;
}

export async function noticeEvents(job: LeasedJob, tools: NoticeSweep): Promise<JobResult> {
  const { db, clock, notices, onRaised } = tools;
  const now = clock.now();
  const work = async (): Promise<boolean> => {
    const raised: NewEvent[] = [];
    const goesOn = await db.transaction(
      async (tx) => {
        raised.length = 0;
        await requireLease(tx, job);
        if (!(await hasTargets(tx))) {
          await endJob(tx, job);
          return false;
        }
        for (const notice of notices) raised.push(...(await raiseEvents(tx, await notice(tx, now), now)));
        return true;
      },
      { timeoutMs: LONG_ANSWER_MS },
    );
    onRaised(raised);
    return goesOn;
  };
  return (await work()) ? { again: now + NOTICE_SWEEP_MS } : 'ended';
}
