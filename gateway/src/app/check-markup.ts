/** Rejects markup for spaces and keys that do not exist: it would apply to nobody, and somebody would pay another price. */
import { listKeyIds } from '../access/keys.store.ts';
import { listSpaces } from '../access/spaces.store.ts';
import { ConfigError, unknownName } from '../catalog/config-error.ts';
import type { ConfigFile } from '../catalog/config-file.ts';
import type { Queryable } from '../database/database.ts';

export async function checkMarkupNames({ prices }: Pick<ConfigFile, 'prices'>, db: Queryable): Promise<void> {
  const rules = prices?.markup ?? [];
  if (rules.every(({ space, key }) => space === undefined && key === undefined)) return;
  const spaces = (await listSpaces(db)).map(({ name }) => name);
  // A new installation has to start before it can have any.
  if (spaces.length === 0) return;
  const keys = await listKeyIds(
    db,
    rules.flatMap(({ key }) => key ?? []),
  );
  for (const [i, { space, key }] of rules.entries()) {
    const place = `prices.markup[${i}]`;
    if (space !== undefined && !spaces.includes(space)) throw unknownName(`${place}.space`, space, spaces);
    if (key !== undefined && !keys.includes(key))
      throw ConfigError.of(`${place}.key`, `there is no ${key}; "tollgate keys list -o wide" shows the ids`);
  }
}
