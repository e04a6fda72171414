/** The keys of a space: creating, listing, rotating and revoking them. What a key may do is in key-rules.ts. */
import { Type } from 'typebox';
import { createKey, rotateSecret } from '../access/create-key.ts';
import { type ListedKey, listKeys, revokeKey } from '../access/keys.store.ts';
import { listMembers } from '../access/members.store.ts';
import { DAY_MS, HOUR_MS } from '../kernel/durations.ts';
import { kstOf } from '../kernel/time.ts';
import { AdminError } from './admin-error.ts';
import { Email, fields, inSpace, Label, shownLimit, whole } from './input-fields.ts';
import { keyNamed, memberNamed, orTaken, spaceNamed } from './named-records.ts';
import { change, read } from './operation.ts';
import { shownRate } from './per-minute.ts';

const KEY_DAYS_DEFAULT = 90;
const GRACE_HOURS_DEFAULT = 24;
const Days = Type.Optional(whole({ min: 1, max: 3_650 }));
const GraceHours = Type.Optional(whole({ min: 0, max: 24 * 30 }));

const create = change({
  name: 'keys.create',
  input: fields({
    name: Label,
    ...inSpace,
    kind: Type.Enum(['personal', 'shared', 'management']),
    /** The owner of a personal key. */
    email: Type.Optional(Email),
    /** The member who asked for the key; of a personal key its owner by default. */
    creator: Type.Optional(Email),
    days: Days,
  }),
  async run({ tx, now }, input) {
    const { name, kind, creator, days = KEY_DAYS_DEFAULT } = input;
    const space = await spaceNamed(tx, input);
    const memberId = kind === 'personal' ? (await memberNamed(tx, space, ownerOf(input))).id : null;
    const createdBy = creator === undefined ? memberId : (await memberNamed(tx, space, creator)).id;
    const expiresAt = now + days * DAY_MS;
    const key = await orTaken(`There is already a key ${name} in ${space.name}.`, () =>
      createKey(tx, { spaceId: space.id, kind, memberId, createdBy, name, expiresAt }, now),
    );
    const facts = { name, kind, space: space.name, expires: kstOf(expiresAt) };
    return {
      answer: { key: key.secret, ...facts },
      space,
      subject: name,
      after: { ...facts, key: key.hint },
    };
  },
});

const list = read({
  name: 'keys.list',
  input: fields(inSpace),
  async run({ db }, input) {
    const space = await spaceNamed(db, input);
    const [keys, members] = [await listKeys(db, space.id), await listMembers(db, space.id)];
    const emails = new Map(members.map((member) => [member.id, member.email]));
    return keys.map((key) => {
      const { name, kind, memberId } = key;
      const owner = memberId === null ? 'shared' : (emails.get(memberId) ?? '(removed)');
      return { name, kind, key: key.hint, owner, ...shownKey(key) };
    });
  },
});

const revoke = change({
  name: 'keys.revoke',
  input: fields({ name: Label, ...inSpace }),
  async run({ tx, now }, input) {
    const { space, key } = await keyNamed(tx, input);
    await revokeKey(tx, key.id, now);
    const answer = { name: key.name, revoked: true };
    return { answer, space, subject: key.name, before: shownKey(key), after: { revoked: true } };
  },
});

const rotate = change({
  name: 'keys.rotate',
  input: fields({ name: Label, ...inSpace, grace_hours: GraceHours, days: Days }),
  async run({ tx, now }, input) {
    const { grace_hours = GRACE_HOURS_DEFAULT, days = KEY_DAYS_DEFAULT } = input;
    const { space, key } = await keyNamed(tx, input);
    const formerUntil = now + grace_hours * HOUR_MS;
    const expiresAt = now + days * DAY_MS;
    const made = await rotateSecret(tx, key, { formerUntil, expiresAt });
    const facts = { expires: kstOf(expiresAt), former_until: kstOf(formerUntil) };
    return {
      answer: { key: made.secret, name: key.name, ...facts },
      space,
      subject: key.name,
      before: { key: key.hint, expires: kstOf(key.expiresAt) },
      after: { ...facts, key: made.hint },
    };
  },
});

export const keyOperations = [create, list, revoke, rotate] as const;

function ownerOf({ email }: { email?: string }): string {
  if (email !== undefined) return email;
  throw new AdminError('email is required for a personal key; it must be the e-mail address of a member.');
}

/** The rules of a key, as they are shown and written to the audit log. */
export function shownKey(key: ListedKey) {
  const { expiresAt, formerUntil, monthLimit, models, disabled } = key;
  return {
    expires: kstOf(expiresAt),
    month_limit: shownLimit(monthLimit),
    ...shownRate(key),
    models: models === null ? 'all' : models.join(','),
    disabled,
    former_until: formerUntil === null ? null : kstOf(formerUntil),
  };
}
