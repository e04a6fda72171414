/** Refusals of what a translated call cannot carry. */
import { Problem } from '../kernel/problem.ts';

export function cannotCarry(param: string, model: string): Problem {
  return new Problem('invalid_parameter', {
    detail: `${param} cannot be carried to the model ${model}; leave it out.`,
    param,
  });
}

/** A field that the dialect of a model has no word for, or takes within limits alone. */
export function refuseField(name: string, limit: string, model: string): Problem {
  return new Problem('invalid_parameter', {
    detail: `The model ${model} does not take ${name}${limit === '' ? '' : ` ${limit}`}.`,
    param: name.replace(/ \(.*/, ''),
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
  refuse: (param: string, model: string) => Problem = cannotCarry,
): void {
  for (const [name, value] of Object.entries(request)) {
    if (known.has(name) || saysNothing(value) || harmless[name]?.(value)) continue;
    throw refuse(name, request.model);
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
