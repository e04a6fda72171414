/**
 * What an operator can do is a table of commands. A question only reads. A change runs in one
 * transaction together with the line of the audit log that tells who did what: neither can be had
 * without the other.
 */

import { insertAuditLine } from '../access/audit.store.ts';
import type { Space } from '../access/spaces.store.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Clock, Instant } from '../kernel/time.ts';

/** A request of the operator that cannot be done; the message says why and what to do. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}

export type AdminArgs = Readonly<Record<string, string | boolean | undefined>>;

export interface AdminContext {
  readonly db: Database;
  readonly clock: Clock;
  /** Who asks, for the audit log. */
  readonly actor: string;
  /** The codes of the models of a space; left out where the configuration is not known. */
  readonly models?: (spaceName: string) => Promise<readonly string[]>;
}

export interface AdminCommand {
  readonly changes: boolean;
  run(context: AdminContext, args: AdminArgs): Promise<unknown>;
}

export type AdminCommands = Readonly<Record<string, AdminCommand>>;

/** What was done: the answer to the operator, and what the audit log keeps of it. */
export interface Done {
  readonly answer: object;
  readonly space: Pick<Space, 'id'> | null;
  /** The name of what was changed. */
  readonly subject: string;
  /** What of it changed; left out for what is new, or gone. Never a secret. */
  readonly before?: object;
  readonly after?: object;
}

export function question(read: (context: AdminContext, args: AdminArgs) => Promise<unknown>): AdminCommand {
  return { changes: false, run: read };
}

export function change(
  action: string,
  work: (tx: Transaction, args: AdminArgs, now: Instant, context: AdminContext) => Promise<Done>,
): AdminCommand {
  return {
    changes: true,
    async run(context, args) {
      const { db, clock, actor } = context;
      const at = clock.now();
      return await db.transaction(async (tx) => {
        const { answer, space, subject, before, after } = await work(tx, args, at, context);
        const kept = { subject, before: before ?? null, after: after ?? null };
        await insertAuditLine(tx, { at, actor, action, spaceId: space?.id ?? null, ...kept });
        return answer;
      });
    },
  };
}
