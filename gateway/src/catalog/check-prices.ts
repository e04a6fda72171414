/** Rejects price sheets whose rules contradict each other. The shape of the entries is checked before. */
import { outputComponents, type TokenComponent, tokenComponents } from '../contract/price-components.ts';
import { hoursText } from '../contract/price-hours.ts';
import { isoOf } from '../kernel/time.ts';
import { alternativeTool } from '../pricing/tool-kinds.ts';
import { checkHours } from './check-hours.ts';
import { checkRules } from './check-price-rules.ts';
import { ConfigError, unknownName } from './config-error.ts';
import type { PriceEntries, PriceEntry, PriceRuleEntry } from './price-entry.ts';

/** `known` are the models of the catalogue. */
export function checkPrices(models: Readonly<Record<string, PriceEntries>>, known: readonly string[]): void {
  for (const [code, entries] of Object.entries(models)) {
    const path = `prices.models.${code}`;
    if (!known.includes(code)) throw unknownName(path, code, known);
    checkEntries(entries, path);
  }
}

/** One entry, or several with dates. */
export function checkEntries(entries: PriceEntries, path: string): void {
  if (Array.isArray(entries)) checkList(entries as PriceEntry[], path);
  else if ((entries as PriceEntry).from !== undefined)
    throw ConfigError.at(`${path}.from`, 'needs a list: write the prices until then first, without from');
  else checkEntry(entries as PriceEntry, path);
}

function checkList(entries: readonly PriceEntry[], path: string): void {
  checkDates(entries, path);
  for (const [i, entry] of entries.entries()) checkEntry(entry, `${path}[${i}]`);
}

function checkDates(entries: readonly PriceEntry[], path: string): void {
  let before = Number.NEGATIVE_INFINITY;
  for (const [i, { from }] of entries.entries()) {
    const place = `${path}[${i}].from`;
    if (from === undefined) {
      if (i === 0) continue;
      throw ConfigError.at(place, 'is required: only the first entry has no date');
    }
    const at = Date.parse(from);
    if (Number.isNaN(at) || !isDay(from.slice(0, 10))) throw ConfigError.at(place, 'is not a date');
    if (at <= before) throw ConfigError.at(place, 'must be later than the date of the entry before');
    before = at;
  }
}

/** `Date.parse` takes the 31st of any month. */
function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && isoOf(at).startsWith(day);
}

/** The fields of an entry that are no prices. */
const otherFields = ['from', 'as_of', 'source'];

function checkEntry(entry: PriceEntry, path: string): void {
  if (Object.keys(entry).every((name) => otherFields.includes(name)))
    throw ConfigError.at(path, 'has no price: write one, or remove the entry');
  if (entry.as_of !== undefined && !isDay(entry.as_of))
    throw ConfigError.at(`${path}.as_of`, 'is not a date');
  checkKinds(entry.per_image, `${path}.per_image`);
  checkKinds(entry.per_second, `${path}.per_second`);
  const conditions = new Map<string, string>();
  if (entry.batch_input !== undefined || entry.batch_output !== undefined)
    conditions.set(conditionsOf({ batch: true }), `${path}.batch_input`);
  for (const [i, rule] of (entry.when ?? []).entries()) {
    const place = `${path}.when[${i}]`;
    checkRule(rule, place);
    const key = conditionsOf(rule);
    const other = conditions.get(key);
    if (other !== undefined) throw ConfigError.at(place, `has the same conditions as ${other}`);
    conditions.set(key, place);
  }
  checkTools(entry.tools, `${path}.tools`);
  checkRules(entry, path);
  checkHours(entry, path);
}

function checkKinds(prices: PriceEntry['per_image'], path: string): void {
  if (typeof prices === 'object' && Object.keys(prices).length === 0)
    throw ConfigError.at(path, 'has no price: write one, or remove it');
}

/** `marginal` is not part of it: two rules for one threshold contradict each other either way. */
function conditionsOf({ context_above, tier, geo, batch, hours }: PriceRuleEntry): string {
  const others = [context_above ?? null, tier ?? null, geo ?? null, batch ?? false];
  return JSON.stringify([...others, hours === undefined ? null : hoursText(hours)]);
}

function checkRule(rule: PriceRuleEntry, path: string): void {
  const { context_above, tier, geo, batch, hours, marginal, factor, factors = {}, request, tools } = rule;
  if ([context_above, tier, geo, batch, hours].every((condition) => condition === undefined))
    throw ConfigError.at(path, 'needs a condition: context_above, tier, geo, batch or hours');
  if (marginal && context_above === undefined)
    throw ConfigError.at(`${path}.marginal`, 'is only for rules with context_above');
  const named = tokenComponents.filter((component) => rule[component] !== undefined);
  const prices = factor !== undefined || Object.keys(factors).length > 0 || named.length > 0;
  if (!prices && request === undefined && tools === undefined)
    throw ConfigError.at(path, 'has no price: write a factor or prices');
  for (const component of named) checkNamed(component, rule, path);
  if (marginal) checkMarginal([...named, ...(Object.keys(factors) as TokenComponent[])], path);
  checkTools(tools, `${path}.tools`);
}

function checkNamed(component: TokenComponent, rule: PriceRuleEntry, path: string): void {
  const place = `${path}.${component}`;
  if (rule.factors?.[component] !== undefined)
    throw ConfigError.at(place, 'has both a price and a factor; keep one of them');
  if (rule[component] === 'same' && rule.factor === undefined)
    throw ConfigError.at(place, 'is same, but the rule has no factor that could change it; remove it');
}

/** The order of a prompt is known; which part of an answer belongs to which part of the prompt is not. */
function checkMarginal(components: readonly TokenComponent[], path: string): void {
  const output = outputComponents.find((component) => components.includes(component));
  if (output !== undefined)
    throw ConfigError.at(`${path}.${output}`, 'cannot be in a marginal rule, which is for input tokens');
}

function checkTools(tools: PriceEntry['tools'], path: string): void {
  for (const kind of Object.keys(tools ?? {})) {
    if (!/^[a-z0-9_]{1,60}$/.test(kind))
      throw ConfigError.at(`${path}.${kind}`, 'is not the name of a tool: lower-case letters, digits and _');
    const other = alternativeTool(kind);
    if (tools?.[other] !== undefined)
      throw ConfigError.at(
        `${path}.${kind}`,
        `counts the same as ${other}; keep the one that the provider charges`,
      );
  }
}
