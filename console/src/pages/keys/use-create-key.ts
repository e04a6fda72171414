/** Creates a key, then sets the rules that are set by operations of their own. */
import {
  rulesOf,
  type SettingOn,
  settingsOn,
} from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { asFailure } from '../../api/failure.ts';
import { useChange } from '../../api/use-operation.ts';
import { ruleInput, type TypedRules } from '../../topics/rules/rule-fields.tsx';
import { useSetRules } from '../../topics/rules/use-set-rules.ts';

export interface KeyWanted {
  readonly name: string;
  readonly kind: 'personal' | 'shared' | 'management';
  /** Left out by a member: the key is theirs. */
  readonly email?: string;
  readonly days: string;
  readonly rules: TypedRules;
}

export interface KeyMade {
  readonly name: string;
  readonly secret: string;
  readonly expiresAt: string;
  /** What could not be set, although the key exists. */
  readonly failed: ReadonlyArray<{ readonly setting: SettingOn<'key'>; readonly sentence: string }>;
}

/** Those that are asked for with a new key. */
export const newKeySettings = settingsOn('key').filter((setting) =>
  rulesOf(setting).every(({ kind }) => kind !== 'switch' && kind !== 'date'),
);

export function useCreateKey(): (wanted: KeyWanted) => Promise<KeyMade> {
  const space = useSpace();
  const create = useChange('keys.create');
  const set = useSetRules('key');
  return async (wanted) => {
    const { name, kind, email, rules } = wanted;
    const { month_limit: typed } = rules;
    const limit = typeof typed === 'string' ? typed.trim() : '';
    const made = await create.mutateAsync({
      space,
      name,
      kind,
      days: Number(wanted.days),
      ...(email && { email }),
      ...(limit !== '' && { month_limit: limit }),
    });
    const failed: Array<KeyMade['failed'][number]> = [];
    for (const setting of newKeySettings) {
      const isWanted = rulesOf(setting).some(({ name: rule }) => (rules[rule] ?? '') !== '');
      if (!isWanted || setting === 'limit') continue;
      try {
        await set(setting, { space, name }, ruleInput(setting, rules));
      } catch (error) {
        failed.push({ setting, sentence: asFailure(error).sentence });
      }
    }
    return { name, secret: made.key, expiresAt: made.expires_at, failed };
  };
}
