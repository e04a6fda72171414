/**
 * One turn of a job that a provider must create at most once. The intent is committed before anything is sent, and a
 * create request that got no answer is looked up before another is sent. A process that takes the job over after a
 * crash continues from what is committed.
 */

import { JobLeaseLost } from '../jobs/jobs.store.ts';
import { HOUR_MS } from '../kernel/durations.ts';
import type { Clock } from '../kernel/time.ts';
import { lookUp } from './look-up.ts';
import type { Again, ProviderJob, ProviderJobTools, RemoteJob, Turn } from './provider-job.ts';

/** How long after its expiry a job is given up if its provider cannot be reached. */
const GIVE_UP_MS = HOUR_MS;

export async function advanceProviderJob<Remote extends RemoteJob, Outcome>(
  job: ProviderJob<Remote, Outcome>,
  turn: Turn<ProviderJobTools>,
): Promise<Outcome | Again> {
  try {
    return await advance(job, turn);
  } catch (error) {
    const overdue = turn.tools.clock.now() >= job.state.expiresAt + GIVE_UP_MS;
    const mayGiveUp = overdue && !turn.signal.aborted && !(error instanceof JobLeaseLost);
    if (!mayGiveUp || job.giveUp === undefined) throw error;
    return job.giveUp();
  }
}

async function advance<Remote extends RemoteJob, Outcome>(
  job: ProviderJob<Remote, Outcome>,
  turn: Turn<ProviderJobTools>,
): Promise<Outcome | Again> {
  const { signal } = turn;
  const { remoteId } = job.state;
  if (remoteId !== null) return await job.follow(await job.status(remoteId, signal), signal);
  const found = await lookUp(job, turn);
  if (found === 'unknowable') return job.endUnknowable();
  if (found !== 'absent') return 'again' in found ? found : await followNew(job, found.remote, signal);
  const end = job.endBeforeCreate();
  if (end !== null) return end;
  const creation = await job.create(signal);
  return 'remote' in creation ? await followNew(job, creation.remote, signal) : creation.instead;
}

async function followNew<Remote extends RemoteJob, Outcome>(
  job: ProviderJob<Remote, Outcome>,
  remote: Remote,
  signal: AbortSignal,
): Promise<Outcome | Again> {
  return await (await job.reload()).follow(remote, signal);
}

/** A stopping process returns its job to the others at once, whatever the stop interrupted. */
export async function untilStopped<Outcome>(
  { signal, tools }: Turn<{ readonly clock: Clock }>,
  work: () => Promise<Outcome>,
): Promise<Outcome | Again> {
  try {
    return await work();
  } catch (error) {
    if (!signal.aborted || error instanceof JobLeaseLost) throw error;
    return { again: tools.clock.now() };
  }
}
