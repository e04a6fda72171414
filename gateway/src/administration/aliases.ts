/** The aliases of a space: names that its callers send as `model`. */
import { readAliases, updateAlias } from '../access/spaces.store.ts';
import { ALIASES_MAX } from '../contract/administration/words.ts';
import type { ModelObject } from '../contract/models.ts';
import { nearest } from '../kernel/nearest.ts';
import { Problem } from '../kernel/problem.ts';
import { change, read } from './operation.ts';

const list = read('aliases.list', async ({ db, space, models }) => {
  const own = await readAliases(db, space.id);
  const listed = await models?.(space.name);
  const general = (listed ?? []).flatMap(({ id, alias_of }) =>
    alias_of === undefined || Object.hasOwn(own, id)
      ? []
      : [{ name: id, model: alias_of, source: 'configuration' as const, works: true }],
  );
  const codes = listed === undefined ? null : codesOf(listed);
  const ofSpace = Object.entries(own).map(([name, model]) => ({
    name,
    model,
    source: 'space' as const,
    works: codes === null || (codes.includes(model) && !codes.includes(name)),
  }));
  const data = [...general, ...ofSpace].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { data, next_cursor: null };
});

const set = change('aliases.set', async ({ tx, space, models }, { alias: name, model }) => {
  const own = await readAliases(tx, space.id);
  const listed = await models?.(space.name);
  if (listed !== undefined) checkAlias({ name, model }, codesOf(listed), space.name);
  if (!Object.hasOwn(own, name) && Object.keys(own).length >= ALIASES_MAX)
    throw new Problem('conflict', {
      detail: `${space.name} has ${ALIASES_MAX} aliases, which is the most. Remove one first.`,
    });
  await updateAlias(tx, space.id, { name, model });
  const before = Object.hasOwn(own, name) ? own[name] : undefined;
  return {
    answer: { name, model },
    subject: name,
    ...(before !== undefined && { before: { model: before } }),
    after: { model },
  };
});

const remove = change('aliases.remove', async ({ tx, space }, { alias: name }) => {
  const own = await readAliases(tx, space.id);
  if (!Object.hasOwn(own, name))
    throw new Problem('not_found', { detail: `There is no alias ${name} in ${space.name}.`, param: 'alias' });
  await updateAlias(tx, space.id, { name, model: null });
  return {
    answer: { name, removed: true as const },
    subject: name,
    before: { model: own[name] },
  };
});

export const aliasOperations = [list, set, remove] as const;

function codesOf(models: readonly ModelObject[]): string[] {
  return models.filter(({ alias_of }) => alias_of === undefined).map(({ id }) => id);
}

function checkAlias(
  { name, model }: { name: string; model: string },
  codes: readonly string[],
  spaceName: string,
): void {
  if (codes.includes(name))
    throw new Problem('conflict', {
      detail: `There is already a model ${name} in ${spaceName}. Choose another name for the alias.`,
      param: 'alias',
    });
  if (codes.includes(model)) return;
  const guess = nearest(model, codes);
  throw new Problem('invalid_parameter', {
    detail: `There is no model ${model} in ${spaceName}.${guess === null ? '' : ` Did you mean ${guess}?`}`,
    param: 'model',
  });
}
