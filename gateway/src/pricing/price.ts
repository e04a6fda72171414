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
  const { input, output, cachedInput = input, cacheWrite = input } = price;
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage;
  const lines: ChargeLine[] = [];
  const priced =
    addLine(lines, 'input', inputTokens - cachedInputTokens - cacheWriteTokens, input) &&
    addLine(lines, 'cached_input', cachedInputTokens, cachedInput) &&
    addLine(lines, 'cache_write', cacheWriteTokens, cacheWrite) &&
    addLine(lines, 'output', outputTokens - reasoningTokens, output) &&
    addLine(lines, 'reasoning', reasoningTokens, output);
  return priced ? { total: sumUnits(lines.map((line) => line.amount)), lines } : null;
}

/** False when something was used that has no price. Each line is rounded by itself, so that they add up. */
function addLine(
  lines: ChargeLine[],
  component: ChargeComponent,
  count: number,
  price: Units | undefined,
): boolean {
  if (count === 0) return true;
  if (price === undefined) return false;
  lines.push({ component, count, price, amount: multiplyUnits(price, { count, per: PER_MILLION }) });
  return true;
}
