/** What callers get when units or a monthly limit do not suffice. Pure. */
import { Problem } from '../kernel/problem.ts';
import { type Month, printMonthEnd } from '../kernel/time.ts';
import { printUnits, type Units, ZERO } from '../kernel/units.ts';

/** Unlike units that are spent, those that are held are free again soon. */
const tryAgain = { retryAfterMs: 2_000, headers: { 'x-should-retry': 'true' } };

export function noUnits(spaceName: string): Problem {
  return new Problem('insufficient_units', {
    detail: `The space ${spaceName} has no units left and may not use overage, or an operator blocked it. Ask its administrator to add units.`,
    facts: { limit: 'space_units' },
  });
}

export function unitsOnHold(of: { spaceName: string; left: Units; onHold: Units }): Problem {
  const [left, held] = [printUnits(of.left), printUnits(of.onHold)];
  return new Problem('insufficient_units', {
    ...tryAgain,
    detail: `The space ${of.spaceName} has ${left} units left, and ${held} are held for calls whose cost is being determined. Send the call again in a few seconds.`,
    facts: { limit: 'space_units', left, held },
  });
}

export function limitReached(of: {
  whose: 'key' | 'member';
  month: Month;
  spent: Units;
  reserved: Units;
  /** Zero if the limit is reached without it. */
  onHold: Units;
  limit: Units;
}): Problem {
  const { whose } = of;
  const resets = printMonthEnd(of.month);
  const [spent, cap] = [printUnits(of.spent), printUnits(of.limit)];
  const reserved = of.reserved === ZERO ? null : printUnits(of.reserved);
  const held = of.onHold === ZERO ? null : printUnits(of.onHold);
  const sentences = [
    `The monthly limit of this ${whose} is reached: ${spent} of ${cap} units are spent.`,
    reserved && `${reserved} units are reserved for batches that are not settled and calls without a price.`,
    held &&
      `${held} units are held for calls whose cost is being determined. Send the call again in a few seconds.`,
    `The limit is reset at ${resets}.`,
  ];
  return new Problem('policy_limit_exceeded', {
    ...(held && tryAgain),
    detail: sentences.filter((sentence) => sentence !== null).join(' '),
    facts: {
      ...{ limit: `${whose}_month`, spent, cap, resets_at: resets },
      ...(reserved && { reserved }),
      ...(held && { held }),
    },
  });
}

/** A batch that might cost more than a limit has left. */
export function doesNotFit(of: {
  whose: 'key' | 'member';
  month: Month;
  spent: Units;
  reserved: Units;
  needed: Units;
  limit: Units;
}): Problem {
  const resets = printMonthEnd(of.month);
  const [needed, reserved] = [printUnits(of.needed), printUnits(of.reserved)];
  const [spent, cap] = [printUnits(of.spent), printUnits(of.limit)];
  return new Problem('policy_limit_exceeded', {
    detail:
      `The batch may cost ${needed} units, which do not fit into the monthly limit of this ${of.whose}: ${spent} of ` +
      `${cap} units are spent, and ${reserved} are reserved. Set lower output caps or send fewer lines. ` +
      `The limit is reset at ${resets}.`,
    facts: { limit: `${of.whose}_month`, needed, spent, reserved, cap, resets_at: resets },
  });
}

/** For the lines of a batch that has cost as much as was reserved for it. */
export function reserveUsedUp(reserved: Units): Problem {
  return new Problem('policy_limit_exceeded', {
    detail:
      `The line was not run: the batch has cost the ${printUnits(reserved)} units that were reserved for it, and its key ` +
      'or member has a monthly limit. Submit the line again in another batch.',
    facts: { limit: 'batch_reserve', reserved: printUnits(reserved) },
  });
}
