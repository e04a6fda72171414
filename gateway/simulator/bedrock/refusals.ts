/** What Bedrock says when it turns a request down, in its words and shape. */
import type { ContextExceeded } from '../brain/answer.ts';
import { Refusal } from '../refusal.ts';

const NAMES: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
};

/** The name of the exception stands in a header, and only there. */
export function exception(status: number, message: string, name?: string): Refusal {
  const type = name ?? NAMES[status] ?? 'ValidationException';
  return new Refusal(status, message, { type, headers: { 'x-amzn-errortype': type } });
}

export function writeRefusal(refusal: Refusal): string {
  return JSON.stringify({ message: refusal.message });
}

export function invalid(message: string): Refusal {
  return exception(400, message);
}

/** A value that the shape of the service does not allow. */
export function unmet(at: string, constraint: string): Refusal {
  return invalid(`1 validation error detected: Value at '${at}' failed to satisfy constraint: ${constraint}`);
}

/** What the model itself finds wrong. */
export function modelSays(message: string): Refusal {
  return invalid(`The model returned the following errors: ${message}`);
}

export function checkFields(fields: object, known: ReadonlySet<string>, at: string): void {
  const foreign = Object.keys(fields).find((name) => !known.has(name));
  if (foreign === undefined) return;
  throw invalid(
    `Malformed input request: #${at}: extraneous key [${foreign}] is not permitted, please reformat your input and try again.`,
  );
}

export function unknownModel(): Refusal {
  return invalid('The provided model identifier is invalid.');
}

export function promptTooLong({ inputTokens, tokensMax }: ContextExceeded): Refusal {
  return modelSays(`prompt is too long: ${inputTokens} tokens > ${tokensMax} maximum`);
}

export function unreadableImage(): Refusal {
  return modelSays('Could not process image');
}
