/** What callers get when units or a monthly limit do not suffice. Pure. */
import { Problem } from '../kernel/problem.ts';
import { type Month, printMonthEnd } from '../kernel/time.ts';
import { addUnits, printUnits, subtractUnits, type Units, ZERO } from '../kernel/units.ts';
import type { PurseRefusal } from './purses/purse-refusal.ts';

/** Unlike units that are spent, those that are held are free again soon. */
export const tryAgain = { retryAfterMs: 2_000, headers: { 'x-should-retry': 'true' } };

export function noUnits(spaceName: string): Problem {
  return new Problem('insufficient_units', {
    detail: `The space ${spaceName} has no units left and may not use overage, or an operator blocked it. Ask its administrator to add units.`,
    facts: { limit: 'space_units' },
  });
}

/** `amount`: what the call may cost. */
export function refusalProblem(
  refusal: PurseRefusal,
  { spaceName, amount }: { spaceName: string; amount: Units },
): Problem {
  const { refused, reason, limit, spent, reserved, held } = refusal;
  if (refused.kind === 'space' || refused.kind === 'budget' || refused.window === null) {
    if (reason === 'spent') return noUnits(spaceName);
    const left = subtractUnits(limit, addUnits(spent, reserved));
    return reason === 'held'
      ? unitsOnHold({ spaceName, left, onHold: held })
      : unitsTooFew({ spaceName, left, needed: amount });
  }
  const of = { whose: refused.kind, month: refused.window, spent, reserved, limit };
  if (reason === 'large') return doesNotFit({ ...of, needed: amount });
  return limitReached({ ...of, onHold: reason === 'held' ? held : ZERO });
}

function unitsTooFew(of: { spaceName: string; left: Units; needed: Units }): Problem {
  const [left, needed] = [printUnits(of.left), printUnits(of.needed)];
  return new Problem('insufficient_units', {
    detail:
      `The call may cost ${needed} units, and the space ${of.spaceName} has ${left} left, which it may not exceed. Set a ` +
      'lower output limit, send a shorter prompt, or ask its administrator to add units.',
    facts: { limit: 'space_units', left, needed },
  });
}

function unitsOnHold(of: { spaceName: string; left: Units; onHold: Units }): Problem {
  const [left, held] = [printUnits(of.left), printUnits(of.onHold)];
  return new Problem('insufficient_units', {
    ...tryAgain,
    detail: `The space ${of.spaceName} has ${left} units left, and ${held} are held for running calls. Send the call again in a few seconds.`,
    facts: { limit: 'space_units', left, held },
  });
}

function limitReached(of: {
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
    held && `${held} units are held for running calls. Send the call again in a few seconds.`,
    `The limit is reset at ${resets}.`,
  ];
  return new Problem('policy_limit_exceeded', {
    ...(held && tryAgain),
    detail: sentences.filter((sentence) => sentence !== null).join(' '),
    facts: {
      limit: `${whose}_month`,
      spent,
      cap,
      resets_at: resets,
      ...(reserved && { reserved }),
      ...(held && { held }),
    },
  });
}

/** A call or a batch that might cost more than a limit has left. */
function doesNotFit(of: {
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
      `The request may cost ${needed} units, which do not fit into the monthly limit of this ${of.whose}: ${spent} of ` +
      `${cap} units are spent, and ${reserved} are reserved. Set lower output limits, or send less at once. ` +
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
