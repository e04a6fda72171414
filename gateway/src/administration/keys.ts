/** The keys of a space: creating, listing, rotating and revoking them. What a key may do is in rules.ts. */
import { createKey, rotateSecret } from '../access/create-key.ts';
import { type ListedKey, type RotatedTimes, revokeKey } from '../access/keys.store.ts';
import { writeRules } from '../access/rules.store.ts';
import type { Space } from '../access/spaces.store.ts';
import { GRACE_HOURS_DEFAULT, KEY_DAYS_DEFAULT } from '../contract/administration/words.ts';
import { DAY_MS, HOUR_MS } from '../kernel/durations.ts';
import { Problem } from '../kernel/problem.ts';
import { type Instant, kstOf, monthOf, printMonthEnd } from '../kernel/time.ts';
import { printUnits } from '../kernel/units.ts';
import { type KeyListRow, readKeyPage, readKeyRow } from '../reports/lists/key-page.store.ts';
import type { Own } from './authorize.ts';
import { keyNamed, memberNamed, orTaken } from './named-records.ts';
import { change, read } from './operation.ts';
import { listedMember } from './owned.ts';
import { answeredPage, shownRow, wantedPage } from './page.ts';
import { shownTime } from './read-input.ts';
import { readLimit, shownRules } from './rule-values.ts';

const create = change('keys.create', async ({ tx, now, space, own }, input) => {
  const { name, kind, creator, days = KEY_DAYS_DEFAULT, month_limit = null } = input;
  const monthLimit = readLimit(month_limit, 'month_limit');
  if (own !== null) checkOwn(input, own);
  const memberId = kind === 'personal' ? (await memberNamed(tx, space, ownerOf(input, own))).id : null;
  const createdBy = creator === undefined ? memberId : (await memberNamed(tx, space, creator)).id;
  const expiresAt = now + days * DAY_MS;
  const key = await orTaken(`There is already a key ${name} in ${space.name}.`, 'name', () =>
    createKey(tx, { spaceId: space.id, kind, memberId, createdBy, name, expiresAt }, now),
  );
  if (monthLimit !== null)
    await writeRules(tx, { holder: 'key', id: key.id, now }, { month_limit: monthLimit });
  const facts = {
    id: key.id,
    name,
    kind,
    space: space.name,
    expires_at: kstOf(expiresAt),
    month_limit: monthLimit === null ? null : printUnits(monthLimit),
  };
  return { answer: { key: key.secret, ...facts }, subject: name, after: { ...facts, hint: key.hint } };
});

const revoke = change('keys.revoke', async ({ tx, now, space, own }, { name }) => {
  const key = await keyNamed(tx, { space, own }, name);
  await revokeKey(tx, key.id, now);
  const after = { revoked: true as const };
  return { answer: { name: key.name, ...after }, subject: key.name, before: shownKeyRules(key), after };
});

const rotate = change('keys.rotate', async ({ tx, now, space, own }, input) => {
  const { name, grace_hours = GRACE_HOURS_DEFAULT, days = KEY_DAYS_DEFAULT } = input;
  const key = await keyNamed(tx, { space, own }, name);
  const formerUntil = now + grace_hours * HOUR_MS;
  const times = rotatedTimes(key, { expiresAt: now + days * DAY_MS, now, space, own });
  const made = await rotateSecret(tx, key, { formerUntil, ...times });
  const facts = { expires_at: kstOf(times.expiresAt), former_until: kstOf(formerUntil) };
  const { id, kind } = key;
  return {
    answer: { key: made.secret, id, name: key.name, kind, space: space.name, ...facts },
    subject: key.name,
    before: { hint: key.hint, expires_at: kstOf(key.rules.expires_at) },
    after: { ...facts, hint: made.hint },
  };
});

/** An administrator gives the key a new life; its owner keeps to the end that an administrator set. */
function rotatedTimes(
  { name, endsAt }: ListedKey,
  { expiresAt, now, space, own }: { expiresAt: Instant; now: Instant; space: Space; own: Own | null },
): Omit<RotatedTimes, 'formerUntil'> {
  if (own === null || endsAt === null) return { expiresAt, endsAt: null };
  if (endsAt > now) return { expiresAt: Math.min(expiresAt, endsAt), endsAt };
  throw new Problem('permission_denied', {
    detail: `An administrator ended the key ${name} at ${kstOf(endsAt)}. Ask an administrator of ${space.name} to rotate it.`,
    param: 'name',
  });
}

const list = read('keys.list', async ({ db, now, space, own }, input) => {
  const { kind, state, search } = input;
  const memberId = await listedMember(db, { space, own }, input.email);
  const of = { spaceId: space.id, order: 'name', now, kind, state, search, memberId } as const;
  return answeredPage(await readKeyPage(db, { ...of, ...wantedPage(input) }), (row) => shownKey(row, now));
});

const get = read('keys.get', async ({ db, now, space, own }, { name }) => {
  const { id } = await keyNamed(db, { space, own }, name);
  return shownKey((await readKeyRow(db, { spaceId: space.id, id, now })) as KeyListRow, now);
});

export const keyOperations = [create, list, get, revoke, rotate] as const;

function shownKey(row: KeyListRow, now: Instant) {
  const { rules: _, endsAt: __, formerUntil: ___, spent, last_used_at, ...facts } = row;
  return {
    ...shownRow(facts),
    ...shownKeyRules(row),
    spent,
    resets_at: printMonthEnd(monthOf(now)),
    last_used_at: shownTime(last_used_at),
  };
}

/** The rules of a key, as they are shown and written to the audit log. */
export function shownKeyRules({
  rules,
  endsAt,
  formerUntil,
}: Pick<ListedKey, 'rules' | 'endsAt' | 'formerUntil'>) {
  const { expires_at, ...others } = shownRules('key', rules);
  return { expires_at, ends_at: shownTime(endsAt), ...others, former_until: shownTime(formerUntil) };
}

interface NewKeyInput {
  readonly kind: string;
  readonly email?: string;
  readonly creator?: string;
}

/** A member creates keys for themselves only. */
function checkOwn({ kind, email, creator }: NewKeyInput, own: Own): void {
  if (kind !== 'personal')
    throw new Problem('permission_denied', {
      detail: `Members can create personal keys. A ${kind} key is created by an administrator of the space.`,
      param: 'kind',
    });
  const others = [email, creator].filter(
    (one) => one !== undefined && one.toLowerCase() !== own.email.toLowerCase(),
  );
  if (others.length > 0)
    throw new Problem('permission_denied', {
      detail: 'Members can create keys only for themselves: leave out email and creator.',
      param: 'email',
    });
}

function ownerOf({ email }: NewKeyInput, own: Own | null): string {
  const owner = email ?? own?.email;
  if (owner !== undefined) return owner;
  throw new Problem('invalid_parameter', {
    detail: 'email is required for a personal key; it must be the e-mail address of a member.',
    param: 'email',
  });
}
