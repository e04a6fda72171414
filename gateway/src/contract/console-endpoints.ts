/** The endpoints of the console; part of the table in `endpoints.ts`. */
import { Type } from 'typebox';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import {
  ChangePasswordRequest,
  ConsoleSession,
  PasswordChanged,
  SignedOut,
  SignInByLinkRequest,
  SignInRequest,
  VisitorSession,
} from './console.ts';
import type { Endpoint } from './endpoint.ts';
import { signInEndpoints } from './sign-in-endpoints.ts';

const signInProblems: readonly ProblemCode[] = [
  'invalid_credentials',
  'csrf_failed',
  'sign_in_not_allowed',
  'rate_limit_exceeded',
  'service_unavailable',
];

export const consoleEndpoints = {
  ...signInEndpoints,
  signIn: {
    method: 'POST',
    path: '/api/console/session',
    credential: 'none',
    summary: 'Sign in with e-mail and password.',
    request: SignInRequest,
    response: ConsoleSession,
    problems: signInProblems,
  },
  signInByLink: {
    method: 'POST',
    path: '/api/console/session/link',
    credential: 'none',
    summary: 'Sign in with the code of a one-time link.',
    request: SignInByLinkRequest,
    response: ConsoleSession,
    problems: signInProblems,
  },
  getSession: {
    method: 'GET',
    path: '/api/console/session',
    credential: 'session',
    summary: 'Get the session and its person.',
    response: ConsoleSession,
  },
  getVisitor: {
    method: 'GET',
    path: '/api/console/visitor',
    credential: 'none',
    summary: 'Get the session if somebody is signed in.',
    response: VisitorSession,
    problems: ['service_unavailable'],
  },
  signOut: {
    method: 'DELETE',
    path: '/api/console/session',
    credential: 'session',
    summary: 'Sign out.',
    response: SignedOut,
  },
  changePassword: {
    method: 'POST',
    path: '/api/console/password',
    credential: 'session',
    summary: 'Change your password.',
    request: ChangePasswordRequest,
    response: PasswordChanged,
    problems: ['rate_limit_exceeded', 'sign_in_not_allowed'],
  },
  getConsoleFileContent: {
    method: 'GET',
    path: '/api/console/files/{id}/content',
    credential: 'session',
    summary: 'Download the results of a member.',
    response: Type.String(),
    responseType: 'application/jsonl',
    problems: ['file_not_found', 'rate_limit_exceeded'],
  },
} as const satisfies Record<string, Endpoint>;
