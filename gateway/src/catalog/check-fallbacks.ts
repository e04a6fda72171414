/** Rejects fallbacks to models that cannot answer the same calls. Pure. */
import { modelEndpoints, modelKinds, pathsOf } from '../contract/paid-endpoints.ts';
import { ConfigError, unknownName } from '../yaml/config-error.ts';
import type { ConfigProblems } from '../yaml/config-problems.ts';
import type { CatalogFile } from './catalog-file.ts';
import type { Model } from './model.ts';

/** `models` are those that can be called: without those whose providers are switched off. */
export function checkFallbacks(
  entries: CatalogFile['models'],
  models: readonly Model[],
  problems: ConfigProblems,
): void {
  const known = new Map(models.map((model) => [model.code, model]));
  for (const model of models) {
    if (model.fallbacks === undefined) continue;
    const path = `models.${model.code}.fallbacks`;
    const unfit = unfitKind(model);
    if (unfit !== null) problems.add(ConfigError.of(path, unfit));
    model.fallbacks.forEach(({ model: code }, i) => {
      const at = `${path}[${i}].model`;
      const wrong = Object.hasOwn(entries, code)
        ? wrongFallback(model, { code, i, other: known.get(code) })
        : unknownName(at, code, Object.keys(entries));
      if (wrong !== null) problems.add(wrong instanceof ConfigError ? wrong : ConfigError.of(at, wrong));
    });
  }
}

/** Null if calls of the model may be answered by another one. */
function unfitKind({ endpoints }: Model): string | null {
  const unfit = modelEndpoints.find((kind) => endpoints.has(kind) && modelKinds[kind].noFallbacks !== null);
  return unfit === undefined ? null : modelKinds[unfit].noFallbacks;
}

function wrongFallback(
  model: Model,
  { code, i, other }: { code: string; i: number; other: Model | undefined },
): string | null {
  if (code === model.code) return 'a model cannot be its own fallback';
  if (model.fallbacks?.slice(0, i).some((before) => before.model === code))
    return `${code} is listed twice; write all its reasons in one entry`;
  // Switched off: it is skipped.
  if (other === undefined) return null;
  const missing = [...model.endpoints].filter((endpoint) => !other.endpoints.has(endpoint));
  return missing.length === 0 ? null : `${code} cannot be called on ${missing.flatMap(pathsOf).join(', ')}`;
}
