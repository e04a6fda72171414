/** Anthropic's errors in our words. Pure. */
import { Problem } from '../../kernel/problem.ts';
import type { Secret } from '../../kernel/secret.ts';
import { type Json, objectOf, parseObject, textOf } from '../../text/read-json.ts';
import { maskMessage } from '../mask-message.ts';

/** Errors in streams have no status of their own; their type tells which it would be. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  overloaded_error: 529,
};

const TOO_LONG = /prompt is too long|exceed context limit/i;
const BLOCKED = /content filtering policy/i;
/** Said with status 400, and nobody's fault but the operator's. */
const UNPAID = /credit balance/i;
/** It writes the field at fault before what it has to say: `messages.0.content: …`. */
const FIELD = /^([a-z_]+(?:\.[a-z_]+|\.\d+){0,10}): /;

export function mapAnthropicError(status: number, body: Buffer, secret: Secret): Problem {
  const error = readError(body);
  const type = textOf(error.type);
  const message = textOf(error.message);
  const cause = new Error(`provider answered ${status}${type === '' ? '' : ` ${type}`}`);
  const said = message === '' ? '' : maskMessage(message, secret);
  switch (status === 500 ? (statuses[type] ?? status) : status) {
    case 400:
    case 422:
      return refused(message, { said, cause });
    case 413:
      return new Problem('request_too_large', {
        detail: 'The request is larger than the provider takes.',
        cause,
      });
    case 408:
    case 504:
      return new Problem('upstream_timeout', { cause });
    case 429:
      return new Problem('rate_limit_exceeded', {
        detail: 'The provider of this model is at its limit.',
        cause,
      });
    case 503:
    case 529:
      return new Problem('upstream_unavailable', {
        detail: 'The provider of this model is overloaded.',
        cause,
      });
    case 401:
    case 402:
    case 403:
      return operatorsFault(cause);
    default:
      return new Problem('upstream_error', { cause });
  }
}

/** A request that was turned down: the code follows from what was said about it. */
function refused(message: string, { said, cause }: { said: string; cause: Error }): Problem {
  if (TOO_LONG.test(message)) return new Problem('context_length_exceeded', { detail: said, cause });
  if (BLOCKED.test(message)) return new Problem('content_blocked', { detail: said, cause });
  if (UNPAID.test(message)) return operatorsFault(cause);
  const field = FIELD.exec(message)?.[1];
  return new Problem('invalid_parameter', {
    detail: said || 'The provider refused the request.',
    cause,
    ...(field !== undefined && { param: field.replace(/\.(\d+)/g, '[$1]').slice(0, 200) }),
  });
}

function operatorsFault(cause: Error): Problem {
  return new Problem('upstream_error', {
    detail: 'The provider did not accept the gateway. This is for the operator to mend, not for you.',
    cause,
  });
}

/** `{"type": "error", "error": {…}}`, the same without the outer type, or nothing that can be read. */
function readError(body: Buffer): Json {
  return objectOf(parseObject(body.toString('utf8'))?.error);
}
