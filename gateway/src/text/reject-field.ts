/** Errors for fields that a translated call does not support. */
import { Problem } from '../kernel/problem.ts';

export function cannotCarry(param: string, model: string): Problem {
  return new Problem('invalid_parameter', {
    detail: `${param} is not supported for the model ${model}; remove it.`,
    param,
  });
}

/** A field that the dialect of a model has no word for, or takes within limits alone. */
export function rejectField(name: string, limit: string, model: string): Problem {
  return new Problem('invalid_parameter', {
    detail: `The model ${model} does not support ${name}${limit === '' ? '' : ` ${limit}`}.`,
    param: name.replace(/ \(.*/, ''),
  });
}

/** A relay passes unknown fields on. A translation cannot, so it rejects the first one that has a value. */
export function rejectUnknownFields(
  request: { readonly model: string },
  known: ReadonlySet<string>,
  harmless: Readonly<Record<string, (value: unknown) => boolean>>,
  refuse: (param: string, model: string) => Problem = cannotCarry,
): void {
  for (const [name, value] of Object.entries(request)) {
    if (known.has(name) || isAbsent(value) || harmless[name]?.(value)) continue;
    throw refuse(name, request.model);
  }
}

/** SDKs send null and empty lists for "not set". An empty object may switch something on: `web_search_options: {}`. */
function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** Of a field that an empty object says nothing about. */
export function isUnset(value: unknown): boolean {
  return isAbsent(value) || (typeof value === 'object' && Object.keys(value as object).length === 0);
}
