/** The operations that set rules, such as `keys.limit`. contract/administration/rules/ declares them and the rules. */
import { endKey } from '../access/keys.store.ts';
import { type Rules, type RuleValue, writeRules } from '../access/rules.store.ts';
import type { Space } from '../access/spaces.store.ts';
import {
  groups,
  inputName,
  type RuleName,
  rulesOf,
  type SettingName,
  settingOf,
  settingsOn,
} from '../contract/administration/rules/find-rules.ts';
import type { Holder } from '../contract/administration/rules/rule.ts';
import type { RuleOperationName } from '../contract/administration/rules/rule-endpoints.ts';
import { Problem } from '../kernel/problem.ts';
import { shownKeyRules } from './keys.ts';
import { changedMember } from './members.ts';
import { keyNamed, keyOwner, memberNamed } from './named-records.ts';
import { type Changed, type ChangeTools, change, type Operation } from './operation.ts';
import { readRule } from './rule-values.ts';
import { changedSpace } from './spaces.ts';

type Tools = Omit<ChangeTools<RuleOperationName>, 'space'> & { readonly space: Space };
type Input = Readonly<Record<string, unknown>>;

/** Finds what the rules stand on, stores them, and says what changed. */
const setters: {
  readonly [Of in Holder]: (
    tools: Tools,
    input: Input,
    changes: Partial<Rules<Of>>,
  ) => Promise<Changed<unknown>>;
} = {
  async key(tools, { name }, changes) {
    const { tx, now } = tools;
    const key = await keyNamed(tx, tools, name as string);
    await writeRules(tx, { holder: 'key', id: key.id, now }, changes);
    const endsAt = changes.expires_at;
    if (endsAt !== undefined) await endKey(tx, key.id, endsAt);
    const changed = { ...key, endsAt: endsAt ?? key.endsAt, rules: { ...key.rules, ...changes } };
    const [before, after] = [shownKeyRules(key), shownKeyRules(changed)];
    const owner = await keyOwner(tx, key);
    return { answer: { name: key.name, owner, ...after }, subject: key.name, before, after };
  },
  async member({ tx, now, space }, { email }, changes) {
    const member = await memberNamed(tx, space, email as string);
    await writeRules(tx, { holder: 'member', id: member.id, now }, changes);
    return changedMember(member, { ...member, rules: { ...member.rules, ...changes } });
  },
  async space({ tx, now, space }, _, changes) {
    await writeRules(tx, { holder: 'space', id: space.id, now }, changes);
    return changedSpace(space, { ...space, rules: { ...space.rules, ...changes } });
  },
};

export const ruleOperations: readonly Operation[] = (['space', 'member', 'key'] as const).flatMap((holder) =>
  settingsOn(holder).flatMap((setting) => {
    const { off } = settingOf(setting);
    const operation = (name: string, read: typeof readChanges): Operation =>
      change(`${groups[holder]}.${name}` as RuleOperationName, async (given, fields) => {
        const [tools, input] = [given as Tools, fields as Input];
        const changes = (await read(setting, input, tools)) as never;
        return (await setters[holder](tools, input, changes)) as Changed<never>;
      });
    if (off === undefined) return [operation(setting, readChanges)];
    return [operation(setting, turned(true)), operation(off.name, turned(false))];
  }),
);

type RuleChanges = Partial<Record<RuleName, RuleValue>>;

async function readChanges(setting: SettingName, input: Input, tools: Tools): Promise<RuleChanges> {
  const rules = rulesOf(setting);
  const set = rules.filter((rule) => input[inputName(rule)] !== undefined);
  const [first] = rules;
  if (set.length === 0 && first !== undefined)
    throw new Problem('invalid_parameter', {
      detail: `Nothing to change: set ${rules.map(inputName).join(', ')} or both.`,
      param: inputName(first),
    });
  const changes: RuleChanges = {};
  for (const rule of set) changes[rule.name] = await readRule(rule, input[inputName(rule)], tools);
  return changes;
}

/** An operation without a body. */
function turned(on: boolean): typeof readChanges {
  return async (setting) => Object.fromEntries(rulesOf(setting).map(({ name }) => [name, on]));
}
