/** Whose turn a count of tokens takes, and that it ends when the caller disconnects. */
import type { Principal } from '../access/principal.ts';
import { Cancellation } from '../kernel/cancellation.ts';
import type { CountFor } from '../tokens/token-counter.ts';
import type { CallReply } from './call-reply.ts';

/** Before the call begins, which then listens itself. `reply` is absent for work that has no caller. */
export function countFor(
  { spaceId }: Pick<Principal, 'spaceId'>,
  reply?: Pick<CallReply, 'onGone'>,
): () => CountFor {
  return () => {
    if (reply === undefined) return { lane: spaceId };
    const cancellation = new Cancellation();
    reply.onGone(() => cancellation.cancel());
    return { lane: spaceId, cancellation };
  };
}
