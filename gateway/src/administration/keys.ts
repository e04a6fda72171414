import { createKey, renewKey } from '../access/create-key.ts';
import {
  allowModels,
  disableKey,
  expireKey,
  findKey,
  type ListedKey,
  limitKey,
  listKeys,
  rateKey,
  revokeKey,
} from '../access/keys.store.ts';
import { listMembers } from '../access/members.store.ts';
import type { KeyKind } from '../access/principal.ts';
import type { Space } from '../access/spaces.store.ts';
import { nearest } from '../catalog/nearest.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { DAY_MS, HOUR_MS } from '../kernel/durations.ts';
import { type Instant, kstOf } from '../kernel/time.ts';
import {
  expiry,
  LABEL,
  limitOf,
  memberNamed,
  orTaken,
  rateOf,
  shownLimit,
  spaceNamed,
  text,
  whole,
} from './args.ts';
import {
  type AdminArgs,
  type AdminCommand,
  type AdminCommands,
  AdminError,
  change,
  question,
} from './command.ts';

export const KEY_DAYS_DEFAULT = 90;
const KEY_DAYS = { min: 1, max: 3_650, unless: KEY_DAYS_DEFAULT };
const GRACE_HOURS = { min: 0, max: 24 * 30, unless: 24 };
const MODELS_MAX = 100;
const MODEL = /^[^\s,\p{C}]{1,100}$/u;

export const keyCommands: AdminCommands = {
  'keys.create': change('keys.create', async (tx, args, now) => {
    const space = await spaceNamed(tx, args);
    const kind = text(args, 'kind', /^(personal|shared|management)$/) as KeyKind;
    const name = text(args, 'name', LABEL);
    const memberId = kind === 'personal' ? (await memberNamed(tx, space, args)).id : null;
    const createdBy =
      args.creator === undefined ? memberId : (await memberNamed(tx, space, args, 'creator')).id;
    const expiresAt = now + whole(args, 'days', KEY_DAYS) * DAY_MS;
    const key = await orTaken(`There is already a key ${name} in ${space.name}.`, () =>
      createKey(tx, { spaceId: space.id, kind, memberId, createdBy, name, expiresAt }, now),
    );
    const facts = { name, kind, space: space.name, expires: kstOf(expiresAt) };
    return { answer: { key: key.text, ...facts }, space, subject: name, after: { ...facts, key: key.hint } };
  }),

  'keys.list': question(async ({ db }, args) => {
    const space = await spaceNamed(db, args);
    const [keys, members] = [await listKeys(db, space.id), await listMembers(db, space.id)];
    const emails = new Map(members.map((member) => [member.id, member.email]));
    return keys.map((key) => {
      const { name, kind, memberId } = key;
      const owner = memberId === null ? '(the key itself)' : (emails.get(memberId) ?? '(removed)');
      return { name, kind, key: key.hint, owner, ...shown(key) };
    });
  }),

  'keys.revoke': change('keys.revoke', async (tx, args, now) => {
    const { space, key } = await keyNamed(tx, args);
    await revokeKey(tx, key.id, now);
    const answer = { name: key.name, revoked: true };
    return { answer, space, subject: key.name, before: shown(key), after: { revoked: true } };
  }),

  'keys.rotate': change('keys.rotate', async (tx, args, now) => {
    const { space, key } = await keyNamed(tx, args);
    const formerUntil = now + whole(args, 'grace', GRACE_HOURS) * HOUR_MS;
    const expiresAt = now + whole(args, 'days', KEY_DAYS) * DAY_MS;
    const made = await renewKey(tx, key, { formerUntil, expiresAt });
    const facts = { expires: kstOf(expiresAt), former_until: kstOf(formerUntil) };
    return {
      answer: { key: made.text, name: key.name, ...facts },
      space,
      subject: key.name,
      before: { key: key.hint, expires: kstOf(key.expiresAt) },
      after: { ...facts, key: made.hint },
    };
  }),

  'keys.limit': changeOf('keys.limit', async (tx, key, args) => {
    const monthLimit = limitOf(args);
    await limitKey(tx, key.id, monthLimit);
    return { monthLimit };
  }),

  'keys.disable': changeOf('keys.disable', async (tx, key, _, now) => {
    await disableKey(tx, key.id, now);
    return { disabled: true };
  }),

  'keys.enable': changeOf('keys.enable', async (tx, key) => {
    await disableKey(tx, key.id, null);
    return { disabled: false };
  }),

  'keys.expire': changeOf('keys.expire', async (tx, key, args, now) => {
    const expiresAt = args.date === 'now' ? now : expiry(String(args.date ?? ''), now);
    await expireKey(tx, key.id, expiresAt);
    return { expiresAt };
  }),

  'keys.rate': changeOf('keys.rate', async (tx, key, args) => {
    const rate = rateOf(args);
    await rateKey(tx, key.id, rate);
    return rate;
  }),

  'keys.models': change('keys.models', async (tx, args, _, context) => {
    const { space, key } = await keyNamed(tx, args);
    const models = modelsOf(args);
    const known = await context.models?.(space.name);
    if (models !== null && known !== undefined) refuseUnknown(models, known, space);
    await allowModels(tx, key.id, models);
    const after = shown({ ...key, models });
    return { answer: { name: key.name, ...after }, space, subject: key.name, before: shown(key), after };
  }),
};

