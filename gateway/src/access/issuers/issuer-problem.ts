/**
 * What went wrong at an issuer, as a Problem. Answers of an issuer hold tokens and personal data, so neither they nor
 * their texts are sent or logged, only their error codes.
 */
import { Problem } from '../../kernel/problem.ts';
import { UpstreamFailure } from '../../net/upstream-call.ts';
import type { IssuerSettings } from './issuer-settings.ts';

type OpenIdClient = typeof import('openid-client');

const ERROR_CODE = /^[A-Za-z0-9_.-]{1,60}$/;

/** The errors of the code exchange and of the claims. */
export function issuerProblem(error: unknown, client: OpenIdClient, issuer: IssuerSettings): Problem {
  const { label } = issuer;
  if (error instanceof client.AuthorizationResponseError) {
    const reason = codeOf(error.error);
    return new Problem('sign_in_failed', {
      detail: `${label} did not sign you in (${reason}). Try again, or ask your operator.`,
      facts: { issuer: issuer.name, reason },
    });
  }
  if (isInvalidAnswer(error, client)) {
    return new Problem('sign_in_failed', {
      detail: `The answer of ${label} could not be verified. Sign in again.`,
      facts: { issuer: issuer.name, reason: reasonOf(error) },
    });
  }
  return unreachable(error, issuer);
}

/** The issuer gave no usable answer: it is down, slow, or rejects our client. */
export function unreachable(error: unknown, issuer: IssuerSettings): Problem {
  const reason = reasonOf(error);
  return new Problem('issuer_unavailable', {
    detail: `${issuer.label} gives no usable answer at the moment. Try again in a minute, or ask your operator.`,
    facts: { issuer: issuer.name, reason },
    cause: new Error(`issuer ${issuer.name}: ${reason}`),
  });
}

/** Codes of openid-client for a token that is not the one we asked for, or not by this issuer. */
const INVALID_ANSWER: readonly string[] = [
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
];

function isInvalidAnswer(error: unknown, client: OpenIdClient): boolean {
  return error instanceof client.ClientError && INVALID_ANSWER.includes(error.code ?? '');
}

function reasonOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof UpstreamFailure) return at.message.slice(0, 200);
    if (at.name === 'ResponseBodyError') return codeOf((at as { error?: unknown }).error);
  }
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === undefined ? String(message).slice(0, 200) : codeOf(code);
}

function codeOf(value: unknown): string {
  return typeof value === 'string' && ERROR_CODE.test(value) ? value : 'an unknown error';
}
