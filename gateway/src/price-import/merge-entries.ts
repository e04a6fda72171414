/**
 * Puts the prices of a source into those of the sheet. What only the sheet has stays, and a rule that means the same
 * keeps the way it is written. Pure.
 */
import type { Instant } from '../kernel/time.ts';
import type { PriceEntries, PriceEntry, PriceRuleEntry } from '../price-sheets/price-entry.ts';
import { readPrices } from '../price-sheets/read-prices.ts';
import { factsOfPrice } from './price-facts.ts';
import { conditionsText, isPlainRule } from './sources/build-entry.ts';

export interface Origin {
  /** The day of which the prices are, as `2026-11-16`. */
  readonly asOf: string;
  readonly source: string;
}

export interface Merge {
  readonly now: Instant;
  readonly origin: Origin;
  /** From when the prices apply, as a date and time with its offset; null: at once. */
  readonly from: string | null;
}

/** `added` is what applies now at the source, followed by what is to apply later. */
export function mergeEntries(
  sheet: PriceEntries | undefined,
  added: readonly PriceEntry[],
  { now, origin, from }: Merge,
): PriceEntries {
  const old: PriceEntry[] =
    sheet === undefined ? [] : Array.isArray(sheet) ? (sheet as PriceEntry[]) : [sheet as PriceEntry];
  const [first, ...later] = added;
  const startsAt = (entry: PriceEntry): number =>
    entry.from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(entry.from);
  const inForce = old.findLast((entry) => startsAt(entry) <= now);
  const merged = { ...mergeEntry(inForce, first as PriceEntry), ...stamp(origin) };
  const result = new Map(old.map((entry) => [startsAt(entry), entry]));
  if (from !== null) result.set(Date.parse(from), { ...merged, from });
  else if (inForce === undefined) result.set(Number.NEGATIVE_INFINITY, merged);
  else result.set(startsAt(inForce), withDate(merged, inForce.from));
  for (const entry of later) {
    const known = result.get(startsAt(entry)) ?? (from === null ? merged : inForce);
    result.set(startsAt(entry), { ...withDate(mergeEntry(known, entry), entry.from), ...stamp(origin) });
  }
  const list = [...result].sort(([a], [b]) => a - b).map(([, entry]) => entry);
  return list.length === 1 && list[0]?.from === undefined ? (list[0] as PriceEntry) : list;
}

function stamp({ asOf, source }: Origin): Pick<PriceEntry, 'as_of' | 'source'> {
  return { as_of: asOf, source };
}

function withDate(entry: PriceEntry, from: string | undefined): PriceEntry {
  const { from: _, ...rest } = entry;
  return from === undefined ? rest : { from, ...rest };
}

function mergeEntry(old: PriceEntry | undefined, added: PriceEntry): PriceEntry {
  if (old === undefined) return added;
  const { when: _, ...fields } = added;
  const merged: PriceEntry = {
    ...old,
    ...fields,
    ...mergeKinds('tools', old, added),
    ...mergeKinds('per_image', old, added),
    ...mergeKinds('per_second', old, added),
  };
  const short = old.batch_input !== undefined || old.batch_output !== undefined;
  const batch = (added.when ?? []).find((rule) => conditionsText(rule) === 'batch');
  if (!short || batch === undefined) return withRules(merged, mergeRules(merged, added, added.when ?? []));
  const { batch_input, batch_output, ...plain } = merged;
  if (!saysAll(merged, added, 'batch')) return withRules(plain, mergeRules(plain, added, added.when ?? []));
  const others = (added.when ?? []).filter((rule) => rule !== batch);
  return withRules(merged, mergeRules(merged, added, others));
}

function withRules(entry: PriceEntry, when: PriceRuleEntry[]): PriceEntry {
  return when.length > 0 ? { ...entry, when } : entry;
}

/** A rule of the source replaces the one with the same conditions, unless that says the same. */
function mergeRules(
  merged: PriceEntry,
  added: PriceEntry,
  theirs: readonly PriceRuleEntry[],
): PriceRuleEntry[] {
  const mine = (merged.when ?? []).map((rule) => {
    const text = conditionsText(rule);
    const other = theirs.find((one) => conditionsText(one) === text);
    return other === undefined || saysAll(merged, added, text) ? rule : other;
  });
  const names = new Set(mine.map((rule) => conditionsText(rule)));
  const fresh = theirs.filter((rule) => !names.has(conditionsText(rule)));
  // Prices by length come first, then those by hours, so that the factors of tiers and batches change them too.
  const isByLength = (rule: PriceRuleEntry): boolean => isPlainRule(rule) && rule.hours === undefined;
  const isByHours = (rule: PriceRuleEntry): boolean => isPlainRule(rule) && rule.hours !== undefined;
  const hoursAt = placeOf(mine, (rule) => !isByLength(rule));
  const othersAt = placeOf(mine, (rule) => !isPlainRule(rule));
  return [
    ...[...mine.slice(0, hoursAt), ...fresh.filter(isByLength)],
    ...[...mine.slice(hoursAt, othersAt), ...fresh.filter(isByHours)],
    ...[...mine.slice(othersAt), ...fresh.filter((rule) => !isPlainRule(rule))],
  ];
}

function placeOf(rules: readonly PriceRuleEntry[], isMeant: (rule: PriceRuleEntry) => boolean): number {
  const found = rules.findIndex(isMeant);
  return found === -1 ? rules.length : found;
}

/** Whether the first entry has every price that the second has under the conditions. */
function saysAll(mine: PriceEntry, theirs: PriceEntry, conditions: string): boolean {
  const own = factsFor(mine, conditions);
  return [...factsFor(theirs, conditions)].every(([what, amount]) => own.get(what) === amount);
}

function factsFor(entry: PriceEntry, conditions: string): Map<string, string> {
  const [read] = readPrices(entry);
  const facts = read === undefined ? [] : [...factsOfPrice(read.price)];
  return new Map(facts.filter(([what]) => what.startsWith(`${conditions}: `)));
}

type Kinds = 'tools' | 'per_image' | 'per_second';

function mergeKinds(name: Kinds, old: PriceEntry, added: PriceEntry): Partial<PriceEntry> {
  const [mine, theirs] = [old[name], added[name]];
  if (theirs === undefined || typeof theirs === 'string') return {};
  const base = typeof mine === 'string' ? { default: mine } : mine;
  return { [name]: { ...base, ...theirs } };
}
