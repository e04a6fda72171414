/** Public price lists have hours without days. The days that the sheet has for the same hours stay. Pure. */
import type { PriceEntries, PriceEntry, PriceRuleEntry } from '../price-sheets/price-entry.ts';
import { conditionsText } from './sources/build-entry.ts';

export function adoptDays(added: readonly PriceEntry[], sheet: PriceEntries | undefined): PriceEntry[] {
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
