/** Who is calling: what a key stands for. */
import type { Instant } from '../kernel/time.ts';
import type { Units } from '../kernel/units.ts';

export type KeyKind = 'personal' | 'shared' | 'management';

/** How much may be asked in a minute; null is no limit, and one of them is not null. */
export interface Rate {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
}

export interface Principal {
  readonly keyId: string;
  readonly keyKind: KeyKind;
  readonly spaceId: string;
  readonly spaceName: string;
  /** The person behind a personal key. */
  readonly memberId: string | null;
  readonly expiresAt: Instant;
  readonly disabled: boolean;
  /** The codes of the models it may use; null is all of the space's. */
  readonly models: ReadonlySet<string> | null;
  /** Units a month; null is no limit. */
  readonly keyMonthLimit: Units | null;
  readonly memberMonthLimit: Units | null;
  /** Null is no limit at all, of the key and of its whole space. */
  readonly keyRate: Rate | null;
  readonly spaceRate: Rate | null;
  /** Whether the space lets the items of its responses be kept. */
  readonly keepsResponses: boolean;
}

/**
 * Who stands behind work that goes on without a key at hand. What a key may use and spend was looked at when
 * the work was handed in.
 */
export function absentPrincipal(
  of: Pick<Principal, 'keyId' | 'spaceId' | 'spaceName' | 'memberId'>,
): Principal {
  return {
    ...of,
    keyKind: of.memberId === null ? 'shared' : 'personal',
    expiresAt: Number.POSITIVE_INFINITY,
    disabled: false,
    models: null,
    keyMonthLimit: null,
    memberMonthLimit: null,
    keyRate: null,
    spaceRate: null,
    keepsResponses: false,
  };
}

/** What somebody owns inside a space. Nobody outside this scope can tell whether it exists. */
export interface OwnerScope {
  readonly spaceId: string;
  /** The member of a personal key, or the key itself if it is shared. */
  readonly owner: string;
}

/** Whose things a key makes and sees: those of its person, or, where it is shared, its own. */
export function ownerOf(principal: Principal): string {
  return principal.memberId ?? principal.keyId;
}
