/** Bedrock's errors in our words. Pure. */
import { Problem } from '../../kernel/problem.ts';
import { Secret } from '../../kernel/secret.ts';
import { isObject, type Json, parseObject, textOf } from '../../text/read-json.ts';
import { maskMessage } from '../mask-message.ts';
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
const masks: ReadonlyArray<[RegExp, string]> = [
  [/\barn:aws[\w-]*:\S+/gi, '[id]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g, '[secret]'],
  [/\bAWS\b/g, 'the provider'],
];

export function mapBedrockError(status: number, body: Buffer, secret: Secret): Problem {
  const error = readError(body);
  const name = textOf(error.type);
  const meant = statuses[name.toLowerCase()] ?? status;
  const cause = new Error(`provider answered ${status}${name === '' ? '' : ` ${name}`}`);
  const message = textOf(error.message) || textOf(error.Message);
  const said = mask(message, secret);
  if (meant === 400 && TOO_LONG.test(message)) {
    return new Problem('context_length_exceeded', { detail: said, cause });
  }
  return statusProblem(meant, { said, cause });
}

/** The key is several secrets in one. */
function mask(message: string, secret: Secret): string {
  const parts = secret
    .reveal()
    .split(':')
    .map((part) => new Secret(part));
  const unmasked = masks.reduce((text, [pattern, instead]) => text.replace(pattern, instead), message);
  return parts.reduce((text, part) => maskMessage(text, part), unmasked);
}

/** `{"message": "…"}`, the same within `error` (an exception of a stream), or nothing that can be read. */
function readError(body: Buffer): Json {
  const json = parseObject(body.toString('utf8')) ?? {};
  return isObject(json.error) ? json.error : json;
}
