/** Maps Google's errors to Problems. Pure. */

import { isObject, type Json, listOf, objectOf, textOf } from '../../json/read-json.ts';
import { Problem } from '../../kernel/problem.ts';
import type { ProviderMask } from '../provider-mask.ts';
import { operatorProblem, statusProblem } from '../status-problem.ts';

/** An error in a stream has no HTTP status, only one of these names. */
const statuses: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  OUT_OF_RANGE: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  CANCELLED: 499,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

/** Google answers 400 for an unknown key and for an account that it does not serve. */
const OPERATORS_FAULT = /^(?:API_KEY_\w+|FAILED_PRECONDITION)$/;
const TOO_LONG = /exceeds the maximum number of (?:input )?tokens/i;
const RETRY_SECONDS_MAX = 3_600;

/** `named`: with the field that the message is about. Calls for images and videos have other names for theirs. */
export function mapGoogleError(
  status: number,
  body: Buffer,
  mask: ProviderMask,
  { named = false }: { named?: boolean } = {},
): Problem {
  const error = readError(body, mask);
  const word = textOf(error.status);
  const impliedStatus = statuses[word] ?? status;
  const cause = new Error(`provider answered ${status}${word === '' ? '' : ` ${word}`}`);
  const message = textOf(error.message);
  if (isOperatorsFault(error)) return operatorProblem(cause);
  if (TOO_LONG.test(message)) return new Problem('context_length_exceeded', { detail: message, cause });
  const param = named ? fieldIn(message) : undefined;
  return statusProblem(impliedStatus, {
    message,
    cause,
    ...(param !== undefined && { param }),
    ...retryAfter(error),
  });
}

function isOperatorsFault(error: Json): boolean {
  const reasons = [textOf(error.status), ...listOf(error.details).map(({ reason }) => textOf(reason))];
  return reasons.some((reason) => OPERATORS_FAULT.test(reason));
}

/** `* GenerateContentRequest.contents[0].parts: …`, `Invalid value at 'generation_config.seed' …`. */
const FIELD = /(?:GenerateContentRequest\.|Invalid value at ')([a-z_]+(?:\.[a-z_]+|\[\d+\]){0,10})/;
const SENTENCES: ReadonlyArray<readonly [RegExp, string]> = [
  [/^thinking |^Budget \d+ is invalid|thinking (?:budget|level)/i, 'generation_config.thinking_config'],
  [/response mime type/i, 'generation_config.response_mime_type'],
];

function fieldIn(message: string): string | undefined {
  const path = FIELD.exec(message)?.[1];
  return path ?? SENTENCES.find(([sentence]) => sentence.test(message))?.[1];
}

/** Google sends the retry delay in the body, as `"retryDelay": "34.5s"`, not in a header. */
function retryAfter(error: Json): { retryAfterMs?: number } {
  const delays = listOf(error.details).map(({ retryDelay }) => /^(\d+(?:\.\d+)?)s$/.exec(textOf(retryDelay)));
  const seconds = Number(delays.find((match) => match !== null)?.[1] ?? Number.NaN);
  return seconds <= RETRY_SECONDS_MAX ? { retryAfterMs: Math.ceil(seconds * 1000) } : {};
}

/**
 * The `error` object, masked; in a list if a stream failed before it started; empty when it cannot be read.
 */
function readError(body: Buffer, mask: ProviderMask): Json {
  try {
    const json: unknown = JSON.parse(body.toString('utf8'));
    const first: unknown = Array.isArray(json) ? json[0] : json;
    return isObject(first) ? objectOf(mask.json(first.error)) : {};
  } catch {
    return {};
  }
}
