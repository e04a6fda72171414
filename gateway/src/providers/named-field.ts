/**
 * Which neutral field a provider means by the name of one of its own, so that the caller of a translated request learns
 * which of its fields is wrong. Pure.
 */
import type { TextField } from '../text/text-call.ts';

/** Fields of a dialect by their names there, without places in lists: `output_config.effort`. */
export type FieldNames = Readonly<Record<string, TextField>>;

/** Null if no field of callers is meant. The longest name that the table has counts. */
export function namedField(names: FieldNames, param: string): TextField | null {
  const steps = param
    .replaceAll(/\.?\[\d+\]/g, '')
    .replaceAll(/\.\d+(?=\.|$)/g, '')
    .split('.');
  for (let length = steps.length; length > 0; length--) {
    const name = steps.slice(0, length).join('.');
    const field = Object.hasOwn(names, name) ? names[name] : undefined;
    if (field !== undefined) return field;
  }
  return null;
}
