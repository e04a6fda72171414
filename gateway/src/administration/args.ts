/** Reads what the operator wrote, and says what is wrong with it. */
import { findMember, type Member } from '../access/members.store.ts';
import { EMAIL } from '../access/person.ts';
import type { Rate } from '../access/principal.ts';
import { findSpace, listSpaces, type Space } from '../access/spaces.store.ts';
import type { Queryable } from '../database/database.ts';
import { type Instant, kstOf } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';
import { type AdminArgs, AdminError } from './command.ts';

export const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const LABEL = /^[^\p{C}]{1,120}$/u;
export const ON_OFF = /^(on|off)$/;

const NAMES_SHOWN_MAX = 20;

export function text(args: AdminArgs, field: string, form: RegExp): string {
  const value = args[field];
  if (typeof value !== 'string' || value === '') throw new AdminError(`${field} is missing.`);
  if (!form.test(value))
    throw new AdminError(`${field} ${JSON.stringify(value.slice(0, 80))} is not valid (${form.source}).`);
  return value;
}

/** A text that may be left out. */
export function note(args: AdminArgs): string {
  return args.note === undefined ? '' : text(args, 'note', LABEL);
}

export function amount(args: AdminArgs, atLeast: 'above 0' | '0 or more' = 'above 0'): Units {
  try {
    const units = parseUnits(String(args.amount ?? ''));
    if (units > 0n || (units === 0n && atLeast === '0 or more')) return units;
  } catch {
    // Answered below, with all other amounts that make no sense.
  }
  const must = atLeast === 'above 0' ? 'a decimal number above 0' : 'a decimal number, 0 or more';
  throw new AdminError(`amount ${JSON.stringify(args.amount)} must be ${must}, such as 12.5.`);
}

/** `none` takes the limit away. */
export function limitOf(args: AdminArgs): Units | null {
  return args.amount === 'none' ? null : amount(args);
}

export function shownLimit(limit: Units | null): string {
  return limit === null ? 'none' : printUnits(limit);
}

/** A whole number in its bounds, or what is meant when it is left out. */
export function whole(
  args: AdminArgs,
  field: string,
  bounds: { min: number; max: number; unless: number },
): number {
  const value = args[field] === undefined ? bounds.unless : Number(args[field]);
  if (Number.isInteger(value) && value >= bounds.min && value <= bounds.max) return value;
  throw new AdminError(`${field} must be a whole number from ${bounds.min} to ${bounds.max}.`);
}

/** What may be asked a minute: `none` takes a limit away, what is left out stays. */
export function rateOf(args: AdminArgs): Partial<Rate> {
  const [requests, tokens] = [perMinute(args, 'requests'), perMinute(args, 'tokens')];
  if (requests === undefined && tokens === undefined)
    throw new AdminError('Say what to limit: --requests N, --tokens N, or none in place of N.');
  return {
    ...(requests !== undefined && { requestsPerMinute: requests }),
    ...(tokens !== undefined && { tokensPerMinute: tokens }),
  };
}

const PER_MINUTE_MAX = 2_000_000_000;

function perMinute(args: AdminArgs, field: string): number | null | undefined {
  if (args[field] === undefined) return undefined;
  if (args[field] === 'none') return null;
  return whole(args, field, { min: 1, max: PER_MINUTE_MAX, unless: 1 });
}

/** When something expires: a moment, or the last second of a day (KST). Always in the future. */
export function expiry(value: string, now: Instant): Instant {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(value);
  const instant = Date.parse(isDay ? `${value}T23:59:59+09:00` : value);
  // A day that its month does not have would become one of the next.
  if (Number.isNaN(instant) || (isDay && !kstOf(instant).startsWith(value))) {
    throw new AdminError(
      `${JSON.stringify(value.slice(0, 80))} is not a date. Write a day (KST) as YYYY-MM-DD, or a moment as 2026-12-31T18:00:00+09:00.`,
    );
  }
  if (instant <= now) throw new AdminError(`${value} is in the past.`);
  return instant;
}

/** The space that is named, or the only one there is. */
export async function spaceNamed(db: Queryable, args: AdminArgs): Promise<Space> {
  if (args.space === undefined) {
    const spaces = await listSpaces(db);
    const [only, another] = spaces;
    if (only === undefined)
      throw new AdminError('There is no space yet. Create one with "tollgate spaces create NAME".');
    if (another === undefined) return only;
    const names = spaces.slice(0, NAMES_SHOWN_MAX).map(({ name }) => name);
    const more = spaces.length - names.length;
    throw new AdminError(
      `There are several spaces: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Choose one with --space NAME.`,
    );
  }
  const name = text(args, 'space', NAME);
  const space = await findSpace(db, name);
  if (space === null) throw new AdminError(`There is no space ${name}. "tollgate spaces list" shows them.`);
  return space;
}

export async function memberNamed(
  db: Queryable,
  space: Space,
  args: AdminArgs,
  field = 'email',
): Promise<Member> {
  const email = text(args, field, EMAIL);
  const member = await findMember(db, { spaceId: space.id, email });
  if (member !== null) return member;
  throw new AdminError(
    `${email} is not a member of ${space.name}. Add them with "tollgate members add ${email}".`,
  );
}

/** A unique index decides, so that two operators at once cannot both win. */
export async function orTaken<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as { code?: string }).code === '23505') throw new AdminError(message);
    throw error;
  }
}
