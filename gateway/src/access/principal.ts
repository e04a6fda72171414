/** The principal of a call: the key, its space, its member and its limits. */
import type { Holder } from '../contract/administration/rules/rule.ts';
import type { Instant } from '../kernel/time.ts';
import type { Budget } from './budget.ts';
import { initialRules, type Rules } from './rules.store.ts';

export type KeyKind = 'personal' | 'shared' | 'management';

/** Per-minute rate limits. Null: unlimited; at least one of them is not null. */
export interface Rate {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
}

export interface Principal {
  readonly keyId: string;
  /** Of the secret that the caller sent; a key may have two. Of a workload, the id of its rule. Absent without a key. */
  readonly digest?: string;
  readonly keyKind: KeyKind;
  readonly spaceId: string;
  readonly spaceName: string;
  /** The person behind a personal key. */
  readonly memberId: string | null;
  readonly expiresAt: Instant;
  /** The end that an administrator set for the member; null: none. */
  readonly memberExpiresAt: Instant | null;
  readonly disabled: boolean;
  /** The codes of the models that both the key and its member may use; null: all models of the space. */
  readonly models: ReadonlySet<string> | null;
  /** The names that its space has given to models; absent: none. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** The budgets that may count its calls; absent: none. */
  readonly budgets?: readonly Budget[];
  /** All that is set for the key, its member and its space. What is checked often has a name of its own here. */
  readonly rules: { readonly [Of in Holder]: Rules<Of> };
  /** Null: unlimited. */
  readonly keyRate: Rate | null;
  /** For all keys of the member together. */
  readonly memberRate: Rate | null;
  readonly spaceRate: Rate | null;
  /** Whether the space allows its responses to be kept. */
  readonly keepsResponses: boolean;
  /** Whether calls of the space may ask for something that has no price. */
  readonly unpricedAllowed: boolean;
  /** Whether the space may spend more units than it holds. */
  readonly overageAllowed: boolean;
  /** An operator blocked the space. */
  readonly blocked: boolean;
  /** Whether what a call costs at most must fit into units and limits. */
  readonly hardLimits: boolean;
}

const NO_RULES_AT_ALL = {
  key: initialRules('key'),
  member: initialRules('member'),
  space: initialRules('space'),
} as const;

/**
 * The principal of work that runs in the background, without its key. The limits of the key were checked when the
 * work was submitted.
 */
export function backgroundPrincipal(
  of: Pick<Principal, 'keyId' | 'spaceId' | 'spaceName' | 'memberId'> &
    Partial<Pick<Principal, 'unpricedAllowed' | 'budgets'>>,
): Principal {
  return {
    unpricedAllowed: false,
    overageAllowed: true,
    blocked: false,
    hardLimits: false,
    ...of,
    keyKind: of.memberId === null ? 'shared' : 'personal',
    expiresAt: Number.POSITIVE_INFINITY,
    memberExpiresAt: null,
    disabled: false,
    models: null,
    rules: NO_RULES_AT_ALL,
    keyRate: null,
    memberRate: null,
    spaceRate: null,
    keepsResponses: false,
  };
}

/** Who owns a record inside a space. For everyone outside this scope the record does not exist. */
export interface OwnerScope {
  readonly spaceId: string;
  /** The member of a personal key, or a shared key itself. */
  readonly owner: string;
}

export function ownerScope(principal: Principal): OwnerScope {
  return { spaceId: principal.spaceId, owner: ownerOf(principal) };
}

/** The owner of what a key creates and sees: its member, or the key itself if it is shared. */
export function ownerOf(principal: Principal): string {
  return principal.memberId ?? principal.keyId;
}
