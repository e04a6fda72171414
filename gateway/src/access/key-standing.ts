/** Whether a key is accepted, and why not. */
import { Problem } from '../kernel/problem.ts';
import { type Instant, kstOf } from '../kernel/time.ts';

/** What decides about a key. */
export interface KeyStanding {
  readonly keyId: string;
  readonly disabled: boolean;
  readonly expiresAt: Instant;
  /** When an administrator ends the access of its owner; null: never. */
  readonly memberExpiresAt: Instant | null;
}

/** When the key is no longer accepted, if nothing changes. */
export function endOfKey({ expiresAt, memberExpiresAt }: KeyStanding): Instant {
  return Math.min(expiresAt, memberExpiresAt ?? expiresAt);
}

/** Null if the key is accepted. `standing` is null for a key that is unknown or revoked, or whose member was removed. */
export function keyProblem(standing: KeyStanding | null, now: Instant): Problem | null {
  if (standing === null) {
    return new Problem('invalid_credentials', {
      detail: 'The key is unknown or was revoked. Check it, or create a new one.',
    });
  }
  if (standing.disabled) {
    return new Problem('invalid_credentials', {
      detail: 'The key is disabled. An administrator of its space can enable it again.',
      facts: { key_id: standing.keyId },
    });
  }
  const { keyId, expiresAt, memberExpiresAt } = standing;
  if (expiresAt <= now)
    return new Problem('api_key_expired', { facts: { key_id: keyId, expired_at: kstOf(expiresAt) } });
  if (memberExpiresAt === null || memberExpiresAt > now) return null;
  return new Problem('api_key_expired', {
    detail:
      `The access of the owner of this key ended at ${kstOf(memberExpiresAt)}. ` +
      'Ask an administrator of the space.',
    facts: { key_id: keyId, member_ended_at: kstOf(memberExpiresAt) },
  });
}
