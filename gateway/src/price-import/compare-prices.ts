/** Compares the price sheet in force with a price source, and the source with a second one. Pure. */

import type { CatalogFile } from '../catalog/catalog-file.ts';
import type { ModelEntry } from '../catalog/model-entry.ts';
import { traitsOf } from '../catalog/model-families.ts';
import type { ModelTraits } from '../catalog/model-traits.ts';
import type { ProviderEntry } from '../catalog/provider-entry.ts';
import { readTakes } from '../catalog/takes-entry.ts';
import type { Instant } from '../kernel/time.ts';
import type { PriceEntries, PriceEntry, PriceRuleEntry } from '../price-sheets/price-entry.ts';
import { readPrices } from '../price-sheets/read-prices.ts';
import type { PriceList } from '../pricing/model-price.ts';
import { compareTakes } from './compare-takes.ts';
import { factsAt, type PriceFacts } from './price-facts.ts';
import { providerFamily } from './provider-family.ts';
import { conditionsText } from './sources/build-entry.ts';
import { findSourceModel, type SourceModel } from './sources/source-model.ts';

export type PriceState = 'new' | 'changed' | 'same' | 'only_in_sheet' | 'sources_disagree';

export interface PriceDifference {
  readonly model: string;
  /** Such as `input` or `batch: input`. */
  readonly what: string;
  readonly state: PriceState;
  /** In the sheet; null: it has none. */
  readonly old: string | null;
  /** In the source; null: it has none. */
  readonly new: string | null;
  /** In the second source, if that has another price. */
  readonly also?: string;
}

export interface ComparedModel {
  readonly model: string;
  /** Null: the source does not have the model. */
  readonly source: SourceModel | null;
  /** What applies now, and what is to apply later. */
  readonly entries: readonly PriceEntry[];
  readonly differences: readonly PriceDifference[];
  readonly notes: readonly string[];
}

export interface Comparison {
  readonly source: readonly SourceModel[];
  readonly also: readonly SourceModel[] | null;
  /** Model codes; null: all. */
  readonly models: readonly string[] | null;
  readonly now: Instant;
}

/** Every model of the catalogue that a real provider serves. */
export function comparePrices(file: CatalogFile, comparison: Comparison): ComparedModel[] {
  const { models } = comparison;
  return Object.entries(file.models).flatMap(([code, { routes }]) => {
    if (models !== null && !models.includes(code)) return [];
    const targets = realTargets(routes, file.providers);
    if (targets.length === 0) return [];
    const ours = file.prices?.models[code];
    const compared = compareModel(code, targets, ours, comparison);
    const clashes = ruleClashes(ours, compared.entries);
    const taken =
      targets[0] === undefined ? [] : compareTakes(compared.source?.facts.takes, targets[0].takes);
    return [{ ...compared, notes: [...compared.notes, ...clashes, ...taken] }];
  });
}

/** Rules of the sheet and of the source that change each other, which the list of prices does not show. */
function ruleClashes(sheet: PriceEntries | undefined, [added]: readonly PriceEntry[]): string[] {
  if (sheet === undefined || added === undefined) return [];
  const old = Array.isArray(sheet) ? (sheet as PriceEntry[]) : [sheet as PriceEntry];
  const rules = added.when ?? [];
  const byLength = rules.some(({ context_above }) => context_above !== undefined);
  const notes: string[] = [];
  if (
    byLength &&
    old.some(({ batch_input }) => batch_input !== undefined) &&
    !rules.some(({ batch }) => batch)
  )
    notes.push(
      'batch_input and batch_output do not change prices of long prompts; write a rule with batch: true',
    );
  const onlyOurs = old.some(({ when }) => when?.some(({ context_above }) => context_above !== undefined));
  if (onlyOurs && !byLength && rules.length > 0)
    notes.push(
      'prices of its tiers and batches replace the prices of long prompts, which only the sheet has',
    );
  return notes;
}

interface Target {
  readonly family: string;
  readonly upstreamModel: string;
  readonly takes: ModelTraits;
}

/** The routes to real providers; those that are tried first come first. */
function realTargets(routes: ModelEntry['routes'], providers: CatalogFile['providers']): Target[] {
  const sorted = [...routes].sort((a, b) => (a.priority ?? 1) - (b.priority ?? 1));
  return sorted.flatMap(({ provider, model: upstreamModel, takes }) => {
    const entry = providers[provider] as ProviderEntry | undefined;
    const family = entry === undefined ? null : providerFamily(provider, entry);
    if (entry === undefined || family === null) return [];
    const { dialect, vendor = null } = entry;
    return [{ family, upstreamModel, takes: readTakes(traitsOf({ dialect, vendor, upstreamModel }), takes) }];
  });
}

