import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import type { Tone } from '../../parts/badge.tsx';

export type KeyView = ResultOf<'keys.get'>;

/** What the dialog of an action on a key gets. */
export interface KeyChangeProps {
  readonly row: KeyView;
  onClose(): void;
}

export const stateTones: Readonly<Record<KeyView['state'], Tone>> = {
  active: 'good',
  disabled: 'warn',
  expired: 'warn',
  revoked: 'bad',
};

/** A disabled key that nobody disabled belongs to a removed member. */
export function isOrphan({ state, disabled }: KeyView): boolean {
  return state === 'disabled' && !disabled;
}
