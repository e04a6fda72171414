/** Why a purse does not suffice for a call. Pure. */
import { addUnits, subtractUnits, type Units, ZERO } from '../../kernel/units.ts';
import type { Purse, PurseName } from './purse.ts';

export interface PurseRefusal {
  readonly refused: PurseName;
  /**
   * `spent`: nothing is left. `held`: running calls may leave enough of it. `large`: something is left, but not what the
   * call may cost.
   */
  readonly reason: 'spent' | 'held' | 'large';
  readonly limit: Units;
  readonly spent: Units;
  readonly reserved: Units;
  /** For running calls, here and in other processes. */
  readonly held: Units;
}

export function purseRefusal(purse: Purse, amount: Units, hard: boolean): PurseRefusal {
  const { answer, spent, held, name } = purse;
  const [limit, reserved] = [answer?.limit ?? ZERO, answer?.reserved ?? ZERO];
  const left = subtractUnits(limit, addUnits(spent, reserved));
  const reason = left <= ZERO ? 'spent' : hard && left < amount ? 'large' : 'held';
  return { refused: name, reason, limit, spent, reserved, held: addUnits(held, answer?.others ?? ZERO) };
}
