/** Finds markup for spaces and keys that do not exist: it applies to nobody, and somebody may pay another price. */
import { listKeyIds } from '../access/keys.store.ts';
import { listSpaces } from '../access/spaces.store.ts';
import type { ConfigFile } from '../config/config-shape.ts';
import type { Queryable } from '../database/database.ts';
import { ConfigError, unknownName } from '../yaml/config-error.ts';

/** Whom a markup can name. */
export interface KnownCallers {
  /** The names of all spaces. */
  readonly spaces: readonly string[];
  /** Those of the wanted keys that exist, revoked or not. */
  readonly keys: readonly string[];
}

export type ReadCallers = (keys: readonly string[]) => Promise<KnownCallers>;

export async function readCallers(db: Queryable, keys: readonly string[]): Promise<KnownCallers> {
  const spaces = await listSpaces(db);
  return { spaces: spaces.map(({ name }) => name), keys: await listKeyIds(db, keys) };
}

/** One error for each rule that applies to nobody. Reads nothing if no rule names a space or a key. */
export async function unknownInMarkup(
  { prices }: Pick<ConfigFile, 'prices'>,
  read: ReadCallers,
): Promise<ConfigError[]> {
  const rules = prices?.markup ?? [];
  if (rules.every(({ space, key }) => space === undefined && key === undefined)) return [];
  const { spaces, keys } = await read(rules.flatMap(({ key }) => key ?? []));
  // A new installation has to start before it can have any.
  if (spaces.length === 0) return [];
  return rules.flatMap(({ space, key }, i) => {
    const place = `prices.markup[${i}]`;
    if (space !== undefined && !spaces.includes(space)) return unknownName(`${place}.space`, space, spaces);
    if (key !== undefined && !keys.includes(key))
      return ConfigError.of(`${place}.key`, `there is no ${key}; "tollgate keys list -o wide" shows the ids`);
    return [];
  });
}
