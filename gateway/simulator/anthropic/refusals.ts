/** What Anthropic says when it turns a request down, in its words and shape. */
import type { ContextExceeded } from '../brain/answer.ts';
import { Refusal } from '../refusal.ts';

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

export function writeRefusal(refusal: Refusal, requestId: string): string {
  return JSON.stringify({ type: 'error', error: errorObject(refusal), request_id: requestId });
}

export function writeRefusalFrame(refusal: Refusal): string {
  return `event: error\ndata: ${JSON.stringify({ type: 'error', error: errorObject(refusal) })}\n\n`;
}

function errorObject(refusal: Refusal): object {
  return { type: TYPES[refusal.status] ?? 'invalid_request_error', message: refusal.message };
}

/** Anthropic writes the place of a mistake into the message: `messages.0.role: …`. */
export function invalid(message: string): Refusal {
  return new Refusal(400, message);
}

export function required(place: string): Refusal {
  return invalid(`${place}: Field required`);
}

export function shouldBe(place: string, expected: string): Refusal {
  return invalid(`${place}: Input should be ${expected}`);
}

/** Throws for the first field that is not among the known ones. */
export function checkFields(given: object, known: ReadonlySet<string>, place: string): void {
  const foreign = Object.keys(given).find((name) => !known.has(name));
  if (foreign === undefined) return;
  throw invalid(`${place === '' ? '' : `${place}.`}${foreign}: Extra inputs are not permitted`);
}

export function notJson(): Refusal {
  return invalid('The request body is not valid JSON: expected value at line 1 column 1');
}

export function missingVersion(): Refusal {
  return invalid('anthropic-version: header is required');
}

export function unknownModel(model: string): Refusal {
  return new Refusal(404, `model: ${model}`);
}

export function promptTooLong(sizes: ContextExceeded): Refusal {
  return invalid(`prompt is too long: ${sizes.inputTokens} tokens > ${sizes.tokensMax} maximum`);
}

export function unreadableImage(): Refusal {
  return invalid('Could not process image');
}
