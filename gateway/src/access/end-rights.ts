/**
 * Ends what a person has left behind in a place where they lost their rights: administration tokens, whose secrets they
 * know, and open invitations, whose codes they know.
 */
import type { Transaction } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import { keepLostTokens, type LostToken, listLostTokens, revokeLostTokens } from './admin-tokens.store.ts';
import { type Invitation, revokeLostInvitations } from './invitations.store.ts';

export interface LostRights {
  readonly tokensEnded: readonly LostToken[];
  readonly tokensKept: readonly LostToken[];
  readonly invitationsRevoked: ReadonlyArray<Pick<Invitation, 'spaceId' | 'email'>>;
}

/** `keptBy`: who answers for the tokens from now on, as in the audit log; null: they end. */
export async function endLostRights(
  tx: Transaction,
  { email, keptBy, now }: { email: string; keptBy: string | null; now: Instant },
): Promise<LostRights> {
  const invitationsRevoked = await revokeLostInvitations(tx, email, now);
  if (keptBy === null) {
    return { tokensEnded: await revokeLostTokens(tx, email, now), tokensKept: [], invitationsRevoked };
  }
  const tokensKept = await keepLostTokens(tx, email, keptBy);
  const stillLost = await listLostTokens(tx, keptBy);
  if (stillLost.some((id) => tokensKept.some((kept) => kept.id === id))) {
    throw new Problem('conflict', {
      detail: 'You lose the right to these tokens yourself, so you cannot keep them. Leave out keep_tokens.',
      param: 'keep_tokens',
    });
  }
  return { tokensEnded: [], tokensKept, invitationsRevoked };
}
