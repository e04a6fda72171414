/** Rejects special prices that no call could ever have, because of their conditions or of a later rule. */
import { type TokenComponent, tokenComponents } from '../contract/price-components.ts';
import { hoursText } from '../contract/price-hours.ts';
import { alternativeTool } from '../pricing/tool-kinds.ts';
import { servedGeo, servedTier } from '../pricing/usage-details.ts';
import { ConfigError } from '../yaml/config-error.ts';
import type { ConfigProblems } from '../yaml/config-problems.ts';
import type { PriceEntry, PriceRuleEntry } from './price-entry.ts';

/** Rules with the same conditions are rejected elsewhere. */
export function checkRules({ when = [], tools }: PriceEntry, path: string, problems: ConfigProblems): void {
  for (const [i, rule] of when.entries()) {
    const place = `${path}.when[${i}]`;
    problems.attempt(() => checkName(rule.tier, servedTier(rule.tier), `${place}.tier`));
    problems.attempt(() => checkName(rule.geo, servedGeo(rule.geo), `${place}.geo`));
    problems.attempt(() => checkTier(rule, place));
    problems.attempt(() => checkOtherWay(rule.tools, tools, `${place}.tools`));
    problems.attempt(() => checkReplaced(rule, when.slice(0, i), { place, path }));
  }
}

/** The conditions as one text. Two rules for one threshold contradict each other, marginal or not. */
export function conditionsOf({ context_above, tier, geo, batch, hours }: PriceRuleEntry): string {
  const others = [context_above ?? null, tier ?? null, geo ?? null, batch ?? false];
  return JSON.stringify([...others, hours === undefined ? null : hoursText(hours)]);
}

function checkReplaced(
  rule: PriceRuleEntry,
  before: readonly PriceRuleEntry[],
  { place, path }: { place: string; path: string },
): void {
  for (const [j, earlier] of before.entries()) {
    const same = conditionsOf(rule) === conditionsOf(earlier);
    const lost = !same && alwaysMet(rule, earlier) ? replaced(rule, earlier) : undefined;
    if (lost === undefined) continue;
    throw ConfigError.at(
      `${place}.${lost}`,
      `always replaces that of ${path}.when[${j}]; write this rule before it`,
    );
  }
}

function checkTier({ tier, batch }: PriceRuleEntry, place: string): void {
  if (tier !== undefined && batch)
    throw ConfigError.at(`${place}.tier`, 'cannot stand beside batch: the tier of a line does not count');
}

/** Names are compared with those of answers, which are in lower case. */
function checkName(name: string | undefined, served: string | undefined, place: string): void {
  if (name === served) return;
  throw ConfigError.at(
    place,
    served === undefined
      ? `is ${name}, which has the usual prices; remove the rule`
      : `must be written as ${served}`,
  );
}

/** A call has both counts, so that it would be charged twice. */
function checkOtherWay(tools: PriceEntry['tools'], usual: PriceEntry['tools'], place: string): void {
  for (const kind of Object.keys(tools ?? {})) {
    const other = alternativeTool(kind);
    if (usual?.[other] !== undefined)
      throw ConfigError.at(
        `${place}.${kind}`,
        `counts the same as ${other}; keep the one that the provider charges`,
      );
  }
}

/** Everything else in a rule is a condition. */
const priceFields: readonly string[] = [
  ...tokenComponents,
  'marginal',
  'factor',
  'factors',
  'request',
  'tools',
];

/** Whether every call that meets the conditions of `earlier` meets those of `rule` too. */
function alwaysMet(rule: PriceRuleEntry, earlier: PriceRuleEntry): boolean {
  const { context_above: above = 0 } = rule;
  if (above > (earlier.context_above ?? 0)) return false;
  // A marginal rule leaves the tokens below its threshold as they are.
  if (rule.marginal && !earlier.marginal) return false;
  const others = Object.entries(rule).filter(
    ([name]) => name !== 'context_above' && !priceFields.includes(name),
  );
  return others.every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(earlier[name as keyof PriceRuleEntry]),
  );
}

/** The first price of `earlier` that `rule` replaces; undefined if it replaces none. */
function replaced(rule: PriceRuleEntry, earlier: PriceRuleEntry): string | undefined {
  const component = tokenComponents.find(
    (one) => rule[one] !== undefined && rule[one] !== 'same' && changes(earlier, one),
  );
  if (component !== undefined) return component;
  if (rule.request !== undefined && earlier.request !== undefined) return 'request';
  const tool = Object.keys(rule.tools ?? {}).find((kind) => earlier.tools?.[kind] !== undefined);
  return tool === undefined ? undefined : `tools.${tool}`;
}

function changes(rule: PriceRuleEntry, component: TokenComponent): boolean {
  if (rule[component] !== undefined) return rule[component] !== 'same';
  return rule.factor !== undefined || rule.factors?.[component] !== undefined;
}
