/** The end user tag within the length limit of a provider; a longer tag is replaced by its digest. */
import { sha256 } from '../kernel/digest.ts';

/** The tag is opaque, so a digest distinguishes users as well. */
export function userTag(user: string | null, charactersMax: number): string | null {
  return user === null || user.length <= charactersMax ? user : sha256(user);
}
