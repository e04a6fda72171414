/** Maps OpenAI's errors to Problems. Pure. */
import { Problem } from '../../kernel/problem.ts';
import type { ProblemCode } from '../../kernel/problem-codes.ts';
import type { ProviderMask } from '../provider-mask.ts';
import { statusProblem } from '../status-problem.ts';

interface OpenaiError {
  message?: unknown;
  code?: unknown;
  type?: unknown;
  param?: unknown;
}

const codes: Record<string, ProblemCode> = {
  context_length_exceeded: 'context_length_exceeded',
  content_policy_violation: 'content_blocked',
  content_filter: 'content_blocked',
  unsupported_parameter: 'unsupported_parameter',
  invalid_image: 'invalid_parameter',
  invalid_prompt: 'content_blocked',
  bio_policy: 'content_blocked',
  image_content_policy_violation: 'content_blocked',
  moderation_blocked: 'content_blocked',
  // Codes of a response that failed after it started, when there is no HTTP status.
  invalid_image_format: 'invalid_parameter',
  invalid_base64_image: 'invalid_parameter',
  invalid_image_url: 'invalid_parameter',
  invalid_image_mode: 'invalid_parameter',
  image_too_large: 'invalid_parameter',
  image_too_small: 'invalid_parameter',
  image_parse_error: 'invalid_parameter',
  image_file_too_large: 'invalid_parameter',
  image_file_not_found: 'invalid_parameter',
  unsupported_image_media_type: 'invalid_parameter',
  empty_image_file: 'invalid_parameter',
  failed_to_download_image: 'invalid_parameter',
};

/** Error codes in a stream, with the HTTP status of the same meaning. */
const statuses: Record<string, number> = { rate_limit_exceeded: 429, vector_store_timeout: 504 };

export function mapOpenaiError(status: number, body: Buffer, mask: ProviderMask): Problem {
  const error = readError(body, mask);
  const cause = new Error(
    `provider answered ${status}${typeof error.code === 'string' ? ` ${error.code}` : ''}`,
  );
  const message = typeof error.message === 'string' ? error.message : '';
  const known = knownCode(error);
  if (known !== undefined) return new Problem(known, { detail: message, cause, ...paramOf(error) });
  const impliedStatus = status === 500 && typeof error.code === 'string' ? statuses[error.code] : undefined;
  return statusProblem(impliedStatus ?? status, { message, cause, ...paramOf(error) });
}

function knownCode({ code, param }: OpenaiError): ProblemCode | undefined {
  // For the prompt it means that the context is exceeded, for any other field that the field is invalid.
  if (code === 'string_above_max_length')
    return /^(?:input|messages|instructions|prompt)\b/.test(String(param))
      ? 'context_length_exceeded'
      : 'invalid_parameter';
  return typeof code === 'string' ? codes[code] : undefined;
}

function paramOf(error: OpenaiError): { param?: string } {
  return typeof error.param === 'string' ? { param: error.param.slice(0, 200) } : {};
}

/** The `error` object of a body or of a stream, masked; empty when it cannot be read. */
function readError(body: Buffer, mask: ProviderMask): OpenaiError {
  try {
    const json = mask.json(JSON.parse(body.toString('utf8'))) as {
      error?: OpenaiError | string;
    } & OpenaiError;
    const error = json?.error ?? json;
    return typeof error === 'string' ? { message: error } : (error ?? {});
  } catch {
    return {};
  }
}
