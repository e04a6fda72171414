/** Calls the console API with the session of the browser. */
import { adminRoutes } from 'virtual:admin-routes';
import { adminRequest } from '../../../gateway/src/client/admin-request.ts';
import type {
  InputOf,
  OperationName,
  ResultOf,
} from '../../../gateway/src/contract/administration/admin-endpoints.ts';
import type { ConsoleSession } from '../../../gateway/src/contract/console.ts';
import { CallFailed, failureOf } from './failure.ts';

/** Belongs to the session, and goes with every write. */
let csrf = '';

export function rememberSession(session: ConsoleSession): ConsoleSession {
  csrf = session.csrf;
  return session;
}

/** Runs an operation of administration. Whatever is not a success is thrown. */
export async function ask<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  options: { signal?: AbortSignal; repeatKey?: string } = {},
): Promise<ResultOf<Name>> {
  const { method, path, body } = adminRequest(adminRoutes[name], input);
  const { repeatKey, signal } = options;
  const headers = repeatKey === undefined ? {} : { 'idempotency-key': repeatKey };
  return (await send(method, path, {
    headers,
    ...(signal && { signal }),
    ...(body && { body }),
  })) as ResultOf<Name>;
}

/** Where a list can be fetched as comma-separated values. */
export function csvAddress<Name extends OperationName>(name: Name, input: InputOf<Name>): string {
  const { path } = adminRequest(adminRoutes[name], input);
  return `${path}${path.includes('?') ? '&' : '?'}format=csv`;
}

/** Sends anything to the console API. */
export async function send(
  method: string,
  path: string,
  options: { body?: object; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<unknown> {
  const { body, signal } = options;
  const response = await fetch(path, {
    method,
    headers: {
      ...options.headers,
      ...(method !== 'GET' && { 'x-csrf-token': csrf }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(signal && { signal }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new CallFailed(await failureOf(response));
  return await response.json();
}
