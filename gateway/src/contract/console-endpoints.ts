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
} from './console.ts';
import type { Endpoint } from './endpoint.ts';
import { Explanation } from './explanation.ts';
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
    summary: 'Get the signed-in person and their spaces.',
    response: ConsoleSession,
    problems: [],
  },
  signOut: {
    method: 'DELETE',
    path: '/api/console/session',
    credential: 'session',
    summary: 'Sign out: end the session immediately.',
    response: SignedOut,
    problems: [],
  },
  changePassword: {
    method: 'POST',
    path: '/api/console/password',
    credential: 'session',
    summary: 'Change your password and end your other sessions.',
    request: ChangePasswordRequest,
    response: PasswordChanged,
    problems: ['rate_limit_exceeded', 'sign_in_not_allowed'],
  },
  explainRequest: {
    method: 'GET',
    path: '/api/console/why/{ref}',
    credential: 'session',
    summary: 'Explain a request by its id or `error_ref`: the limit with its numbers, or the receipt.',
    response: Explanation,
    problems: [],
  },
  getConsoleFileContent: {
    method: 'GET',
    path: '/api/console/files/{id}/content',
    credential: 'session',
    summary: 'List the batch results of the members of a space (administrators only).',
    response: Type.String(),
    responseType: 'application/jsonl',
    problems: ['file_not_found'],
  },
} as const satisfies Record<string, Endpoint>;
