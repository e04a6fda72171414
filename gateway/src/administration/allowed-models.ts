/** Reads the models that a key or a member may use. */
import type { Space } from '../access/spaces.store.ts';
import { nearest } from '../kernel/nearest.ts';
import { Problem } from '../kernel/problem.ts';
import type { ModelsOf } from './installation-view.ts';

/** Null: all models. A misspelt one would leave fewer models than intended, and nobody would notice. */
export async function readAllowedModels(
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
