/** Sets rules of a key, a member or a space. */
import type { InputOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { groups } from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import type { Holder } from '../../../../gateway/src/contract/administration/rules/rule.ts';
import type { RuleOperationName } from '../../../../gateway/src/contract/administration/rules/rule-endpoints.ts';
import { useAnyChange } from '../../api/use-operation.ts';

/** What the rules stand on, as operations name it. */
export type Named = Readonly<Partial<Record<'space' | 'name' | 'email', string>>>;

/** `operation`: the part of its name after the dot, such as `limit`. */
export type SetRules = (
  operation: string,
  named: Named,
  rules: Readonly<Record<string, unknown>>,
) => Promise<unknown>;

export function useSetRules(holder: Holder): SetRules {
  const change = useAnyChange();
  return (operation, named, rules) =>
    change(
      `${groups[holder]}.${operation}` as RuleOperationName,
      {
        ...named,
        ...rules,
      } as InputOf<RuleOperationName>,
    );
}
