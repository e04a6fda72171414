/** Reads what a rule is set to, and shows what it is. */
import type { Rules, RuleValue } from '../access/rules.store.ts';
import type { Space } from '../access/spaces.store.ts';
import { inputName, type NamedRule, rulesOn } from '../contract/administration/rules/find-rules.ts';
import type { Holder, RuleKind } from '../contract/administration/rules/rule.ts';
import type { ShownRuleValues } from '../contract/administration/rules/rule-shapes.ts';
import { readTags } from '../contract/tags.ts';
import { nearest } from '../kernel/nearest.ts';
import { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import { printUnits, type Units } from '../kernel/units.ts';
import type { ModelsOf } from './installation-view.ts';
import { futureTime, shownTime, unitsOf } from './read-input.ts';

interface RuleTools {
  readonly now: Instant;
  readonly space: Space;
  readonly models: ModelsOf | null;
}

type ReadRule = (value: never, rule: NamedRule, tools: RuleTools) => RuleValue | Promise<RuleValue>;

/** The schema has checked the type of the value. */
const readers: { readonly [Kind in RuleKind]: ReadRule } = {
  amount: (value: string | null, rule) => readLimit(value, inputName(rule)),
  count: (value: number | null) => value,
  models: async (models: readonly string[] | null, _, tools) => await readAllowedModels(tools, { models }),
  date: (value: string | null, _, { now }) => {
    if (value === null) return null;
    return value === 'now' ? now : futureTime(value, now);
  },
  switch: (value: boolean) => value,
  tags: (value: string | null, rule) => readDefaultTags(value, inputName(rule)),
};

export async function readRule(rule: NamedRule, value: unknown, tools: RuleTools): Promise<RuleValue> {
  return await readers[rule.kind](value as never, rule, tools);
}

function readDefaultTags(value: string | null, field: string): string | null {
  if (value === null) return null;
  const tags = readTags(value);
  if (typeof tags !== 'string') return tags.map(([key, tag]) => `${key}=${tag}`).join(',');
  throw new Problem('invalid_parameter', { detail: `${field} ${tags}.`, param: field });
}

/** Null: no limit. */
export function readLimit(value: string | null, field: string): Units | null {
  return value === null ? null : unitsOf(value, { field });
}

/** The rules as they are shown and written to the audit log. */
export function shownRules<Of extends Holder>(holder: Of, rules: Rules<Of>): ShownRuleValues<Of> {
  const values = rules as Readonly<Record<string, RuleValue>>;
  return Object.fromEntries(
    rulesOn(holder).map(({ name, kind }) => [name, shownValue(kind, values[name] as RuleValue)]),
  ) as unknown as ShownRuleValues<Of>;
}

function shownValue(kind: RuleKind, value: RuleValue): unknown {
  if (typeof value === 'bigint') return printUnits(value);
  return kind === 'date' ? shownTime(value as Instant | null) : value;
}

/** Null: all models. A misspelt one would leave fewer models than intended, and nobody would notice. */
async function readAllowedModels(
  { models: modelsOf, space }: { models: ModelsOf | null; space: Space },
  { models }: { models: readonly string[] | null },
): Promise<readonly string[] | null> {
  if (models === null) return null;
  const allowed = [...new Set(models)];
  const listed = await modelsOf?.(space.name);
  const known = listed?.filter(({ alias_of }) => alias_of === undefined).map(({ id }) => id);
  if (known !== undefined) rejectUnknown(allowed, known, space);
  return allowed;
}

function rejectUnknown(models: readonly string[], known: readonly string[], space: Space): void {
  const unknown = models.filter((code) => !known.includes(code));
  if (unknown.length === 0) return;
  const similar = unknown.flatMap((code) => nearest(code, known) ?? []);
  const hint = similar.length === 0 ? '' : ` Did you mean ${similar.join(', ')}?`;
  const what = unknown.length === 1 ? 'There is no model' : 'There are no models';
  const detail = `${what} ${unknown.join(', ')} in ${space.name}.${hint}`;
  throw new Problem('invalid_parameter', { detail, param: 'models' });
}
