/** What ends when a person loses rights, as it is answered and written to the audit log. */
import type { Actor } from '../access/actor.ts';
import type { LostToken } from '../access/admin-tokens.store.ts';
import { endLostRights } from '../access/end-rights.ts';
import type { Transaction } from '../database/database.ts';
import type { Instant } from '../kernel/time.ts';

/** Called in the transaction in which the person loses them. `audited`: nothing if nothing ended. */
export async function afterLoss(
  { tx, now, actor }: { tx: Transaction; now: Instant; actor: Actor },
  { email, keep_tokens = false }: { email: string; keep_tokens?: boolean | undefined },
) {
  const lost = await endLostRights(tx, { email, keptBy: keep_tokens ? actor.name : null, now });
  const shown = {
    tokens_ended: lost.tokensEnded.map(shownToken),
    tokens_kept: lost.tokensKept.map(shownToken),
    invitations_revoked: lost.invitationsRevoked.map(({ email: invited }) => invited),
  };
  const isAny = Object.values(shown).some((list) => list.length > 0);
  return { shown, audited: isAny ? shown : null };
}

function shownToken({ id, name, space, access }: LostToken) {
  return { id, name, space, access };
}
