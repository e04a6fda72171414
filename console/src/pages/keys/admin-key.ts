import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import type { Tone } from '../../parts/badge.tsx';

export type AdminKey = ResultOf<'keys.get'>;

export const stateTones: Readonly<Record<AdminKey['state'], Tone>> = {
  active: 'good',
  disabled: 'warn',
  expired: 'warn',
  revoked: 'bad',
};

/** A disabled key that nobody disabled belongs to a removed member. */
export function isOrphan({ state, disabled }: AdminKey): boolean {
  return state === 'disabled' && !disabled;
}
