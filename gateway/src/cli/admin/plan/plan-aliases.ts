/** Compares the aliases of a space with the file. Pure. */
import { type Change, differing, given, notInFile, type Plan, step } from './change.ts';
import type { CurrentAlias } from './current-state.ts';
import type { FieldPath, Mistake } from './read-state-file.ts';
import type { AliasEntry } from './state-file.ts';

export function planAliases(
  entries: Readonly<Record<string, AliasEntry>>,
  current: readonly CurrentAlias[],
  { space, path }: { readonly space: string; readonly path: FieldPath },
): Plan {
  const aliases = new Map(current.map((alias) => [alias.name, alias]));
  const mistakes: Mistake[] = [];
  const changes = Object.entries(entries).flatMap(([name, { state, model }]): Change[] => {
    const about = { subject: 'alias', space, name } as const;
    const alias = aliases.get(name);
    if (state === 'absent') {
      const steps = [step('aliases.remove', { space, alias: name })];
      return alias === undefined ? [] : [{ ...about, action: 'remove', fields: [], steps }];
    }
    if (model === undefined) {
      mistakes.push({ path: [...path, name, 'model'], message: 'is required.' });
      return [];
    }
    const steps = [step('aliases.set', { space, alias: name, model })];
    if (alias === undefined)
      return [{ ...about, action: 'create', fields: given({ model }, ['model']), steps }];
    const fields = differing({ model }, alias, ['model']);
    return fields.length === 0 ? [] : [{ ...about, action: 'update', fields, steps }];
  });
  const unknown = current.map(({ name }) => name).filter((name) => !Object.hasOwn(entries, name));
  return { changes, drift: notInFile('alias', space, unknown), mistakes };
}
