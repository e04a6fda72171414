/** The endpoints for signing in through an issuer or an invitation; part of the table in `endpoints.ts`. */
import { Type } from 'typebox';
import { ConsoleSession } from './console.ts';
import {
  DecideDeviceSignInRequest,
  DecidedDeviceSignIn,
  DeviceSession,
  DeviceSignInPreview,
  FinishDeviceSignInRequest,
  FirstOperatorRequest,
  LookAtDeviceSignInRequest,
  StartDeviceSignInRequest,
  StartedDeviceSignIn,
} from './device-sign-in.ts';
import type { Endpoint } from './endpoint.ts';
import { AcceptInvitationRequest, InvitationPreview, LookAtInvitationRequest } from './invitations.ts';
import { SignInWays } from './sign-in.ts';

const Page = Type.String({ description: 'Errors are HTML for browsers (`Accept: text/html`), else JSON.' });

export const signInEndpoints = {
  listSignInWays: {
    method: 'GET',
    path: '/api/console/sign-in',
    credential: 'none',
    summary: 'List the ways to sign in.',
    response: SignInWays,
  },
  startIssuerSignIn: {
    method: 'GET',
    path: '/api/console/oidc/{issuer}/start',
    credential: 'none',
    summary: 'Send the browser to an issuer to sign in.',
    query: Type.Object({
      return_to: Type.Optional(
        Type.String({ description: 'A path of the console to continue at.', examples: ['/console/keys'] }),
      ),
    }),
    response: Page,
    responseType: 'text/html',
    redirects: true,
    problems: ['issuer_not_found', 'issuer_unavailable', 'invalid_parameter'],
  },
  finishIssuerSignIn: {
    method: 'GET',
    path: '/api/console/oidc/{issuer}/callback',
    credential: 'none',
    summary: 'Finish a sign-in through an issuer.',
    query: Type.Object({
      code: Type.Optional(Type.String({ description: 'The code that the issuer gives; it works once.' })),
      state: Type.Optional(
        Type.String({ description: 'The value that the start sent to the issuer, unchanged.' }),
      ),
      error: Type.Optional(
        Type.String({ description: 'The error code of the issuer, if the person was not signed in.' }),
      ),
    }),
    response: Page,
    responseType: 'text/html',
    redirects: true,
    problems: [
      'issuer_not_found',
      'issuer_unavailable',
      'invalid_parameter',
      'sign_in_failed',
      'sign_in_not_allowed',
      'rate_limit_exceeded',
      'service_unavailable',
    ],
  },
  startDeviceSignIn: {
    method: 'POST',
    path: '/api/console/device',
    credential: 'none',
    summary: 'Begin to sign in a command line by a code.',
    request: StartDeviceSignInRequest,
    response: StartedDeviceSignIn,
    problems: ['csrf_failed', 'sign_in_not_allowed', 'rate_limit_exceeded', 'service_unavailable'],
  },
  lookAtDeviceSignIn: {
    method: 'POST',
    path: '/api/console/device/look',
    credential: 'session',
    summary: 'Show which command line waits with a code.',
    request: LookAtDeviceSignInRequest,
    response: DeviceSignInPreview,
    problems: ['rate_limit_exceeded'],
  },
  decideDeviceSignIn: {
    method: 'POST',
    path: '/api/console/device/decide',
    credential: 'session',
    summary: 'Sign a command line in as yourself, or reject it.',
    request: DecideDeviceSignInRequest,
    response: DecidedDeviceSignIn,
    problems: ['rate_limit_exceeded'],
  },
  finishDeviceSignIn: {
    method: 'POST',
    path: '/api/console/device/finish',
    credential: 'none',
    summary: 'Get the session of a command line that was confirmed.',
    request: FinishDeviceSignInRequest,
    response: DeviceSession,
    problems: ['invalid_credentials', 'csrf_failed', 'service_unavailable'],
  },
  createFirstOperator: {
    method: 'POST',
    path: '/api/console/first-operator',
    credential: 'none',
    summary: 'Become the first operator with the code of a link.',
    request: FirstOperatorRequest,
    response: ConsoleSession,
    problems: [
      'invalid_credentials',
      'csrf_failed',
      'sign_in_not_allowed',
      'rate_limit_exceeded',
      'service_unavailable',
    ],
  },
  lookAtInvitation: {
    method: 'POST',
    path: '/api/console/invitations/look',
    credential: 'none',
    summary: 'Show what an invitation is for, before it is accepted.',
    request: LookAtInvitationRequest,
    response: InvitationPreview,
    problems: ['invalid_credentials', 'csrf_failed', 'rate_limit_exceeded', 'service_unavailable'],
  },
  acceptInvitation: {
    method: 'POST',
    path: '/api/console/invitations/accept',
    credential: 'none',
    summary: 'Accept an invitation.',
    request: AcceptInvitationRequest,
    response: ConsoleSession,
    problems: [
      'missing_credentials',
      'invalid_credentials',
      'csrf_failed',
      'sign_in_not_allowed',
      'rate_limit_exceeded',
      'service_unavailable',
    ],
  },
} as const satisfies Record<string, Endpoint>;
