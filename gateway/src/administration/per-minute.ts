/** Per-minute rate limits, as keys and spaces have them. */
import { Type } from 'typebox';
import type { Rate } from '../access/principal.ts';
import { AdminError } from './admin-error.ts';
import { whole } from './input-fields.ts';

const PER_MINUTE = { min: 1, max: 2_000_000_000 };

const PerMinute = Type.Optional(
  Type.Union([whole(PER_MINUTE), Type.Null()], {
    description: `A whole number from ${PER_MINUTE.min} to ${PER_MINUTE.max}, or null for no limit.`,
  }),
);

/** A limit that is left out stays as it is. */
export const rateFields = { requests_per_minute: PerMinute, tokens_per_minute: PerMinute };

export function rateOf(input: {
  requests_per_minute?: number | null;
  tokens_per_minute?: number | null;
}): Partial<Rate> {
  const { requests_per_minute: requests, tokens_per_minute: tokens } = input;
  if (requests === undefined && tokens === undefined)
    throw new AdminError('Nothing to change: set requests_per_minute, tokens_per_minute or both.');
  return {
    ...(requests !== undefined && { requestsPerMinute: requests }),
    ...(tokens !== undefined && { tokensPerMinute: tokens }),
  };
}

export function shownRate({ requestsPerMinute, tokensPerMinute }: Rate) {
  return {
    requests_per_minute: requestsPerMinute ?? ('none' as const),
    tokens_per_minute: tokensPerMinute ?? ('none' as const),
  };
}
