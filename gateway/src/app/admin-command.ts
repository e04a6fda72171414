/** What every administrative command is and reads: its context, its arguments, the space it is about. */
import { findSpace, listSpaces, type Space } from '../access/spaces.store.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../kernel/time.ts';

/** A request of the operator that cannot be done; the message says why and what to do. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}

export interface AdminContext {
  readonly db: Database;
  readonly clock: Clock;
}

export type AdminArgs = Readonly<Record<string, string | boolean | undefined>>;
export type AdminCommand = (context: AdminContext, args: AdminArgs) => Promise<unknown>;

export const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const LABEL = /^[^\p{C}]{1,120}$/u;

export function text(args: AdminArgs, field: string, form: RegExp): string {
  const value = args[field];
  if (typeof value !== 'string' || value === '') throw new AdminError(`${field} is missing.`);
  if (!form.test(value))
    throw new AdminError(`${field} ${JSON.stringify(value.slice(0, 80))} is not valid (${form.source}).`);
  return value;
}

/** The space that is named, or the only one there is. */
export async function spaceNamed(db: Database, args: AdminArgs): Promise<Space> {
  if (args.space === undefined) {
    const [only, another] = await listSpaces(db);
    if (only === undefined)
      throw new AdminError('There is no space yet. Make one with "tollgate spaces create NAME".');
    if (another !== undefined) throw new AdminError('There are several spaces; say which with --space NAME.');
    return only;
  }
  const name = text(args, 'space', NAME);
  const space = await findSpace(db, name);
  if (space === null) throw new AdminError(`There is no space ${name}. "tollgate spaces list" shows them.`);
  return space;
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
