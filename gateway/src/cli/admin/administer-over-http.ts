/** Runs operations of administration on a server over HTTP, as the signed-in person or with an administration token. */
import { randomUUID } from 'node:crypto';
import { adminRequest } from '../../client/admin-request.ts';
import { type AdminEndpoint, changes, routeOf } from '../../contract/administration/admin-endpoint.ts';
import {
  adminEndpoints,
  type InputOf,
  type OperationName,
  type ResultOf,
} from '../../contract/administration/admin-endpoints.ts';
import { AnswerError } from '../client/answer-error.ts';
import { callConsole } from '../client/console-client.ts';
import type { Remote } from './remote.ts';

export async function administerOver<Name extends OperationName>(
  remote: Remote,
  name: Name,
  input: InputOf<Name>,
  { repeatKey = randomUUID() }: { readonly repeatKey?: string } = {},
): Promise<ResultOf<Name>> {
  const endpoint: AdminEndpoint = adminEndpoints[name];
  const fields: Record<string, unknown> = { ...input };
  if (endpoint.path.includes('{space}') && fields.space === undefined) fields.space = await onlySpace(remote);
  // The server carries out a change once, even if the request is sent again after a lost answer.
  const headers = changes(endpoint) ? { 'idempotency-key': repeatKey } : {};
  return await callConsole(remote.url, {
    ...adminRequest(routeOf(endpoint), fields),
    token: remote.token,
    headers,
  });
}

const NAMES_SHOWN_MAX = 20;

/** A path needs the space, so it is asked for where the local ways leave it to the operation. The errors are the same. */
async function onlySpace(remote: Remote): Promise<string> {
  const { data } = await administerOver(remote, 'spaces.list', { limit: NAMES_SHOWN_MAX + 1 });
  const [only, another] = data;
  if (only !== undefined && another === undefined) return only.name;
  if (only === undefined)
    throw new AnswerError('There is no space yet.', { code: 'not_found', param: 'space' });
  const names = data.slice(0, NAMES_SHOWN_MAX).map(({ name }) => name);
  const more = data.length > names.length ? ' and more' : '';
  throw new AnswerError(`There are several spaces: ${names.join(', ')}${more}. Choose one.`, {
    code: 'invalid_parameter',
    param: 'space',
  });
}
