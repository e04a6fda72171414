/** Runs operations of administration in a running server, for the console API and the local socket alike. */
import type { Actors } from '../access/actor.ts';
import type { AdminContext } from '../administration/operation.ts';
import { operations } from '../administration/operations.ts';
import { changes } from '../contract/administration/admin-endpoint.ts';
import type { AdministrationOptions } from '../http/routes/administration.ts';
import { Problem } from '../kernel/problem.ts';
import { version } from './version.ts';

export type RunOperation = (
  call: { name: string; input: unknown } & Pick<AdminContext, 'actor' | 'repeat'>,
) => Promise<unknown>;

/** `applied`: this process applies a change before it answers; others are notified. */
export function administration(
  context: Omit<AdminContext, 'actor' | 'repeat'>,
  applied: () => Promise<void>,
): RunOperation {
  return async ({ name, input, actor, repeat = null }) => {
    const operation = operations.get(name);
    if (operation === undefined)
      throw new Problem('not_found', { detail: `The running server (${version}) has no operation ${name}.` });
    const result = await operation.run({ ...context, actor, repeat }, input);
    if (changes(operation.endpoint)) await applied();
    return result;
  };
}

/** How operations are reached over HTTP: as the person who is signed in, or with a token. */
export function adminDoor(actors: Actors, administer: RunOperation): AdministrationOptions {
  return {
    caller: (request) => actors.callerOf(request),
    async run({ actor, credential, name, input, idempotencyKey: key }) {
      return await administer({ name, input, actor, repeat: key === null ? null : { key, credential } });
    },
  };
}
