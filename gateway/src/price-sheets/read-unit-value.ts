/** Reads the section `money` of `tollgate.yaml`, and rejects rates of which it is not certain which one is valid. Pure. */
import { currencyCodes } from '../kernel/currencies.ts';
import type { Instant } from '../kernel/time.ts';
import type { UnitRate, UnitValue } from '../kernel/unit-value.ts';
import { parseUnits, printUnits, ZERO } from '../kernel/units.ts';
import { ConfigError, unknownName } from '../yaml/config-error.ts';
import { ConfigProblems } from '../yaml/config-problems.ts';
import { isDay } from './check-prices.ts';
import type { MoneyEntry } from './money-entry.ts';

/** Null: the installation states no value. */
export function readUnitValue(entry: MoneyEntry | undefined): UnitValue | null {
  if (entry === undefined) return null;
  const { currency, per_unit, rates } = entry;
  const problems = new ConfigProblems();
  if (!currencyCodes.includes(currency)) problems.add(unknownName('money.currency', currency, currencyCodes));
  if ((per_unit === undefined) === (rates === undefined))
    problems.add(ConfigError.at('money', 'must have either per_unit or rates'));
  const read =
    per_unit === undefined
      ? (rates ?? []).map((rate, i) => readRate(rate, `money.rates[${i}]`, problems))
      : [readRate({ per_unit }, 'money', problems)];
  checkOrder(read, problems);
  problems.throwAny();
  return { currency, rates: read };
}

function readRate(
  { from, per_unit }: NonNullable<MoneyEntry['rates']>[number],
  path: string,
  problems: ConfigProblems,
): UnitRate {
  const perUnit = parseUnits(per_unit);
  if (perUnit === ZERO) problems.add(ConfigError.at(`${path}.per_unit`, 'must be more than zero'));
  if (from !== undefined && !isDay(from)) problems.add(ConfigError.at(`${path}.from`, 'is not a date'));
  return { from: from === undefined ? null : startOf(from), perUnit: printUnits(perUnit) };
}

function startOf(day: string): Instant {
  return Date.parse(`${day}T00:00:00+09:00`);
}

/** Two rates of one day, or one that is always valid beside others, would leave open which of them is meant. */
function checkOrder(rates: readonly UnitRate[], problems: ConfigProblems): void {
  for (const [i, { from }] of rates.entries()) {
    const before = rates[i - 1]?.from ?? Number.NEGATIVE_INFINITY;
    if (i === 0 || (from !== null && !(from <= before))) continue;
    const path = `money.rates[${i}]`;
    problems.add(
      from === null
        ? ConfigError.at(path, 'needs a from: only the first rate may be without one')
        : ConfigError.at(`${path}.from`, 'must be later than that of the rate before it'),
    );
  }
}
