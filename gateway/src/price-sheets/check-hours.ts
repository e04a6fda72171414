/** Rejects hours of special prices that overlap, or that leave a time of day without a price. */
import { tokenComponents } from '../contract/price-components.ts';
import { hoursText, type PricingHours, weekdays } from '../contract/price-hours.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { type Instant, isoOf } from '../kernel/time.ts';
import { batchPrice, type ModelPrice, priceInHours } from '../pricing/model-price.ts';
import { isWithin, readHours } from '../pricing/price-hours.ts';
import { type CallConditions, resolvePrices } from '../pricing/resolve-prices.ts';
import { ConfigError } from '../yaml/config-error.ts';
import type { ConfigProblems } from '../yaml/config-problems.ts';
import { conditionsOf } from './check-price-rules.ts';
import type { PriceEntry, PriceRuleEntry } from './price-entry.ts';
import { readPrices } from './read-prices.ts';

/** A week from Monday on. */
const FIRST_DAY = 4;

export function checkHours({ from: _, ...entry }: PriceEntry, path: string, problems: ConfigProblems): void {
  const rules = (entry.when ?? []).map((rule, i) => ({ rule, place: `${path}.when[${i}]` }));
  const timed = rules.flatMap(({ rule, place }) =>
    rule.hours === undefined ? [] : [{ rule, place, hours: rule.hours }],
  );
  if (timed.length === 0) return;
  const wrong = timed.flatMap(({ hours, place }) => [...mistakesIn(hours, `${place}.hours`)]);
  for (const error of wrong) problems.add(error);
  // Whether they overlap or leave a gap is only asked about hours that exist.
  if (wrong.length > 0) return;
  const moments = momentsOf(timed.map(({ hours }) => hours));
  for (const error of overlapsOf(timed, moments)) problems.add(error);
  const [first] = readPrices(entry);
  if (first !== undefined) problems.attempt(() => checkGaps(first.price, timed, moments));
}

interface TimedRule {
  readonly rule: PriceRuleEntry;
  readonly hours: PricingHours;
  readonly place: string;
}

function* mistakesIn({ from, to, days, except = [] }: PricingHours, path: string): Iterable<ConfigError> {
  if (from === to) yield ConfigError.at(`${path}.to`, 'must differ from from; whole days are 00:00 to 24:00');
  if (from === '00:00' && to === '24:00' && days === undefined)
    yield ConfigError.at(path, 'is every hour of every day; remove it, or name the days');
  for (const [i, date] of except.entries()) {
    const at = Date.parse(date);
    if (Number.isNaN(at) || !isoOf(at).startsWith(date))
      yield ConfigError.at(`${path}.except[${i}]`, 'is not a date');
  }
}

/** Every moment of a week at which hours begin or end, and of the dates that are excepted. In their order by day. */
function momentsOf(all: readonly PricingHours[]): Instant[] {
  const read = all.map(readHours);
  const times = [0, ...read.flatMap(({ fromMs, toMs }) => [fromMs, toMs % DAY_MS])];
  const sorted = [...new Set(times)].sort((a, b) => a - b);
  const dates = read.flatMap(({ except }) => [...except]);
  const days = [...weekdays.map((_, i) => FIRST_DAY + i), ...dates.flatMap((day) => [day, day + 1])];
  return [...new Set(days)].flatMap((day) => sorted.map((time) => day * DAY_MS + time));
}

/** Rules that are alike in everything are rejected elsewhere. */
function* overlapsOf(timed: readonly TimedRule[], moments: readonly Instant[]): Iterable<ConfigError> {
  for (const [i, { rule, hours, place }] of timed.entries()) {
    const own = readHours(hours);
    const other = timed
      .slice(0, i)
      .filter((one) => otherConditions(one.rule) === otherConditions(rule))
      .filter((one) => hoursText(one.hours) !== hoursText(hours))
      .find((one) => moments.some((at) => isWithin(own, at) && isWithin(readHours(one.hours), at)));
    if (other !== undefined)
      yield ConfigError.at(`${place}.hours`, `overlaps ${hoursText(other.hours)} of ${other.place}`);
  }
}

