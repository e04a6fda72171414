/** What Google says when it turns a request down, in its words and shape. */
import type { ContextExceeded } from '../brain/answer.ts';
import { Refusal } from '../refusal.ts';

const STATUSES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
};

export function writeRefusal(refusal: Refusal): string {
  return `${JSON.stringify(errorObject(refusal), null, 2)}\n`;
}

export function writeRefusalFrame(refusal: Refusal): string {
  return `data: ${JSON.stringify(errorObject(refusal))}\r\n\r\n`;
}

function errorObject(refusal: Refusal): object {
  const { status: code, message, details } = refusal;
  const status = STATUSES[code] ?? 'INVALID_ARGUMENT';
  return { error: { code, message, status, ...(details.length === 0 ? {} : { details }) } };
}

export function invalid(message: string): Refusal {
  return new Refusal(400, message);
}

/** A mistake that is no mistake of form: `* GenerateContentRequest.contents: …`. */
export function unmet(field: string, rule: string): Refusal {
  return invalid(`* GenerateContentRequest.${field}: ${rule}\n`);
}

/** Mistakes of form are told all at once, each with its place. */
export function badPayload(violations: ReadonlyArray<{ field: string; description: string }>): Refusal {
  return new Refusal(400, violations.map(({ description }) => description).join('\n'), {
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: violations.map(({ field, description }) => ({
          ...(field === '' ? {} : { field }),
          description,
        })),
      },
    ],
  });
}

export function notJson(): Refusal {
  return invalid('Invalid JSON payload received. Unexpected end of string. Expected a value.\n\n^');
}

export function unknownModel(model: string, method: string): Refusal {
  return new Refusal(
    404,
    `models/${model} is not found for API version v1beta, or is not supported for ${method}. ` +
      'Call ListModels to see the list of available models and their supported methods.',
  );
}

export function inputTooLong(sizes: ContextExceeded): Refusal {
  return invalid(
    `The input token count (${sizes.inputTokens}) exceeds the maximum number of tokens allowed (${sizes.tokensMax}).`,
  );
}

export function unreadableImage(): Refusal {
  return invalid(
    'Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
  );
}

export function missingKey(): Refusal {
  return new Refusal(
    403,
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other " +
      'form of API consumer identity to call this API.',
  );
}

/** A wrong key is a bad request to Google, and only the details tell why. */
export function wrongKey(): Refusal {
  return new Refusal(400, 'API key not valid. Please pass a valid API key.', {
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'API_KEY_INVALID',
        domain: 'googleapis.com',
        metadata: { service: 'generativelanguage.googleapis.com' },
      },
      {
        '@type': 'type.googleapis.com/google.rpc.LocalizedMessage',
        locale: 'en-US',
        message: 'API key not valid. Please pass a valid API key.',
      },
    ],
  });
}
