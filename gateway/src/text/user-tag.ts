/** The tag of an end user within the length that a provider takes; a longer one goes as its digest. */
import { sha256 } from '../kernel/digest.ts';

/** The tag means nothing but itself, so a digest of it tells users apart as well. */
export function userTag(user: string | null, charactersMax: number): string | null {
  return user === null || user.length <= charactersMax ? user : sha256(user);
}
