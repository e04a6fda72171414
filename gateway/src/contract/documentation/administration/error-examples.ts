/**
 * Errors that most operations of administration share. Their texts follow from the endpoint: who may use it, what
 * stands in its path, and which fields it takes. A test provokes them at every operation.
 */
import type { ProblemCode } from '../../../kernel/problem-codes.ts';
import { type AdminEndpoint, changes, IN_SPACE, namesInPath } from '../../administration/admin-endpoint.ts';
import { ExampleGiven } from '../example-values.ts';
import type { ErrorExample, ErrorRequest, SharedErrorExample } from '../operation-docs.ts';

const SIGN_IN =
  'Sign in at POST /api/console/session, or send Authorization: Bearer ts_… ("tollgate login").';
const UNKNOWN_ID = '0'.repeat(26);
const UNKNOWN_LINE = '999999999';

/** The session of a member of the demo space who is neither an administrator nor an operator. */
const member = new ExampleGiven('session of a member', 'ts_…');

/** Administration tokens of the demo space. */
const readToken = new ExampleGiven('token that can only read', 'at_…');
const writeToken = new ExampleGiven('token that can change things', 'at_…');

/** Null if the operation needs an example of its own, or has the same as other endpoints. */
export function administrationErrorExample(
  endpoint: AdminEndpoint,
  code: ProblemCode,
): SharedErrorExample | null {
  switch (code) {
    case 'missing_credentials':
      return shared('not_signed_in', {
        detail: `You are not signed in. ${SIGN_IN}`,
        provoke: { credential: null },
      });
    case 'invalid_credentials':
      return shared('session_not_well_formed', {
        detail: `The session is not well-formed: it is ts_ and 46 letters and digits. ${SIGN_IN}`,
        provoke: { credential: 'wrong' },
      });
    case 'permission_denied':
      return missingRight(endpoint);
    case 'not_found':
      return notFound(endpoint);
    case 'invalid_parameter':
      return badInput(endpoint);
    case 'conflict':
      return shared('name_taken', { detail: 'There is already a key demo in demo.', param: 'name' });
    default:
      return null;
  }
}

function missingRight(endpoint: AdminEndpoint): SharedErrorExample {
  const inDemo: ErrorRequest = endpoint.path.startsWith(IN_SPACE) ? { path: { space: 'demo' } } : {};
  if (endpoint.byPerson === true)
    return shared('token_cannot_do_this', {
      detail: 'A token cannot do this. Sign in as a person, or use a shell on the server.',
      provoke: { ...inDemo, credential: writeToken },
    });
  if (endpoint.right === 'operator')
    return shared('operator_only', {
      detail: 'Only an operator of the installation may do this.',
      provoke: { ...inDemo, credential: member },
    });
  if (endpoint.right === 'admin')
    return shared('administrator_only', {
      detail: 'Only an administrator of demo may do this.',
      provoke: { ...inDemo, credential: member },
    });
  if (changes(endpoint))
    return shared('token_can_only_read', {
      detail: 'This token can only read. Create one with write access for this.',
      provoke: { ...inDemo, credential: readToken },
    });
  if (endpoint.query?.properties.email !== undefined)
    return shared('own_things_only', {
      detail: 'Only an administrator of demo can list the things of others: leave out email.',
      param: 'email',
      provoke: { ...inDemo, credential: member, query: { email: 'demo@example.com' } },
    });
  return shared('member_only', { detail: 'Only a member of demo may do this.' });
}

/** What the last name in the path stands for does not exist. */
function notFound({ path }: AdminEndpoint): SharedErrorExample | null {
  if (!path.startsWith(IN_SPACE)) return null;
  switch (namesInPath(path).at(-1)) {
    case 'name':
      return missing('key', 'There is no key unknown in demo.', { name: 'unknown' });
    case 'email':
      return missing('member', 'unknown@example.com is not a member of demo.', {
        email: 'unknown@example.com',
      });
    case 'project':
      return missing('project', 'There is no project unknown in demo.', { project: 'unknown' });
    case 'build':
      return missing('build', `There is no build bld_${UNKNOWN_ID} in demo.`, {
        build: `bld_${UNKNOWN_ID}`,
      });
    case 'token':
      return missing('token', `There is no token token_${UNKNOWN_ID} here.`, {
        token: `token_${UNKNOWN_ID}`,
      });
    case 'invitation':
      return missing('invitation', `There is no open invitation invite_${UNKNOWN_ID} in demo.`, {
        invitation: `invite_${UNKNOWN_ID}`,
      });
    case 'request':
      return missing('request', `There is no record of req_${UNKNOWN_ID} in demo.`, {
        request: `req_${UNKNOWN_ID}`,
      });
    case 'line':
      return missing('line', `There is no line ${UNKNOWN_LINE} in the audit log of demo.`, {
        line: UNKNOWN_LINE,
      });
    default:
      return missing('space', 'There is no space unknown that you can see.', { space: 'unknown' });
  }
}

/** `path` has the field that is at fault. */
function missing(what: string, detail: string, path: Readonly<Record<string, string>>): SharedErrorExample {
  const [param = ''] = Object.keys(path);
  const inDemo = param === 'space' ? {} : { space: 'demo' };
  return shared(`${what}_not_found`, { detail, param, provoke: { path: { ...inDemo, ...path } } });
}

function badInput(endpoint: AdminEndpoint): SharedErrorExample {
  const { query, request } = endpoint;
  if (query?.properties.limit !== undefined)
    return shared('limit_out_of_range', {
      detail: 'limit 0 is not valid: it must be a whole number from 1 to 1000: the most items of a page.',
      param: 'limit',
      provoke: { query: { limit: 0 } },
    });
  const param = 'colour';
  if (changes(endpoint)) {
    const known = Object.keys(request?.properties ?? {});
    const use = known.length === 0 ? 'It takes no body' : `Its fields are ${known.join(', ')}`;
    const detail = `"${param}" is not a field of the body. ${use}.`;
    return { name: null, example: { detail, param, provoke: { body: { [param]: 'red' } } } };
  }
  const known = [...Object.keys(query?.properties ?? {}), ...(endpoint.csv ? ['format'] : [])];
  const use = known.length === 0 ? 'there are none' : `the parameters are: ${known.join(', ')}`;
  const detail = `${param} is not a known parameter; ${use}.`;
  return { name: null, example: { detail, param, provoke: { query: { [param]: 'red' } } } };
}

function shared(name: string, example: ErrorExample): SharedErrorExample {
  return { name, example };
}
