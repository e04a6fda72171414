/** The endpoints behind the console; a part of the table in `endpoints.ts`. */
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

const signInProblems: readonly ProblemCode[] = [
  'invalid_credentials',
  'csrf_failed',
  'rate_limit_exceeded',
  'service_unavailable',
];

export const consoleEndpoints = {
  signIn: {
    method: 'POST',
    path: '/api/console/session',
    credential: 'none',
    summary: 'Signs a person in with e-mail and password.',
    request: SignInRequest,
    response: ConsoleSession,
    problems: signInProblems,
  },
  signInByLink: {
    method: 'POST',
    path: '/api/console/session/link',
    credential: 'none',
    summary: 'Signs a person in with the code of a one-time link.',
    request: SignInByLinkRequest,
    response: ConsoleSession,
    problems: signInProblems,
  },
  getSession: {
    method: 'GET',
    path: '/api/console/session',
    credential: 'session',
    summary: 'Who is signed in, and which spaces they see.',
    response: ConsoleSession,
    problems: [],
  },
  signOut: {
    method: 'DELETE',
    path: '/api/console/session',
    credential: 'session',
    summary: 'Ends the session, everywhere and at once.',
    response: SignedOut,
    problems: [],
  },
  changePassword: {
    method: 'POST',
    path: '/api/console/password',
    credential: 'session',
    summary: "Changes the person's own password and ends their other sessions.",
    request: ChangePasswordRequest,
    response: PasswordChanged,
    problems: ['rate_limit_exceeded'],
  },
  explainRequest: {
    method: 'GET',
    path: '/api/console/why/{ref}',
    credential: 'session',
    summary: 'Explains a request by its id or `error_ref`: the limit and its numbers, or the receipt.',
    response: Explanation,
    problems: [],
  },
  getConsoleFileContent: {
    method: 'GET',
    path: '/api/console/files/{id}/content',
    credential: 'session',
    summary: 'The results of batches of the people of a space, for its administrators.',
    response: Type.String(),
    responseType: 'application/jsonl',
    problems: ['file_not_found'],
  },
} as const satisfies Record<string, Endpoint>;
