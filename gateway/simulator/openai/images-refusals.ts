/** What OpenAI says when it turns down a call for images. */
import { Refusal } from '../refusal.ts';

const USER_ERROR = 'image_generation_user_error';

export function blockedByModeration(): Refusal {
  return new Refusal(
    400,
    'Your request was rejected by the safety system. If you believe this is an error, contact us at help.openai.com ' +
      'and include the request ID 5d0f4c1e-8b0a-4c3c-9f55-2f6f0a7c9d11. safety_violations=[violence].',
    { type: USER_ERROR, code: 'moderation_blocked' },
  );
}

export function emptyString(param: string): Refusal {
  return new Refusal(
    400,
    `Invalid '${param}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
    { param, code: 'empty_string' },
  );
}

export function stringTooLong(param: string, most: number, got: number): Refusal {
  return new Refusal(
    400,
    `Invalid '${param}': string too long. Expected a string with maximum length ${most}, but got a string with length ${got} instead.`,
    { param, code: 'string_above_max_length' },
  );
}

export function onlyPng(format: string): Refusal {
  return new Refusal(400, `The simulator draws PNG files only, not '${format}'.`, {
    param: 'output_format',
    code: 'invalid_value',
  });
}

export function unsupportedCompression(): Refusal {
  return new Refusal(400, 'Compression less than 100 is not supported for PNG output format', {
    type: USER_ERROR,
    param: 'output_compression',
    code: 'invalid_png_output_compression',
  });
}

export function notForm(type: string): Refusal {
  return new Refusal(
    400,
    `Unsupported content type: '${type}'. This API method only accepts 'multipart/form-data' requests, but you specified ` +
      `the header 'Content-Type: ${type}'. Please try again with a supported content type.`,
    { code: 'unsupported_content_type' },
  );
}

export function unreadableForm(): Refusal {
  return new Refusal(400, 'Could not parse multipart form');
}

export function tooManyImages(most: number, got: number): Refusal {
  return new Refusal(
    400,
    `Invalid 'image': array too long. Expected an array with maximum length ${most}, but got an array with length ${got} instead.`,
    { param: 'image', code: 'array_above_max_length' },
  );
}

export function unknownMediaType(param: string): Refusal {
  return new Refusal(
    400,
    `Invalid file '${param}': failed to determine mimetype. Ensure you are providing the file's mimetype as part of the 'Content-Type' header.`,
    { param, code: 'missing_file_mimetype' },
  );
}

export function unsupportedMediaType(param: string, got: string, supported: readonly string[]): Refusal {
  const names = supported.map((name) => `'${name}'`);
  const listed = names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`;
  return new Refusal(
    400,
    `Invalid file '${param}': unsupported mimetype ('${got}'). Supported file formats are ${listed}.`,
    { param, code: 'unsupported_file_mimetype' },
  );
}

export function unreadableImageFile(place: number): Refusal {
  return new Refusal(400, `Invalid image file or mode for image ${place}, please check your image file.`, {
    type: USER_ERROR,
    code: 'invalid_image_file',
  });
}
