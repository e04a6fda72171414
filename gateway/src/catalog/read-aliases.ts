/** Reads `aliases`: other names for models, in all spaces. Pure. */
import { ConfigError, unknownName } from '../yaml/config-error.ts';
import type { ConfigProblems } from '../yaml/config-problems.ts';
import type { CatalogFile } from './catalog-file.ts';
import type { Model } from './model.ts';

/** Without those of models whose providers are switched off. */
export function readAliasNames(
  { aliases = {}, models: entries }: CatalogFile,
  models: readonly Model[],
  problems: ConfigProblems,
): ReadonlyMap<string, string> {
  const callable = new Set(models.map(({ code }) => code));
  for (const [name, model] of Object.entries(aliases)) {
    const path = `aliases.${name}`;
    if (Object.hasOwn(entries, name))
      problems.add(ConfigError.of(path, 'there is a model of this name; choose another name for the alias'));
    if (!Object.hasOwn(entries, model)) problems.add(unknownName(path, model, Object.keys(entries)));
  }
  return new Map(Object.entries(aliases).filter(([, model]) => callable.has(model)));
}
