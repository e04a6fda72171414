/** Runs operations of administration in a running server, for the console API and the local socket alike. */
import type { Actors } from '../access/actor.ts';
import type { AdminContext } from '../administration/operation.ts';
import { operations } from '../administration/operations.ts';
import { changes } from '../contract/administration/admin-endpoint.ts';
import { adminEndpoints } from '../contract/administration/admin-endpoints.ts';
import type { AdministrationOptions } from '../http/routes/administration.ts';
import type { OrganizationOptions } from '../http/routes/organization.ts';
import { Problem } from '../kernel/problem.ts';
import { AdminSlots } from './admin-slots.ts';
import { version } from './version.ts';

export type RunOperation = (
  call: { name: string; input: unknown } & Pick<AdminContext, 'actor' | 'repeat'>,
) => Promise<unknown>;

/**
 * `applied`: this process applies a change before it answers; others are notified. If that fails, the change is
 * committed all the same and its answer may hold a secret, so it is sent: old views are not trusted for long.
 */
export function administration(
  context: Omit<AdminContext, 'actor' | 'repeat'>,
  applied: () => Promise<void>,
): RunOperation {
  return async ({ name, input, actor, repeat = null }) => {
    const operation = operations.get(name);
    if (operation === undefined)
      throw new Problem('not_found', { detail: `The running server (${version}) has no operation ${name}.` });
    const result = await operation.run({ ...context, actor, repeat }, input);
    if (changes(operation.endpoint)) await applied().catch(() => undefined);
    return result;
  };
}

/** Changes wait for each other in the database, so more of them would only hold connections. */
const CHANGES_MAX = 1;
const READS_MAX = 3;
const REPORTS_MAX = 2;
const WAITING_MAX = 30;

/** Reports by time add up calls, so only some are read at once, and readers take turns. */
export function reportsInTurn(): OrganizationOptions['inTurn'] {
  const slots = new AdminSlots({ runningMax: REPORTS_MAX, waitingMax: WAITING_MAX });
  return (reader, read) => slots.run(reader, read);
}

/** How operations are reached over HTTP: as the person who is signed in, or with a token. */
export function adminDoor(actors: Actors, administer: RunOperation): AdministrationOptions {
  const [changing, reading] = [CHANGES_MAX, READS_MAX].map(
    (runningMax) => new AdminSlots({ runningMax, waitingMax: WAITING_MAX }),
  ) as [AdminSlots, AdminSlots];
  return {
    caller: (request) => actors.callerOf(request),
    async run({ actor, credential, name, input, idempotencyKey: key }) {
      const repeat = key === null ? null : { key, credential };
      const slots = changes(adminEndpoints[name]) ? changing : reading;
      return await slots.run(actor.id, () => administer({ name, input, actor, repeat }));
    },
  };
}
