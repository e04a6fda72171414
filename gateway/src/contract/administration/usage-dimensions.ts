/** What usage can be broken down by. It imports nothing heavy, so that a command starts fast. */
import { usageDimensions } from './words.ts';

export const attributedDimensions = ['end_user', 'session'] as const;
/** The shapes of a dimension, as documents and messages show them. */
export const USAGE_DIMENSIONS_SHOWN = [...usageDimensions, ...attributedDimensions, 'tag:<key>'].join(', ');
export const USAGE_DIMENSION = new RegExp(
  `^(?:${[...usageDimensions, ...attributedDimensions].join('|')}|tag:[A-Za-z0-9_][A-Za-z0-9_./-]{0,63})$`,
);

/**
 * `value`: a model, key, member, day, tag, end user or session. `untagged`: calls without one. `other`: calls with one that is
 * not kept, because a space has used too many in the month.
 */
export const usageKinds = ['value', 'untagged', 'other'] as const;
export type UsageKind = (typeof usageKinds)[number];
