/** Whether a key is accepted, and why not. */
import { Problem } from '../kernel/problem.ts';
import { type Instant, isoOf } from '../kernel/time.ts';

/** What decides about a key. */
export interface KeyStanding {
  readonly keyId: string;
  readonly disabled: boolean;
  readonly expiresAt: Instant;
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
  if (standing.expiresAt > now) return null;
  const facts = { key_id: standing.keyId, expired_at: isoOf(standing.expiresAt) };
  return new Problem('api_key_expired', { facts });
}
