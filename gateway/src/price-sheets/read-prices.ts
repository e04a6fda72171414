/** Builds the prices of a model from the checked sheet. Pure. */
import { type TokenComponent, tokenComponents } from '../contract/price-components.ts';
import { parseUnits, type Units } from '../kernel/units.ts';
import type { ModelPrice, PriceList, PriceRule, TokenPrices } from '../pricing/model-price.ts';
import { readHours } from '../pricing/price-hours.ts';
import type { PriceEntries, PriceEntry, PriceRuleEntry } from './price-entry.ts';

/** Empty if the sheet has no entry for the model. */
export function readPrices(entries: PriceEntries | undefined): PriceList {
  if (entries === undefined) return [];
  const list = Array.isArray(entries) ? (entries as PriceEntry[]) : [entries as PriceEntry];
  return list.map((entry) => ({
    from: entry.from === undefined ? null : Date.parse(entry.from),
    price: readPrice(entry),
  }));
}

/** The prices that are charged, without where they come from: that may change under the same version. */
export function chargedEntries(models: Readonly<Record<string, PriceEntries>>): Record<string, PriceEntries> {
  const charged = ({ as_of: _, source: __, ...entry }: PriceEntry): PriceEntry => entry;
  return Object.fromEntries(
    Object.entries(models).map(([code, entries]) => [
      code,
      Array.isArray(entries) ? (entries as PriceEntry[]).map(charged) : charged(entries as PriceEntry),
    ]),
  );
}

function readPrice(entry: PriceEntry): ModelPrice {
  const rules = [...batchRule(entry), ...(entry.when ?? []).map(readRule)];
  return {
    tokens: readAmounts(entry),
    rules,
    ...(rules.some(({ hours }) => hours !== undefined) && { byHours: true }),
    ...(entry.request !== undefined && { request: parseUnits(entry.request) }),
    ...(entry.tools !== undefined && { tools: readKinds(entry.tools) }),
    ...(entry.per_image !== undefined && { images: readKinds(entry.per_image) }),
    ...(entry.per_second !== undefined && { seconds: readKinds(entry.per_second) }),
  };
}

/** One batch price for all input tokens and one for all output tokens. First, so that other rules change it too. */
function batchRule({ batch_input, batch_output }: PriceEntry): PriceRule[] {
  if (batch_input === undefined && batch_output === undefined) return [];
  const amounts = readAmounts({ input: batch_input, output: batch_output });
  return [{ batch: true, exclusive: true, amounts }];
}

function readRule(entry: PriceRuleEntry): PriceRule {
  const { context_above, marginal, tier, geo, batch, hours, factor, factors, request, tools } = entry;
  return {
    ...(context_above !== undefined && { contextAbove: context_above }),
    ...(marginal && { marginal }),
    ...(tier !== undefined && { tier }),
    ...(geo !== undefined && { geo }),
    ...(batch !== undefined && { batch }),
    ...(hours !== undefined && { hours: readHours(hours) }),
    ...(factor !== undefined && { factor: parseUnits(factor) }),
    ...(factors !== undefined && { factors: readAmounts(factors) }),
    amounts: readAmounts(entry),
    same: new Set(tokenComponents.filter((component) => entry[component] === 'same')),
    ...(request !== undefined && { request: parseUnits(request) }),
    ...(tools !== undefined && { tools: readKinds(tools) }),
  };
}

type AmountTexts = { readonly [Component in TokenComponent]?: string | undefined };

function readAmounts(texts: AmountTexts): TokenPrices {
  return Object.fromEntries(
    tokenComponents.flatMap((component): Array<[TokenComponent, Units]> => {
      const text = texts[component];
      return text === undefined || text === 'same' ? [] : [[component, parseUnits(text)]];
    }),
  );
}

/** One price for all kinds, or one for each. */
function readKinds(entry: string | Readonly<Record<string, string>>): ReadonlyMap<string, Units> {
  const prices = typeof entry === 'string' ? { default: entry } : entry;
  return new Map(Object.entries(prices).map(([kind, text]) => [kind, parseUnits(text)]));
}
