/** What a running call may cost, taken from purses before it is sent. */
import { subtractUnits, type Units, ZERO } from '../../kernel/units.ts';
import type { Purse } from './purse.ts';

/** It is ended once; what comes after that has no effect. */
export interface Hold {
  /** The call costs this much, which is durable. */
  settle(cost: Units): void;
  /** It costs nothing. */
  release(): void;
  /** It may cost this much, if that is more than what is held. */
  grow(amount: Units): void;
}

/** Of calls that nothing limits. */
export const NO_HOLD: Hold = { settle: () => undefined, release: () => undefined, grow: () => undefined };

/** Takes the amount from each purse; one that has less is used up. */
export function holdFrom(purses: readonly Purse[], amount: Units, nowMs: number): Hold {
  const parts = purses.map((purse) => {
    const held = purse.free < amount && purse.free > ZERO ? purse.free : amount;
    purse.hold(held, nowMs);
    return { purse, held };
  });
  let isOpen = true;
  const end = (cost: Units): void => {
    if (!isOpen) return;
    isOpen = false;
    for (const { purse, held } of parts) purse.settle(held, cost);
  };
  const grow = (wanted: Units): void => {
    if (!isOpen) return;
    for (const part of parts) {
      if (wanted <= part.held) continue;
      part.purse.holdMore(subtractUnits(wanted, part.held));
      part.held = wanted;
    }
  };
  return { settle: end, release: () => end(ZERO), grow };
}
