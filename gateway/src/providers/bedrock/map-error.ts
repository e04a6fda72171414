/** Maps Bedrock's errors to Problems. Pure. */

import { isObject, type Json, parseObject, textOf } from '../../json/read-json.ts';
import { Problem } from '../../kernel/problem.ts';
import { rejectedField } from '../anthropic/map-error.ts';
import type { ProviderMask } from '../provider-mask.ts';
import { statusProblem } from '../status-problem.ts';

/** An exception in a stream has no HTTP status, only its name. */
const statuses: Readonly<Record<string, number>> = {
  validationexception: 400,
  accessdeniedexception: 403,
  resourcenotfoundexception: 404,
  modeltimeoutexception: 408,
  modelerrorexception: 424,
  modelstreamerrorexception: 424,
  throttlingexception: 429,
  modelnotreadyexception: 429,
  servicequotaexceededexception: 429,
  internalserverexception: 500,
  serviceunavailableexception: 503,
};

const TOO_LONG =
  /input is too long|prompt is too long|exceeds? (?:the )?max(?:imum)? (?:context|number of (?:input )?tokens)|context (?:length|window)/i;

export function mapBedrockError(status: number, body: Buffer, mask: ProviderMask): Problem {
  const error = readError(body, mask);
  const name = textOf(error.type);
  const impliedStatus = statuses[name.toLowerCase()] ?? status;
  const cause = new Error(`provider answered ${status}${name === '' ? '' : ` ${name}`}`);
  const message = textOf(error.message) || textOf(error.Message);
  if (impliedStatus === 400 && TOO_LONG.test(message)) {
    return new Problem('context_length_exceeded', { detail: message, cause });
  }
  const param = impliedStatus === 400 ? fieldIn(message) : undefined;
  return statusProblem(impliedStatus, { message, cause, ...(param !== undefined && { param }) });
}

const BY_MODEL = /^The model returned the following errors: /;
/** `1 validation error detected: Value at 'inferenceConfig.temperature' failed …`, `The value at messages.0.role is …` */
const VALUE_AT = /\bvalue at '?([a-zA-Z][\w.]{0,199})/i;

/** In the names of Converse or, if the model rejects it, of Claude. */
function fieldIn(message: string): string | undefined {
  return VALUE_AT.exec(message)?.[1] ?? rejectedField(message.replace(BY_MODEL, ''));
}

/** The error object of a body or of a stream exception, masked; empty when it cannot be read. */
function readError(body: Buffer, mask: ProviderMask): Json {
  const json = mask.json(parseObject(body.toString('utf8')) ?? {}) as Json;
  return isObject(json.error) ? json.error : json;
}
