/** What a price sheet needs: prices that are too old, missing, or dated ahead. Pure. */

import type { CatalogFile } from '../catalog/catalog-file.ts';
import { familyFacts } from '../catalog/dialects/price-families.ts';
import type { ModelEntry } from '../catalog/model-entry.ts';
import type { ProviderEntry } from '../catalog/provider-entry.ts';
import { modelKinds, type PricedCount } from '../contract/paid-endpoints.ts';
import type { Instant } from '../kernel/time.ts';
import type { PriceEntry } from '../price-sheets/price-entry.ts';
import { readPrices } from '../price-sheets/read-prices.ts';
import type { ModelPrice, TokenPrices } from '../pricing/model-price.ts';
import { providerFamily } from './provider-family.ts';

export interface SheetFinding {
  readonly model: string;
  readonly finding: 'stale' | 'missing' | 'ahead';
  readonly what: string;
  readonly detail: string;
}

const DAY_MS = 86_400_000;

/** `days`: how old prices may be. Models that only the simulator serves are left out. */
export function checkSheet(file: CatalogFile, { now, days }: { now: Instant; days: number }): SheetFinding[] {
  return Object.entries(file.models).flatMap(([model, entry]) => {
    const families = familiesOf(entry, file.providers);
    if (families.length === 0) return [];
    const prices = file.prices?.models[model];
    if (prices === undefined)
      return [{ model, finding: 'missing' as const, what: 'prices', detail: 'every call is unpriced' }];
    const list: PriceEntry[] = Array.isArray(prices) ? (prices as PriceEntry[]) : [prices as PriceEntry];
    const started = list.filter((one) => startOf(one) <= now);
    const current = started.at(-1);
    return [
      ...(current === undefined ? [noneYet(model)] : staleFindings(model, current, { now, days })),
      ...(current === undefined ? [] : missingFindings(model, entry, current, families)),
      ...list.filter((one) => startOf(one) > now).map((one) => aheadFinding(model, one)),
    ];
  });
}

function familiesOf({ routes }: ModelEntry, providers: CatalogFile['providers']): string[] {
  return routes.flatMap(
    ({ provider }) => providerFamily(provider, providers[provider] as ProviderEntry) ?? [],
  );
}

function startOf({ from }: PriceEntry): number {
  return from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from);
}

function noneYet(model: string): SheetFinding {
  return { model, finding: 'missing', what: 'prices', detail: 'its first prices are dated ahead' };
}

function aheadFinding(model: string, { from = '', source }: PriceEntry): SheetFinding {
  const detail =
    source === undefined ? 'other prices begin to apply' : `prices from ${source} begin to apply`;
  return { model, finding: 'ahead', what: from, detail };
}

function staleFindings(
  model: string,
  { as_of, source }: PriceEntry,
  { now, days }: { now: Instant; days: number },
): SheetFinding[] {
  if (as_of === undefined) {
    const detail = 'it is unknown how old they are; write the day, as as_of: 2026-11-16';
    return [{ model, finding: 'stale', what: 'no date', detail }];
  }
  const age = Math.floor((now - Date.parse(`${as_of}T00:00:00Z`)) / DAY_MS);
  if (age <= days) return [];
  const from = source === undefined ? '' : ` from ${source}`;
  return [{ model, finding: 'stale', what: as_of, detail: `prices${from} are ${age} days old` }];
}

function missingFindings(
  model: string,
  entry: ModelEntry,
  current: PriceEntry,
  families: readonly string[],
): SheetFinding[] {
  const { from: _, ...undated } = current;
  const { price } = readPrices(undated)[0] as { price: ModelPrice };
  return neededOf(entry, price, families).map(([what, detail]) => ({
    model,
    finding: 'missing',
    what,
    detail,
  }));
}

type Need = readonly [what: string, detail: string];
type Sheet = { entry: ModelEntry; price: ModelPrice; tokens: TokenPrices; families: readonly string[] };

const UNPRICED = 'every call is unpriced';

const needs: Readonly<Record<PricedCount, (sheet: Sheet) => Need[]>> = {
  input: ({ tokens }) => (tokens.input === undefined ? [['input', UNPRICED]] : []),
  output: ({ tokens }) => (tokens.output === undefined ? [['output', UNPRICED]] : []),
  cache: neededForCache,
  images: ({ tokens, price }) =>
    tokens.output === undefined && price.images === undefined ? [['output or per_image', UNPRICED]] : [],
  seconds: ({ entry, price }) => missingSeconds(entry, price),
};

/** What calls of such a model use and have no price of their own. */
function neededOf(entry: ModelEntry, price: ModelPrice, families: readonly string[]): Need[] {
  const { endpoints = ['chat'] } = entry;
  const counts = new Set<PricedCount>(endpoints.flatMap((kind) => modelKinds[kind].counts));
  const sheet = { entry, price, families, tokens: tokensOf(price) };
  return [...[...counts].flatMap((counted) => needs[counted](sheet)), ...neededForSearch(sheet)];
}

function neededForCache({ tokens, families }: Sheet): Need[] {
  const missing: Need[] = tokens.cached_input === undefined ? [['cached_input', 'charged as input']] : [];
  if (!families.some((family) => familyFacts(family)?.cacheWritesCostMore)) return missing;
  for (const component of ['cache_write', 'cache_write_1h'] as const)
    if (!writesPriced(tokens, component))
      missing.push([component, 'the provider charges more than for input']);
  return missing;
}

function neededForSearch({ entry, price }: Sheet): Need[] {
  if (!entry.capabilities?.includes('web_search')) return [];
  const priced = [...(price.tools?.keys() ?? [])].some((kind) => kind.includes('search'));
  return priced ? [] : [['tools', 'calls with a search are unpriced']];
}

/** With those that the sheet has by hours only: hours leave no gap. */
function tokensOf({ tokens, rules }: ModelPrice): TokenPrices {
  const byHours = rules.filter(
    ({ hours, contextAbove, tier, geo, batch }) =>
      hours !== undefined && [contextAbove, tier, geo, batch].every((one) => one === undefined),
  );
  return Object.assign({}, tokens, ...byHours.map(({ amounts }) => amounts));
}

/** Writes for 5 minutes are the usual ones, so either name will do. */
function writesPriced(tokens: TokenPrices, component: 'cache_write' | 'cache_write_1h'): boolean {
  return (
    tokens[component] !== undefined || (component === 'cache_write' && tokens.cache_write_5m !== undefined)
  );
}

function missingSeconds({ video }: ModelEntry, { seconds }: ModelPrice): Need[] {
  if (seconds?.has('default')) return [];
  if (seconds === undefined || video?.resolutions === undefined)
    return [['per_second', 'videos are unpriced, unless their resolution has a price']];
  return video.resolutions
    .filter((resolution) => !seconds.has(resolution))
    .map((resolution): Need => [`per_second ${resolution}`, 'videos in this resolution are unpriced']);
}
