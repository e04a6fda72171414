/** What OpenAI says when it turns down a call for embeddings. */
import { Refusal } from '../refusal.ts';

export function notEmbeddingModel(): Refusal {
  return new Refusal(403, 'You are not allowed to generate embeddings from this model');
}

export function inputInvalid(): Refusal {
  return new Refusal(
    400,
    "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
  );
}

export function tooManyInputs(most: number, got: number): Refusal {
  return new Refusal(
    400,
    `Invalid 'input': array too long. Expected an array with maximum length ${most}, but got an array with length ${got} instead.`,
    { param: 'input', code: 'array_above_max_length' },
  );
}

export function inputTooLong(tokensMax: number, got: number): Refusal {
  return new Refusal(
    400,
    `This model's maximum context length is ${tokensMax} tokens, however you requested ${got} tokens (${got} in your ` +
      'prompt; 0 for the completion). Please reduce your prompt; or completion length.',
  );
}

export function tooManyTokens(most: number, got: number): Refusal {
  const kind = 'max_tokens_per_request';
  return new Refusal(400, `Requested ${got} tokens, max ${most} tokens per request`, {
    type: kind,
    code: kind,
  });
}

export function unchangeableDimensions(): Refusal {
  return new Refusal(400, 'This model does not support specifying dimensions.');
}

export function tooManyDimensions(asked: number, most: number): Refusal {
  return new Refusal(
    400,
    `Invalid value for 'dimensions' = ${asked}. Must be less than or equal to ${most}.`,
  );
}
