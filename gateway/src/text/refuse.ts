/** Refusals of what a translated call cannot carry. */
import { Problem } from '../kernel/problem.ts';

export function cannotCarry(param: string, model: string): Problem {
  return new Problem('invalid_parameter', {
    detail: `${param} cannot be carried to the model ${model}; leave it out.`,
    param,
  });
}

/**
 * Same dialect on both sides passes unknown fields on. A translation has no place for them, so it
 * names the first one that says something.
 */
export function refuseUnknown(
  request: { readonly model: string },
  known: ReadonlySet<string>,
  harmless: Readonly<Record<string, (value: unknown) => boolean>>,
): void {
  for (const [name, value] of Object.entries(request)) {
    if (known.has(name) || saysNothing(value) || harmless[name]?.(value)) continue;
    throw cannotCarry(name, request.model);
  }
}

/** SDKs send null and empty lists and objects for "not given". */
export function saysNothing(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    (typeof value === 'object' && Object.keys(value as object).length === 0)
  );
}
