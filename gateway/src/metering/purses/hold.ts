/** What a running call may cost, taken from purses before it is sent. */
import type { Listed, LiveList } from '../../kernel/live-list.ts';
import { subtractUnits, type Units, ZERO } from '../../kernel/units.ts';
import { type Purse, type PurseName, purseAt, purseId } from './purse.ts';

/** It is ended once; what comes after that has no effect. */
export interface Hold {
  /** The call costs this much, which is durable. `at`: when it was charged. */
  settle(cost: Units, at: number): void;
  /** It costs nothing. */
  release(): void;
  /** It may cost this much, if that is more than what is held. */
  grow(amount: Units): void;
  /** What is held of each purse, by its id. */
  readonly parts: ReadonlyMap<string, Units>;
  /** The parts are reserved in the database instead. */
  move(): void;
}

const nothing = (): void => undefined;

/** Of calls that nothing limits. */
export const NO_HOLD: Hold = {
  settle: nothing,
  release: nothing,
  grow: nothing,
  move: nothing,
  parts: new Map(),
};

interface Part {
  readonly purse: Purse;
  held: Units;
}

/** One that is not ended. */
export interface OpenHold extends Listed {
  /** When it was taken, on the monotonic scale of the clock. */
  readonly sinceMs: number;
}

export interface HoldEvents {
  readonly nowMs: number;
  /** It is in this list until it is ended. */
  readonly open: LiveList<OpenHold>;
  /** Charges a purse that nothing was taken from. */
  readonly charge: (name: PurseName, cost: Units) => void;
  readonly settled?: ((cost: Units) => void) | undefined;
}

/** What a call needs of a purse. */
export interface Need {
  readonly purse: Purse;
  readonly amount: Units;
}

/** Takes the amount from each purse; one that has less is used up. */
export function holdFrom(needs: readonly Need[], on: HoldEvents): Hold {
  const parts = needs.map(({ purse, amount }): Part => {
    const held = purse.free < amount && purse.free > ZERO ? purse.free : amount;
    purse.hold(held, on.nowMs);
    return { purse, held };
  });
  const end = (): boolean => {
    const isOpen = hold.place >= 0;
    on.open.remove(hold);
    return isOpen;
  };
  const hold: Hold & OpenHold = {
    place: -1,
    sinceMs: on.nowMs,
    settle(cost, at) {
      if (!end()) return;
      for (const { purse, held } of parts) {
        // A call counts in the window in which it ended.
        const counted = purseAt(purse.name, at);
        const isOther = counted !== purse.name;
        purse.settle(held, isOther ? ZERO : cost);
        if (!isOther) continue;
        if (!parts.some((part) => part.purse.id === purseId(counted))) on.charge(counted, cost);
      }
      on.settled?.(cost);
    },
    release() {
      if (!end()) return;
      for (const { purse, held } of parts) purse.settle(held, ZERO);
    },
    grow(wanted) {
      if (hold.place < 0) return;
      for (const part of parts) {
        if (wanted <= part.held) continue;
        part.purse.holdMore(subtractUnits(wanted, part.held));
        part.held = wanted;
      }
    },
    get parts() {
      return new Map(parts.map(({ purse, held }) => [purse.id, held]));
    },
    move() {
      if (!end()) return;
      for (const { purse, held } of parts) purse.move(held);
    },
  };
  on.open.add(hold);
  return hold;
}