function otherConditions({ hours: _, ...rule }: PriceRuleEntry): string {
  return conditionsOf(rule);
}

/** What has a price at one time of day has a price at every time. */
function checkGaps(price: ModelPrice, timed: readonly TimedRule[], moments: readonly Instant[]): void {
  for (const call of [{}, ...price.rules]) {
    const states = moments.map((at) => ({ at, priced: pricedAt(price, call, at) }));
    const gap = firstGap(states);
    if (gap === null) continue;
    const { component, start, end } = gap;
    const filled = states.filter(({ priced }) => priced.has(component));
    const { place } =
      timed.find(
        ({ rule, hours }) =>
          fitsConditions(rule, call) && filled.some(({ at }) => isWithin(readHours(hours), at)),
      ) ?? (timed[0] as TimedRule);
    throw ConfigError.at(
      `${place}.hours`,
      `leaves ${gapText(start, end, timed)} without a price for ${component}; add hours, or a price without hours`,
    );
  }
}

interface PricedMoment {
  readonly at: Instant;
  /** Tokens and tools. */
  readonly priced: ReadonlySet<string>;
}

/** Where something has no price that has one at another moment; `end` is the next moment at which it has one. */
function firstGap(
  states: readonly PricedMoment[],
): { component: string; start: Instant; end: Instant | undefined } | null {
  const all = new Set(states.flatMap(({ priced }) => [...priced]));
  const plain = tokenComponents.filter((component) => all.has(component));
  for (const component of new Set([...plain, ...all])) {
    const index = states.findIndex(({ priced }) => !priced.has(component));
    if (index === -1) continue;
    const end = states.slice(index).find(({ priced }) => priced.has(component))?.at;
    return { component, start: states[index]?.at ?? 0, end };
  }
  return null;
}

interface Conditions {
  readonly contextAbove?: number;
  readonly tier?: string;
  readonly geo?: string;
  readonly batch?: boolean;
}

function fitsConditions({ context_above, tier, geo, batch }: PriceRuleEntry, call: Conditions): boolean {
  return (
    (context_above ?? 0) <= (call.contextAbove ?? 0) &&
    (tier === undefined || tier === call.tier) &&
    (geo === undefined || geo === call.geo) &&
    (batch === undefined || batch === call.batch)
  );
}

/** The tokens and tools that have a price then, in a call that meets the conditions and no others. */
function pricedAt(price: ModelPrice, call: Conditions, at: Instant): ReadonlySet<string> {
  const { contextAbove, tier = null, geo = null, batch } = call;
  const conditions: CallConditions = {
    contextTokens: contextAbove === undefined ? 0 : contextAbove + 1,
    tier,
    geo,
  };
  const then = priceInHours(price, at);
  const resolved = resolvePrices(batch ? batchPrice(then) : then, conditions);
  const tools = [...(resolved?.tools.keys() ?? [])].map((kind) => `tool.${kind}`);
  return new Set([...Object.keys(resolved?.steps[0]?.tokens ?? {}), ...tools]);
}

/** Such as `04:00 to 06:00 UTC`; with the day if not all days are alike. */
function gapText(start: Instant, end: Instant | undefined, timed: readonly TimedRule[]): string {
  const day = Math.floor(start / DAY_MS);
  const until = end === undefined || Math.floor(end / DAY_MS) !== day ? '24:00' : clockOf(end);
  const hours = `${clockOf(start)} to ${until} UTC`;
  if (day >= FIRST_DAY + weekdays.length) return `${isoOf(start).slice(0, 10)} ${hours}`;
  const byDay = timed.some((one) => one.hours.days !== undefined);
  return byDay ? `${weekdays[day - FIRST_DAY]} ${hours}` : hours;
}

function clockOf(at: Instant): string {
  return isoOf(at).slice(11, 16);
}
