/** What a key may do: until when, which models, how much per month and per minute, or nothing while it is disabled. */
import { Type } from 'typebox';
import {
  allowModels,
  disableKey,
  expireKey,
  type ListedKey,
  limitKey,
  rateKey,
} from '../access/keys.store.ts';
import type { Space } from '../access/spaces.store.ts';
import { nearest } from '../catalog/nearest.ts';
import type { Transaction } from '../database/database.ts';
import { AdminError } from './admin-error.ts';
import { fields, futureTime, inSpace, Label, MonthLimit, monthLimitOf, Time } from './input-fields.ts';
import { shownKey } from './keys.ts';
import { keyNamed } from './named-records.ts';
import { change } from './operation.ts';
import { rateFields, rateOf } from './per-minute.ts';

const MODELS_MAX = 100;

const Models = Type.Union(
  [
    Type.Array(Type.String({ pattern: '^[^\\s,\\p{C}]{1,100}$' }), { minItems: 1, maxItems: MODELS_MAX }),
    Type.Null(),
  ],
  { description: `A list of 1 to ${MODELS_MAX} model codes, or null for all models.` },
);

const keyName = { name: Label, ...inSpace };

const limit = change({
  name: 'keys.limit',
  input: fields({ ...keyName, month_limit: MonthLimit }),
  run: async ({ tx }, input) =>
    await changeKey(tx, input, async (key) => {
      const monthLimit = monthLimitOf(input);
      await limitKey(tx, key.id, monthLimit);
      return { monthLimit };
    }),
});

const rate = change({
  name: 'keys.rate',
  input: fields({ ...keyName, ...rateFields }),
  run: async ({ tx }, input) =>
    await changeKey(tx, input, async (key) => {
      const limits = rateOf(input);
      await rateKey(tx, key.id, limits);
      return limits;
    }),
});

const expire = change({
  name: 'keys.expire',
  input: fields({
    ...keyName,
    expires: Type.Union([Type.Literal('now'), Time], {
      description: 'A time with its zone, such as 2026-12-31T18:00:00+09:00, or "now".',
    }),
  }),
  run: async ({ tx, now }, input) =>
    await changeKey(tx, input, async (key) => {
      const expiresAt = input.expires === 'now' ? now : futureTime(input.expires, now);
      await expireKey(tx, key.id, expiresAt);
      return { expiresAt };
    }),
});

const models = change({
  name: 'keys.models',
  input: fields({ ...keyName, models: Models }),
  run: async ({ tx, models: modelsOf }, input) =>
    await changeKey(tx, input, async (key, space) => {
      const allowed = input.models === null ? null : [...new Set(input.models)];
      const known = await modelsOf?.(space.name);
      if (allowed !== null && known !== undefined) rejectUnknown(allowed, known, space);
      await allowModels(tx, key.id, allowed);
      return { models: allowed };
    }),
});

const disable = change({
  name: 'keys.disable',
  input: fields(keyName),
  run: async ({ tx, now }, input) =>
    await changeKey(tx, input, async (key) => {
      await disableKey(tx, key.id, now);
      return { disabled: true };
    }),
});

const enable = change({
  name: 'keys.enable',
  input: fields(keyName),
  run: async ({ tx }, input) =>
    await changeKey(tx, input, async (key) => {
      await disableKey(tx, key.id, null);
      return { disabled: false };
    }),
});

export const keyRuleOperations = [limit, rate, expire, models, disable, enable] as const;

/** Applies a rule to a key; `apply` answers what it changed. */
async function changeKey(
  tx: Transaction,
  input: { space?: string; name: string },
  apply: (key: ListedKey, space: Space) => Promise<Partial<ListedKey>>,
) {
  const { space, key } = await keyNamed(tx, input);
  const after = shownKey({ ...key, ...(await apply(key, space)) });
  return { answer: { name: key.name, ...after }, space, subject: key.name, before: shownKey(key), after };
}

/** A misspelt model would leave the key with fewer models than intended, and nobody would notice. */
function rejectUnknown(models: readonly string[], known: readonly string[], space: Space): void {
  const unknown = models.filter((code) => !known.includes(code));
  if (unknown.length === 0) return;
  const similar = unknown.flatMap((code) => nearest(code, known) ?? []);
  const hint = similar.length === 0 ? '"tollgate models" lists them.' : `Did you mean ${similar.join(', ')}?`;
  const what = unknown.length === 1 ? 'There is no model' : 'There are no models';
  throw new AdminError(`${what} ${unknown.join(', ')} in ${space.name}. ${hint}`);
}
