/** Everybody who may call administration, and what the table of rights says about each. */
import { newSecret } from '../../src/access/key-secret.ts';
import { type AdminEndpoint, IN_SPACE } from '../../src/contract/administration/admin-endpoint.ts';
import { PASSWORD } from './admin-cases.ts';
import type { AdminStage } from './admin-stage.ts';

export const OWN_SPACE = 'acme';
export const OTHER_SPACE = 'globex';
export const MISSING_SPACE = 'nowhere';
export const OPERATOR = 'operator@tollgate.test';

export interface AdminRole {
  readonly who: string;
  readonly is: 'nobody' | 'member' | 'admin' | 'operator';
  /** The space that a member or an administrator belongs to. */
  readonly space?: string;
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
];

export type Verdict = 'allowed' | 401 | 403 | 404;

/** What an operation answers to a role, for a space. The order of the lines is the order of the checks. */
export function verdictOf({ right, path }: AdminEndpoint, { is, space }: AdminRole, target: string): Verdict {
  const inSpace = path.startsWith(IN_SPACE);
  if (is === 'nobody') return 401;
  if (inSpace && target === MISSING_SPACE) return 404;
  if (is === 'operator') return 'allowed';
  if (inSpace && space !== target) return 404;
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

async function operator({ gateway, session }: AdminStage): Promise<string> {
  await gateway.admin('operators.add', { email: OPERATOR, password: PASSWORD });
  return await session(OPERATOR);
}

async function managementKey({ gateway }: AdminStage): Promise<string> {
  return (await gateway.admin('keys.create', { space: OWN_SPACE, name: 'reports', kind: 'management' })).key;
}
