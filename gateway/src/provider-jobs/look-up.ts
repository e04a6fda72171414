/** Finds out whether a create request that got no answer created the job. */
import { nextPoll } from './next-poll.ts';
import type { Again, Found, ProviderJob, ProviderJobTools, RemoteJob, Turn } from './provider-job.ts';
import { clearIntent, isOtherJob, writeRemoteId } from './provider-jobs.store.ts';

/** `absent`: the job does not exist and never will, so it may be created. `unknowable`: it may not. */
export async function lookUp<Remote extends RemoteJob>(
  { lease, table, state, search }: ProviderJob<Remote, unknown>,
  { signal, tools }: Turn<ProviderJobTools>,
): Promise<{ readonly remote: Remote } | 'absent' | 'unknowable' | Again> {
  const { db, clock } = tools;
  const { provider, sentAt } = state;
  if (provider === null || sentAt === null || search === null) return 'absent';
  const isOther = (remoteId: string): Promise<boolean> =>
    isOtherJob(db, table, { id: lease.subject, provider, remoteId });
  const find = (): Promise<Found<Remote>> => search.find({ sentAt, isOther }, signal);
  let found = await find();
  // Until then the request may still arrive, or a list may lag behind.
  const final = clock.now() >= sentAt + tools.unknownMs;
  if (found === 'absent' && final && search.withdraw !== undefined) {
    // A request that arrives after this fails; one that arrived before is found now.
    await search.withdraw(signal);
    found = await find();
  }
  if (typeof found === 'object') {
    await writeRemoteId(db, lease, { table, remoteId: found.id });
    return { remote: found };
  }
  if (found === 'unclear' || !final) return { again: nextPoll(state, tools) };
  if (found === 'absent') await clearIntent(db, lease, table);
  return found;
}
