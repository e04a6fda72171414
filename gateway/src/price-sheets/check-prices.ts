/** Rejects price sheets whose rules contradict each other. The shape of the entries is checked before. */
import { outputComponents, type TokenComponent, tokenComponents } from '../contract/price-components.ts';
import { isoOf } from '../kernel/time.ts';
import { alternativeTool } from '../pricing/tool-kinds.ts';
import { ConfigError, unknownName } from '../yaml/config-error.ts';
import type { ConfigProblems } from '../yaml/config-problems.ts';
import { checkHours } from './check-hours.ts';
import { checkRules, conditionsOf } from './check-price-rules.ts';
import type { PriceEntries, PriceEntry, PriceRuleEntry } from './price-entry.ts';

/** `known` are the models of the catalogue. */
export function checkPrices(
  models: Readonly<Record<string, PriceEntries>>,
  known: readonly string[],
  problems: ConfigProblems,
): void {
  for (const [code, entries] of Object.entries(models)) {
    const path = `prices.models.${code}`;
    if (known.includes(code)) checkEntries(entries, path, problems);
    else problems.add(unknownName(path, code, known));
  }
}

/** One entry, or several with dates. */
export function checkEntries(entries: PriceEntries, path: string, problems: ConfigProblems): void {
  if (Array.isArray(entries)) {
    checkDates(entries as PriceEntry[], path, problems);
    for (const [i, entry] of (entries as PriceEntry[]).entries())
      checkEntry(entry, `${path}[${i}]`, problems);
    return;
  }
  if ((entries as PriceEntry).from !== undefined)
    problems.add(
      ConfigError.at(`${path}.from`, 'needs a list: write the prices until then first, without from'),
    );
  checkEntry(entries as PriceEntry, path, problems);
}

function checkDates(entries: readonly PriceEntry[], path: string, problems: ConfigProblems): void {
  let before = Number.NEGATIVE_INFINITY;
  for (const [i, { from }] of entries.entries()) {
    const wrong = (problem: string): void => problems.add(ConfigError.at(`${path}[${i}].from`, problem));
    if (from === undefined) {
      if (i > 0) wrong('is required: only the first entry has no date');
      continue;
    }
    const at = Date.parse(from);
    if (Number.isNaN(at) || !isDay(from.slice(0, 10))) wrong('is not a date');
    else if (at <= before) wrong('must be later than the date of the entry before');
    else before = at;
  }
}

/** `Date.parse` takes the 31st of any month. */
export function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && isoOf(at).startsWith(day);
}

/** The fields of an entry that are no prices. */
const otherFields = ['from', 'as_of', 'source'];

function checkEntry(entry: PriceEntry, path: string, problems: ConfigProblems): void {
  const wrong = (key: string, problem: string): void =>
    problems.add(ConfigError.at(`${path}${key}`, problem));
  if (Object.keys(entry).every((name) => otherFields.includes(name)))
    wrong('', 'has no price: write one, or remove the entry');
  if (entry.as_of !== undefined && !isDay(entry.as_of)) wrong('.as_of', 'is not a date');
  for (const kinds of ['per_image', 'per_second'] as const)
    if (isEmpty(entry[kinds])) wrong(`.${kinds}`, 'has no price: write one, or remove it');
  const conditions = new Map<string, string>();
  if (entry.batch_input !== undefined || entry.batch_output !== undefined)
    conditions.set(conditionsOf({ batch: true }), `${path}.batch_input`);
  for (const [i, rule] of (entry.when ?? []).entries()) {
    const place = `${path}.when[${i}]`;
    problems.attempt(() => checkRule(rule, place));
    const key = conditionsOf(rule);
    const other = conditions.get(key);
    if (other !== undefined) problems.add(ConfigError.at(place, `has the same conditions as ${other}`));
    conditions.set(key, place);
  }
  problems.attempt(() => checkTools(entry.tools, `${path}.tools`));
  checkRules(entry, path, problems);
  checkHours(entry, path, problems);
}

function isEmpty(prices: PriceEntry['per_image']): boolean {
  return typeof prices === 'object' && Object.keys(prices).length === 0;
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
    const other = alternativeTool(kind);
    if (tools?.[other] !== undefined)
      throw ConfigError.at(
        `${path}.${kind}`,
        `counts the same as ${other}; keep the one that the provider charges`,
      );
  }
}
