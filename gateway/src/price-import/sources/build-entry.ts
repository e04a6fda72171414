/** Builds an entry of a price sheet from single prices with their conditions. Pure. */
import { type TokenComponent, tokenComponents } from '../../contract/price-components.ts';
import { hoursText, type PricingHours } from '../../contract/price-hours.ts';
import type { PriceEntry, PriceRuleEntry } from '../../price-sheets/price-entry.ts';
import { exactRatio } from './decimal-text.ts';

export interface PriceConditions {
  readonly context_above?: number;
  readonly tier?: string;
  readonly geo?: string;
  readonly batch?: true;
  readonly hours?: PricingHours;
}

export interface SourcePrice {
  readonly conditions: PriceConditions;
  /** As on receipts: `input`, `request`, `tool.web_search`, `image.default`, `second.1080p`; or `factor`. */
  readonly component: string;
  readonly amount: string;
}

type Amounts = Map<string, string>;

export function buildEntry(prices: readonly SourcePrice[]): { entry: PriceEntry; notes: string[] } {
  const groups = new Map<string, { conditions: PriceConditions; amounts: Amounts }>();
  for (const { conditions, component, amount } of prices) {
    const key = conditionsText(conditions);
    const group = groups.get(key) ?? { conditions, amounts: new Map<string, string>() };
    groups.set(key, group);
    group.amounts.set(component, amount);
  }
  const base = groups.get('')?.amounts ?? new Map<string, string>();
  const special = [...groups.values()].filter(({ conditions }) => conditionsText(conditions) !== '');
  special.sort((a, b) => rank(a.conditions) - rank(b.conditions));
  const notes: string[] = [];
  const when = special.flatMap(({ conditions, amounts }) => {
    const rule = buildRule(conditions, amounts, { base, special });
    if (rule === null) {
      notes.push(
        `${conditionsText(conditions)}: its prices for long prompts or other hours are unknown, so it has none`,
      );
      return [];
    }
    return [rule];
  });
  return { entry: { ...plainFields(base), ...(when.length > 0 && { when }) }, notes };
}

/** As people read it: `above 200000, tier flex`. Empty without conditions. */
export function conditionsText({ context_above, tier, geo, batch, hours }: PriceConditions): string {
  return [
    ...(context_above === undefined ? [] : [`above ${context_above}`]),
    ...(tier === undefined ? [] : [`tier ${tier}`]),
    ...(geo === undefined ? [] : [`geo ${geo}`]),
    ...(batch ? ['batch'] : []),
    ...(hours === undefined ? [] : [hoursText(hours)]),
  ].join(', ');
}

/** By length, then by hours, so that the factors of tiers, batches and regions change them too; combinations last. */
function rank({ context_above, tier, geo, batch, hours }: PriceConditions): number {
  const others = [tier, batch, geo].filter((one) => one !== undefined).length;
  const length = context_above === undefined ? 0 : 1 + context_above / Number.MAX_SAFE_INTEGER;
  const place = length + (hours === undefined ? 0 : 3);
  if (others === 0) return place;
  return 10 * others + place + (geo === undefined ? 0 : 5);
}

/** Only by length or by hours. */
export function isPlainRule({ tier, geo, batch }: PriceConditions): boolean {
  return tier === undefined && geo === undefined && batch === undefined;
}

interface Surroundings {
  readonly base: Amounts;
  readonly special: ReadonlyArray<{ conditions: PriceConditions; amounts: Amounts }>;
}

/**
 * A price of a tier would replace the higher price of a long prompt or of other hours as well. So it becomes a factor,
 * unless the source has a price for the combination. Null if no exact factor exists.
 */
function buildRule(
  conditions: PriceConditions,
  amounts: Amounts,
  around: Surroundings,
): PriceRuleEntry | null {
  const factors: Partial<Record<TokenComponent, string>> = {};
  const kept = new Map(amounts);
  kept.delete('factor');
  for (const component of tokenComponents) {
    const amount = amounts.get(component);
    if (amount === undefined || !hidesOther(conditions, component, around)) continue;
    const ratio = exactRatio(amount, around.base.get(component) ?? '0');
    if (ratio === null) return null;
    factors[component] = ratio;
    kept.delete(component);
  }
  const factor = amounts.get('factor');
  return {
    ...conditions,
    ...(factor !== undefined && { factor }),
    ...(Object.keys(factors).length > 0 && { factors }),
    ...plainFields(kept),
  };
}

/** Whether the price would replace another special price, of a rule that comes before and may apply at the same time. */
function hidesOther(conditions: PriceConditions, component: string, { special }: Surroundings): boolean {
  if (conditions.context_above !== undefined) return false;
  return special.some(({ conditions: other, amounts }) => {
    const exclusive = conditions.hours !== undefined && other.hours !== undefined;
    if (!isPlainRule(other) || exclusive || rank(other) >= rank(conditions)) return false;
    if (!amounts.has(component)) return false;
    const both = conditionsText({ ...conditions, ...other });
    return !special.some((one) => conditionsText(one.conditions) === both && one.amounts.has(component));
  });
}

/** The components that are not tokens have fields of their own. */
function plainFields(amounts: Amounts): Partial<Omit<PriceEntry, 'when'>> {
  const fields: Record<string, string> = {};
  for (const component of [...tokenComponents, 'request']) {
    const amount = amounts.get(component);
    if (amount !== undefined) fields[component] = amount;
  }
  return {
    ...fields,
    ...kindField('tools', amounts, 'tool.'),
    ...kindField('per_image', amounts, 'image.'),
    ...kindField('per_second', amounts, 'second.'),
  };
}

function kindField(name: string, amounts: Amounts, prefix: string): Record<string, unknown> {
  const kinds = [...amounts].flatMap(([component, amount]) =>
    component.startsWith(prefix) ? [[component.slice(prefix.length), amount] as const] : [],
  );
  return kinds.length === 0 ? {} : { [name]: Object.fromEntries(kinds) };
}
