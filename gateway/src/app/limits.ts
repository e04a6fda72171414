/** All limits of the gateway; `limits:` in tollgate.yaml overrides their defaults. */
import type { ConfigFile } from '../config/config-shape.ts';
import { type LimitName, limitTable } from '../config/limit-table.ts';

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** By the names of `tollgate.yaml` in camel case: `jsonBodyBytes`. */
export type Limits = { readonly [Name in LimitName as CamelCase<Name>]: number };

export const defaultLimits: Limits = readLimits();

export function readLimits(entries: ConfigFile['limits'] = {}): Limits {
  return Object.fromEntries(
    Object.entries(limitTable).map(([name, [value]]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      entries[name as LimitName] ?? value,
    ]),
  ) as Limits;
}
