/** Everybody who may call administration, and what the table of rights says about each. */
import { newSecret } from '../../src/access/key-secret.ts';
import {
  type AdminEndpoint,
  changes,
  IN_SPACE,
  needsPerson,
} from '../../src/contract/administration/admin-endpoint.ts';
import { type Input, PASSWORD } from './admin-cases.ts';
import { AdminClient } from './admin-client.ts';
import type { AdminStage } from './admin-stage.ts';

export const OWN_SPACE = 'acme';
export const OTHER_SPACE = 'globex';
export const MISSING_SPACE = 'nowhere';
export const OPERATOR = 'operator@tollgate.test';

export interface AdminRole {
  readonly who: string;
  readonly is: 'nobody' | 'member' | 'admin' | 'operator';
  /** The space that a member, an administrator or a token belongs to. */
  readonly space?: string;
  /** A token is no person, and some can only read. */
  readonly token?: 'read' | 'write';
  /** What is sent as a bearer token; null: nothing. */
  readonly credential: (stage: AdminStage) => Promise<string | null>;
}

export const adminRoles: readonly AdminRole[] = [
  { who: 'nobody', is: 'nobody', credential: async () => null },
  { who: 'an unknown session', is: 'nobody', credential: async () => newSecret('ts') },
  { who: 'a gateway key', is: 'nobody', credential: async ({ gateway }) => gateway.key },
  { who: 'a management key', is: 'nobody', credential: managementKey },
  person('member', OWN_SPACE),
  person('admin', OWN_SPACE),
  person('member', OTHER_SPACE),
  person('admin', OTHER_SPACE),
  { who: 'an operator', is: 'operator', credential: operator },
  token('write', OWN_SPACE),
  token('read', OWN_SPACE),
  token('write', OTHER_SPACE),
  token('write'),
  token('read'),
];

export type Verdict = 'allowed' | 401 | 403 | 404;

/** What an operation answers to a role, for a space. The order of the lines is the order of the checks. */
export function verdictOf(
  endpoint: AdminEndpoint,
  role: AdminRole,
  { target, input }: { target: string; input: Input },
): Verdict {
  const { right } = endpoint;
  const { is, space, token: access } = role;
  const inSpace = endpoint.path.startsWith(IN_SPACE);
  if (is === 'nobody') return 401;
  if (inSpace && (target === MISSING_SPACE || (is !== 'operator' && space !== target))) return 404;
  if (access === 'read' && changes(endpoint)) return 403;
  if (access !== undefined && needsPerson(endpoint, input)) return 403;
  if (is === 'operator') return 'allowed';
  if (right === 'member') return 'allowed';
  return right === 'admin' && is === 'admin' ? 'allowed' : 403;
}

export const emailOf = (role: 'member' | 'admin', space: string): string => `${role}@${space}.test`;

function person(is: 'member' | 'admin', space: string): AdminRole {
  const who = is === 'admin' ? `an administrator of ${space}` : `a member of ${space}`;
  return { who, is, space, credential: (stage) => signedIn(stage, { space, role: is }) };
}

async function signedIn(
  { gateway, session }: AdminStage,
  { space, role }: { space: string; role: 'member' | 'admin' },
): Promise<string> {
  const email = emailOf(role, space);
  await gateway.admin('members.add', { space, email, role });
  return await session(email);
}

/** Without a space: a token of the installation. */
function token(access: 'read' | 'write', space?: string): AdminRole {
  const who = `a token of ${space ?? 'the installation'} that can ${access}`;
  const is = space === undefined ? 'operator' : 'admin';
  return {
    who,
    is,
    ...(space && { space }),
    token: access,
    credential: (stage) => usedToken(stage, access, space),
  };
}

/** When a token was last used is written to the minute: used once, it stays as it is. */
async function usedToken({ gateway }: AdminStage, access: 'read' | 'write', space?: string): Promise<string> {
  const wanted = { name: `${access}s`, access };
  const made =
    space === undefined
      ? await gateway.admin('operatorTokens.create', wanted)
      : await gateway.admin('tokens.create', { ...wanted, space });
  await new AdminClient(gateway, made.token).call('spaces.list', {});
  return made.token;
}

async function operator({ gateway, session }: AdminStage): Promise<string> {
  await gateway.admin('operators.add', { email: OPERATOR, password: PASSWORD });
  return await session(OPERATOR);
}

async function managementKey({ gateway }: AdminStage): Promise<string> {
  return (await gateway.admin('keys.create', { space: OWN_SPACE, name: 'reports', kind: 'management' })).key;
}