/** A change of some facts of one key. */
function changeOf(
  action: string,
  work: (tx: Transaction, key: ListedKey, args: AdminArgs, now: Instant) => Promise<Partial<ListedKey>>,
): AdminCommand {
  return change(action, async (tx, args, now) => {
    const { space, key } = await keyNamed(tx, args);
    const after = shown({ ...key, ...(await work(tx, key, args, now)) });
    return { answer: { name: key.name, ...after }, space, subject: key.name, before: shown(key), after };
  });
}

async function keyNamed(db: Queryable, args: AdminArgs): Promise<{ space: Space; key: ListedKey }> {
  const space = await spaceNamed(db, args);
  const name = text(args, 'name', LABEL);
  const key = await findKey(db, { spaceId: space.id, name });
  if (key !== null) return { space, key };
  throw new AdminError(`There is no key ${name} in ${space.name}. "tollgate keys list" shows them.`);
}

/** A misspelt model would leave the key with fewer models than meant, and nobody would know. */
function refuseUnknown(models: readonly string[], known: readonly string[], space: Space): void {
  const unknown = models.filter((code) => !known.includes(code));
  if (unknown.length === 0) return;
  const meant = unknown.flatMap((code) => nearest(code, known) ?? []);
  const hint = meant.length === 0 ? '"tollgate models" lists them.' : `Did you mean ${meant.join(', ')}?`;
  const what = unknown.length === 1 ? 'There is no model' : 'There are no models';
  throw new AdminError(`${what} ${unknown.join(', ')} in ${space.name}. ${hint}`);
}

/** `all` takes the list away. */
function modelsOf(args: AdminArgs): string[] | null {
  if (args.models === 'all') return null;
  const models = [...new Set(String(args.models ?? '').split(','))];
  if (models.length > MODELS_MAX) throw new AdminError(`A key may name at most ${MODELS_MAX} models.`);
  for (const model of models) {
    if (!MODEL.test(model))
      throw new AdminError(`${JSON.stringify(model)} is not a model code. Write them as a,b,c, or all.`);
  }
  return models;
}

function shown(key: ListedKey) {
  const { expiresAt, formerUntil, monthLimit, models, disabled, requestsPerMinute, tokensPerMinute } = key;
  return {
    expires: kstOf(expiresAt),
    month_limit: shownLimit(monthLimit),
    requests_per_minute: requestsPerMinute ?? 'none',
    tokens_per_minute: tokensPerMinute ?? 'none',
    models: models === null ? 'all' : models.join(','),
    disabled,
    former_until: formerUntil === null ? null : kstOf(formerUntil),
  };
}
