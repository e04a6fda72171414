/** What a key may do: until when, which models, how much per month and per minute, or nothing while it is disabled. */
import {
  allowModels,
  disableKey,
  expireKey,
  type ListedKey,
  limitKey,
  rateKey,
} from '../access/keys.store.ts';
import type { Space } from '../access/spaces.store.ts';
import type { Transaction } from '../database/database.ts';
import { kstOf } from '../kernel/time.ts';
import { readAllowedModels } from './allowed-models.ts';
import type { Own } from './authorize.ts';
import { keyNamed, keyOwner } from './named-records.ts';
import { change } from './operation.ts';
import { futureTime, monthLimitOf, rateOf, shownLimit, shownRate, shownTime } from './read-input.ts';

const limit = change('keys.limit', (tools, input) =>
  changeKey(tools, input, async (key) => {
    const monthLimit = monthLimitOf(input);
    await limitKey(tools.tx, key.id, monthLimit);
    return { monthLimit };
  }),
);

const rate = change('keys.rate', (tools, input) =>
  changeKey(tools, input, async (key) => {
    const limits = rateOf(input);
    await rateKey(tools.tx, key.id, limits);
    return limits;
  }),
);

const expire = change('keys.expire', (tools, input) =>
  changeKey(tools, input, async (key) => {
    const expiresAt = input.expires === 'now' ? tools.now : futureTime(input.expires, tools.now);
    await expireKey(tools.tx, key.id, expiresAt);
    return { expiresAt, endsAt: expiresAt };
  }),
);

const models = change('keys.models', (tools, input) =>
  changeKey(tools, input, async (key) => {
    const allowed = await readAllowedModels(tools, input);
    await allowModels(tools.tx, key.id, allowed);
    return { models: allowed };
  }),
);

const disable = change('keys.disable', (tools, input) =>
  changeKey(tools, input, async (key) => {
    await disableKey(tools.tx, key.id, tools.now);
    return { disabled: true };
  }),
);

const enable = change('keys.enable', (tools, input) =>
  changeKey(tools, input, async (key) => {
    await disableKey(tools.tx, key.id, null);
    return { disabled: false };
  }),
);

export const keyRuleOperations = [limit, rate, expire, models, disable, enable] as const;

/** The rules of a key, as they are shown and written to the audit log. */
export function shownRules(key: ListedKey) {
  const { expiresAt, endsAt, formerUntil, monthLimit, models, disabled } = key;
  return {
    expires_at: kstOf(expiresAt),
    ends_at: shownTime(endsAt),
    month_limit: shownLimit(monthLimit),
    ...shownRate(key),
    models: models === null ? null : [...models],
    disabled,
    former_until: shownTime(formerUntil),
  };
}

/** Applies a rule to a key; `apply` answers what it changed. */
async function changeKey(
  tools: { tx: Transaction; space: Space; own: Own | null },
  { name }: { name: string },
  apply: (key: ListedKey) => Promise<Partial<ListedKey>>,
) {
  const key = await keyNamed(tools.tx, tools, name);
  const after = shownRules({ ...key, ...(await apply(key)) });
  const owner = await keyOwner(tools.tx, key);
  return { answer: { name: key.name, owner, ...after }, subject: key.name, before: shownRules(key), after };
}
