/** What OpenAI says when it turns a request down, in its words and shape. */
import type { ContextExceeded } from '../brain/answer.ts';
import { maskKey } from '../dialect.ts';
import { Refusal } from '../refusal.ts';
import { PLAIN_ERROR } from './rule-refusals.ts';

export function writeRefusal(refusal: Refusal): string {
  return `${JSON.stringify(errorObject(refusal), null, 2)}\n`;
}

export function writeRefusalFrame(refusal: Refusal): string {
  return `data: ${JSON.stringify(errorObject(refusal))}\n\n`;
}

function errorObject(refusal: Refusal): object {
  const { message, type, param, code } = refusal;
  if (type === PLAIN_ERROR) return { code: PLAIN_ERROR, error: message };
  return { error: { message, type, param, code } };
}

export function notJson(): Refusal {
  return new Refusal(
    400,
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library " +
      'correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)',
  );
}

export function missing(param: string): Refusal {
  return new Refusal(400, `Missing required parameter: '${param}'.`, {
    param,
    code: 'missing_required_parameter',
  });
}

export function wrongType(param: string, expected: string): Refusal {
  return new Refusal(400, `Invalid type for '${param}': expected ${expected}.`, {
    param,
    code: 'invalid_type',
  });
}

export function wrongValue(param: string, message: string): Refusal {
  return new Refusal(400, message, { param, code: 'invalid_value' });
}

export function unsupportedMaxTokens(): Refusal {
  return new Refusal(
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    { param: 'max_tokens', code: 'unsupported_parameter' },
  );
}

export function unsupportedFormat(type: string): Refusal {
  return new Refusal(
    400,
    `Invalid parameter: 'response_format' of type '${type}' is not supported with this model.`,
    { param: 'response_format' },
  );
}

export function unsupportedImage(param: string): Refusal {
  return new Refusal(400, 'Invalid content type. image_url is only supported by certain models.', { param });
}

export function unreadableImage(): Refusal {
  return new Refusal(
    400,
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
    { code: 'invalid_image_format' },
  );
}

export function contextExceeded(sizes: ContextExceeded): Refusal {
  const { tokensMax, inputTokens, outputTokensMax } = sizes;
  const limit = `This model's maximum context length is ${tokensMax} tokens.`;
  const message =
    inputTokens > tokensMax || outputTokensMax === null
      ? `${limit} However, your messages resulted in ${inputTokens} tokens. Please reduce the length of the messages.`
      : `${limit} However, you requested ${inputTokens + outputTokensMax} tokens (${inputTokens} in the messages, ` +
        `${outputTokensMax} in the completion). Please reduce the length of the messages or completion.`;
  return new Refusal(400, message, { param: 'messages', code: 'context_length_exceeded' });
}

export function unknownModel(model: string): Refusal {
  return new Refusal(404, `The model \`${model}\` does not exist or you do not have access to it.`, {
    code: 'model_not_found',
  });
}

export function notChatModel(): Refusal {
  return new Refusal(
    404,
    'This is not a chat model and thus not supported in the v1/chat/completions endpoint. ' +
      'Did you mean to use v1/completions?',
    { param: 'model' },
  );
}

export function missingKey(): Refusal {
  return new Refusal(
    401,
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
      '(i.e. Authorization: Bearer YOUR_KEY). You can obtain an API key from https://platform.openai.com/account/api-keys.',
  );
}

export function wrongKey(key: string): Refusal {
  return new Refusal(
    401,
    `Incorrect API key provided: ${maskKey(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
    { code: 'invalid_api_key' },
  );
}

export function unknownPath(method: string, path: string): Refusal {
  return new Refusal(404, `Invalid URL (${method} ${path})`);
}

export function wrongMethod(method: string, path: string): Refusal {
  return new Refusal(
    405,
    `Not allowed to ${method} on ${path}. (HINT: Perhaps you meant to use a different HTTP method?)`,
    { code: 'method_not_supported' },
  );
}
