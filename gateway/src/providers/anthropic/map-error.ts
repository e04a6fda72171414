/** Maps Anthropic's errors to Problems. Pure. */

import { type Json, objectOf, parseObject, textOf } from '../../json/read-json.ts';
import { Problem } from '../../kernel/problem.ts';
import type { ProviderMask } from '../provider-mask.ts';
import { operatorProblem, statusProblem } from '../status-problem.ts';

/** An error in a stream has no HTTP status; it follows from the error type. */
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
/** Sent with status 400, but the operator has to fix it, not the caller. */
const UNPAID = /credit balance/i;
/** Messages begin with the invalid field: `messages.0.content: …`. */
const FIELD = /^([a-z_]+(?:\.[a-z_][a-z0-9_]*|\.\d+){0,10}): /;

export function mapAnthropicError(status: number, body: Buffer, mask: ProviderMask): Problem {
  const error = readError(body, mask);
  const type = textOf(error.type);
  const message = textOf(error.message);
  const cause = new Error(`provider answered ${status}${type === '' ? '' : ` ${type}`}`);
  const impliedStatus = status === 500 ? (statuses[type] ?? status) : status;
  if (impliedStatus === 400 || impliedStatus === 422) return rejectedRequest(message, cause);
  return statusProblem(impliedStatus, { message, cause });
}

/** Chooses the code for a rejected request by its message. */
function rejectedRequest(message: string, cause: Error): Problem {
  if (TOO_LONG.test(message)) return new Problem('context_length_exceeded', { detail: message, cause });
  if (BLOCKED.test(message)) return new Problem('content_blocked', { detail: message, cause });
  if (UNPAID.test(message)) return operatorProblem(cause);
  const param = rejectedField(message)
    ?.replace(/\.(\d+)/g, '[$1]')
    .slice(0, 200);
  return statusProblem(400, { message, cause, ...(param !== undefined && { param }) });
}

/** Other messages about a field, by what they say; the first group is its name, if it is in the message. */
const SENTENCES: ReadonlyArray<readonly [RegExp, string]> = [
  [/^`(temperature|top_p|top_k|max_tokens)` /, ''],
  [/^"thinking\.type\.|thinking is not supported on this model/, 'thinking.type'],
  [/^output_config\.effort |the effort parameter/, 'output_config.effort'],
  [/tool_choice forces tool use/, 'tool_choice'],
  [/assistant message prefill/, 'messages'],
];

/** The field that a message is about. Claude on Bedrock has the same messages. */
export function rejectedField(message: string): string | undefined {
  const path = FIELD.exec(message)?.[1];
  if (path !== undefined) return path;
  for (const [sentence, field] of SENTENCES) {
    const found = sentence.exec(message);
    if (found !== null) return found[1] ?? field;
  }
  return undefined;
}

/** The `error` object of the body, masked; empty when the body cannot be read. */
function readError(body: Buffer, mask: ProviderMask): Json {
  return objectOf(mask.json(parseObject(body.toString('utf8'))?.error));
}
