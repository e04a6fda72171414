/** Prices a call. Pure: the same usage and the same sheet always give the same units. */
import { multiplyUnits, sumUnits, type Units } from '../kernel/units.ts';
import type { Usage } from './usage.ts';

/** The prices of one model, in units per million tokens. */
export interface ModelPrice {
  readonly input?: Units;
  readonly cachedInput?: Units;
  readonly cacheWrite?: Units;
  readonly output?: Units;
  readonly batchInput?: Units;
  readonly batchOutput?: Units;
}

export type ChargeComponent = 'input' | 'cached_input' | 'cache_write' | 'output' | 'reasoning';

/** One line of a receipt: so many, at this price per million, made this much. */
export interface ChargeLine {
  readonly component: ChargeComponent;
  readonly count: number;
  readonly price: Units;
  readonly amount: Units;
}

export interface Charge {
  readonly total: Units;
  readonly lines: readonly ChargeLine[];
}

const PER_MILLION = 1_000_000;

/** Null when a component was used that the sheet has no price for: unknown, never zero. */
export function priceUsage(usage: Usage, price: ModelPrice | null): Charge | null {
  if (price === null) return null;
  const parts: Array<[ChargeComponent, number, Units | undefined]> = [
    ['input', usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteTokens, price.input],
    ['cached_input', usage.cachedInputTokens, price.cachedInput ?? price.input],
    ['cache_write', usage.cacheWriteTokens, price.cacheWrite ?? price.input],
    ['output', usage.outputTokens - usage.reasoningTokens, price.output],
    ['reasoning', usage.reasoningTokens, price.output],
  ];
  const lines: ChargeLine[] = [];
  for (const [component, count, unitPrice] of parts) {
    if (count === 0) continue;
    if (unitPrice === undefined) return null;
    // Each line is rounded by itself, so that the lines of a receipt add up to its total.
    lines.push({
      component,
      count,
      price: unitPrice,
      amount: multiplyUnits(unitPrice, { count, per: PER_MILLION }),
    });
  }
  return { total: sumUnits(lines.map((line) => line.amount)), lines };
}
