/**
 * What an operator can do, as functions of the database: the running server offers them on its local
 * socket, and the CLI calls them directly when no server runs. Answers are plain JSON.
 */
import { createKey } from '../access/create-key.ts';
import { limitKey, listKeys, revokeKey } from '../access/keys.store.ts';
import {
  findMember,
  insertMember,
  limitMember,
  listMembers,
  type Member,
  type Role,
  removeMember,
} from '../access/members.store.ts';
import { EMAIL } from '../access/person.ts';
import type { KeyKind } from '../access/principal.ts';
import {
  insertSpace,
  listSpaces,
  type Space,
  updateBlocked,
  updateKeepsResponses,
  updateOverage,
} from '../access/spaces.store.ts';
import type { Database } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { type Clock, isoOf } from '../kernel/time.ts';
import { addUnits, parseUnits, printUnits, type Units } from '../kernel/units.ts';
import { readBalance } from '../ledger/balance.store.ts';
import { type GrantKind, insertGrant, listGrants } from '../ledger/grants.store.ts';
import {
  type AdminArgs,
  type AdminCommand,
  AdminError,
  LABEL,
  NAME,
  orTaken,
  spaceNamed,
  text,
} from './admin-command.ts';
import { peopleCommands } from './admin-people.ts';
import { projectCommands } from './admin-projects.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
export const KEY_DAYS_DEFAULT = 90;
const KEY_DAYS_MAX = 3_650;

export const adminCommands: Readonly<Record<string, AdminCommand>> = {
  ...peopleCommands,
  ...projectCommands,
  async 'spaces.create'({ db, clock }, args) {
    const name = text(args, 'name', NAME);
    const space = {
      id: newId('spc', clock.now()),
      name,
      overageAllowed: args.overage === true,
      keepsResponses: true,
      createdAt: clock.now(),
    };
    await orTaken(`There is already a space ${name}.`, () => db.transaction((tx) => insertSpace(tx, space)));
    return shownSpace(space);
  },
  async 'spaces.list'({ db, clock }) {
    const spaces = await listSpaces(db);
    return await Promise.all(
      spaces.map(async (space) => {
        const { promo, paid, overageAccrued } = await readBalance(db, space.id, clock.now());
        return {
          ...shownSpace(space),
          held: printUnits(addUnits(promo, paid)),
          overage: printUnits(overageAccrued),
        };
      }),
    );
  },
  async 'spaces.overage'({ db }, args) {
    const space = await spaceNamed(db, args);
    const allowed = text(args, 'state', /^(on|off)$/) === 'on';
    await updateOverage(db, space.id, allowed);
    return shownSpace({ ...space, overageAllowed: allowed });
  },
  async 'spaces.keepResponses'({ db }, args) {
    const space = await spaceNamed(db, args);
    const keepsResponses = text(args, 'state', /^(on|off)$/) === 'on';
    await updateKeepsResponses(db, space.id, keepsResponses);
    return shownSpace({ ...space, keepsResponses });
  },
  async 'spaces.block'({ db, clock }, args) {
    const space = await spaceNamed(db, args);
    const blocked = text(args, 'state', /^(on|off)$/) === 'on';
    await updateBlocked(db, space.id, blocked ? clock.now() : null);
    return { name: space.name, blocked };
  },
  async 'members.add'({ db, clock }, args) {
    const space = await spaceNamed(db, args);
    const email = text(args, 'email', EMAIL);
    const nickname =
      typeof args.nickname === 'string' ? text(args, 'nickname', LABEL) : (email.split('@')[0] as string);
    const role = text(args, 'role', /^(admin|member)$/) as Role;
    const member = {
      id: newId('mem', clock.now()),
      spaceId: space.id,
      email,
      nickname,
      role,
      createdAt: clock.now(),
    };
    await orTaken(`${email} is already a member of ${space.name}.`, () => insertMember(db, member));
    return shownMember(member);
  },
  async 'members.list'({ db }, args) {
    const space = await spaceNamed(db, args);
    return (await listMembers(db, space.id)).map(shownMember);
  },
  async 'members.remove'({ db, clock }, args) {
    const member = await memberNamed(db, await spaceNamed(db, args), args);
    await removeMember(db, member.id, clock.now());
    return shownMember(member);
  },
  async 'members.limit'({ db }, args) {
    const member = await memberNamed(db, await spaceNamed(db, args), args);
    const limit = limitOf(args);
    await limitMember(db, member.id, limit);
    return { email: member.email, month_limit: shownLimit(limit) };
  },
  async 'keys.create'({ db, clock }, args) {
    const space = await spaceNamed(db, args);
    const kind = text(args, 'kind', /^(personal|shared|management)$/) as KeyKind;
    const name = text(args, 'name', LABEL);
    const memberId = kind === 'personal' ? (await memberNamed(db, space, args)).id : null;
    const expiresAt = clock.now() + keyDays(args) * DAY_MS;
    const key = await orTaken(`There is already a key ${name} in ${space.name}.`, () =>
      createKey(db, { spaceId: space.id, kind, memberId, name, expiresAt }, clock.now()),
    );
    return { key: key.text, name, kind, space: space.name, expires: isoOf(expiresAt) };
  },
  async 'keys.list'({ db }, args) {
    const space = await spaceNamed(db, args);
    const [keys, members] = [await listKeys(db, space.id), await listMembers(db, space.id)];
    const emails = new Map(members.map((member) => [member.id, member.email]));
    return keys.map(({ name, kind, hint, memberId, expiresAt, monthLimit }) => {
      const owner = memberId === null ? '(the key itself)' : (emails.get(memberId) ?? '(removed)');
      const limit = monthLimit === null ? 'none' : printUnits(parseUnits(monthLimit));
      return { name, kind, key: hint, owner, expires: isoOf(expiresAt), month_limit: limit };
    });
  },
  async 'keys.revoke'({ db, clock }, args) {
    const space = await spaceNamed(db, args);
    const name = text(args, 'name', LABEL);
    const found = await revokeKey(db, { spaceId: space.id, name, now: clock.now() });
    if (!found) throw noSuchKey(name, space);
    return { name, revoked: true };
  },
  async 'keys.limit'({ db }, args) {
    const space = await spaceNamed(db, args);
    const name = text(args, 'name', LABEL);
    const limit = limitOf(args);
    if (!(await limitKey(db, { spaceId: space.id, name, limit }))) throw noSuchKey(name, space);
    return { name, month_limit: shownLimit(limit) };
  },
  async 'grants.add'({ db, clock }, args) {
    const space = await spaceNamed(db, args);
    const kind = text(args, 'kind', /^(promo|paid)$/) as GrantKind;
    const expiresAt = typeof args.expires === 'string' ? date(args.expires, clock) : null;
    if (kind === 'paid' && expiresAt !== null)
      throw new AdminError('Paid units do not expire; leave --expires out.');
    const now = clock.now();
    const note = typeof args.note === 'string' ? text(args, 'note', LABEL) : '';
    const grant = {
      id: newId('grt', now),
      spaceId: space.id,
      kind,
      amount: amount(args),
      expiresAt,
      note,
      createdAt: now,
    };
    await insertGrant(db, grant);
    return {
      id: grant.id,
      space: space.name,
      kind,
      amount: printUnits(grant.amount),
      expires: expiresAt === null ? null : isoOf(expiresAt),
    };
  },
  async 'grants.list'({ db }, args) {
    const space = await spaceNamed(db, args);
    return (await listGrants(db, space.id)).map(
      ({ id, kind, amount: given, remaining, expiresAt, note }) => ({
        id,
        kind,
        amount: printUnits(given),
        remaining: printUnits(remaining),
        expires: expiresAt === null ? null : isoOf(expiresAt),
        note,
      }),
    );
  },
};