function compareModel(
  model: string,
  targets: readonly Target[],
  ours: PriceEntries | undefined,
  { source, also, now }: Comparison,
): ComparedModel {
  const [found, ...others] = foundIn(source, targets);
  const current = (model: SourceModel | undefined): PriceEntry[] =>
    adoptDays(currentEntries(model?.entries ?? [], now), ours);
  const entries = current(found);
  const sheet = factsAt(readPrices(ours), now);
  const facts = factsAt(readEntries(entries), now);
  const second = also === null ? undefined : foundIn(also, targets)[0];
  const secondFacts = second === undefined ? null : factsAt(readEntries(current(second)), now);
  const dearer = others.filter((other) => !sameFacts(facts, factsAt(readEntries(current(other)), now)));
  return {
    model,
    source: found ?? null,
    entries,
    differences: entries.length === 0 ? [] : differencesOf(model, { sheet, facts, secondFacts }),
    notes: [
      ...(found?.notes ?? []),
      ...dearer.map(({ provider, id }) => `its route to ${provider} ${id} has other prices`),
    ],
  };
}

function foundIn(models: readonly SourceModel[], targets: readonly Target[]): SourceModel[] {
  return targets.flatMap(({ family, upstreamModel }) => findSourceModel(models, family, upstreamModel) ?? []);
}

function readEntries(entries: readonly PriceEntry[]): PriceList {
  return entries.length === 0 ? [] : readPrices([...entries]);
}

/** Without prices of the past. The first entry has no date. */
function currentEntries(entries: readonly PriceEntry[], now: Instant): PriceEntry[] {
  const started = entries.filter(({ from }) => from === undefined || Date.parse(from) <= now);
  const later = entries.filter(({ from }) => from !== undefined && Date.parse(from) > now);
  const last = started.at(-1);
  if (last === undefined) return [];
  const { from: _, ...current } = last;
  return [current, ...later];
}

function sameFacts(a: PriceFacts, b: PriceFacts): boolean {
  return a.size === b.size && [...a].every(([what, amount]) => b.get(what) === amount);
}

function differencesOf(
  model: string,
  { sheet, facts, secondFacts }: { sheet: PriceFacts; facts: PriceFacts; secondFacts: PriceFacts | null },
): PriceDifference[] {
  return [...new Set([...facts.keys(), ...sheet.keys()])].map((what) => {
    const old = sheet.get(what) ?? null;
    const now = facts.get(what) ?? null;
    const also = secondFacts?.get(what);
    const disagrees = also !== undefined && now !== null && also !== now;
    return {
      model,
      what,
      state: disagrees ? 'sources_disagree' : stateOf(old, now),
      old,
      new: now,
      ...(disagrees && { also }),
    };
  });
}

function stateOf(old: string | null, now: string | null): PriceState {
  if (now === null) return 'only_in_sheet';
  if (old === null) return 'new';
  return old === now ? 'same' : 'changed';
}

/** Public price lists have hours without days. The days that the sheet has for the same hours stay. Pure. */
function adoptDays(added: readonly PriceEntry[], sheet: PriceEntries | undefined): PriceEntry[] {
  const old =
    sheet === undefined ? [] : Array.isArray(sheet) ? (sheet as PriceEntry[]) : [sheet as PriceEntry];
  const rules = old.flatMap(({ when = [] }) => when).filter(({ hours }) => hours?.days ?? hours?.except);
  if (rules.length === 0) return [...added];
  return added.map((entry) =>
    entry.when === undefined
      ? entry
      : { ...entry, when: entry.when.flatMap((rule) => withDays(rule, rules)) },
  );
}

function withDays(rule: PriceRuleEntry, ours: readonly PriceRuleEntry[]): PriceRuleEntry[] {
  if (rule.hours === undefined || rule.hours.days !== undefined) return [rule];
  const wanted = conditionsText(rule);
  const alike = ours.filter((one) => conditionsText(withoutDays(one)) === wanted);
  const found = new Map(alike.map((one) => [conditionsText(one), { ...rule, hours: one.hours }]));
  return found.size === 0 ? [rule] : ([...found.values()] as PriceRuleEntry[]);
}

function withoutDays({ hours, ...rule }: PriceRuleEntry): PriceRuleEntry {
  return hours === undefined ? rule : { ...rule, hours: { from: hours.from, to: hours.to } };
}