function amount(args: AdminArgs): Units {
  try {
    const units = parseUnits(String(args.amount ?? ''));
    if (units > 0n) return units;
  } catch {
    // Answered below, with all other amounts that make no sense.
  }
  throw new AdminError(
    `amount ${JSON.stringify(args.amount)} must be a decimal number above 0, such as 12.5.`,
  );
}

/** `none` takes the limit away. */
function limitOf(args: AdminArgs): Units | null {
  return args.amount === 'none' ? null : amount(args);
}

function shownLimit(limit: Units | null): string {
  return limit === null ? 'none' : printUnits(limit);
}

function noSuchKey(name: string, space: Space): AdminError {
  return new AdminError(`There is no key ${name} in ${space.name}. "tollgate keys list" shows them.`);
}

function keyDays(args: AdminArgs): number {
  const days = Number(args.days ?? KEY_DAYS_DEFAULT);
  if (Number.isInteger(days) && days >= 1 && days <= KEY_DAYS_MAX) return days;
  throw new AdminError(`days must be a whole number from 1 to ${KEY_DAYS_MAX}.`);
}

function date(value: string, clock: Clock): number {
  const instant = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00+09:00` : value);
  if (Number.isNaN(instant)) throw new AdminError(`${JSON.stringify(value)} is not a date (YYYY-MM-DD).`);
  if (instant <= clock.now()) throw new AdminError(`${value} is in the past.`);
  return instant;
}

async function memberNamed(db: Database, space: Space, args: AdminArgs): Promise<Member> {
  const email = text(args, 'email', EMAIL);
  const member = await findMember(db, { spaceId: space.id, email });
  if (member !== null) return member;
  throw new AdminError(
    `${email} is not a member of ${space.name}. Add them with "tollgate members add ${email}".`,
  );
}

function shownSpace(space: Space) {
  const { name, id, overageAllowed, keepsResponses } = space;
  return { name, id, overage_allowed: overageAllowed, keeps_responses: keepsResponses };
}

function shownMember(member: Member) {
  return { email: member.email, nickname: member.nickname, role: member.role, id: member.id };
}
