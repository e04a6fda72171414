/** Checks that a form has exactly one part `file`, and that it is a file. */
import type { EdgeRequest } from '../edge/edge-request.ts';
import type { Problem } from '../kernel/problem.ts';
import { unsupportedType } from './read-body.ts';
import { isMultipart } from './read-multipart.ts';

const FILENAME_CHARACTERS_MAX = 255;
/** Limit for everything in the form except the file: boundaries, part headers and other fields. */
export const FORM_BYTES_MAX = 64 * 1024;

/** Checks the headers before anything is read or stored. */
export function checkFormRequest(
  { headers, bodyBytes }: EdgeRequest,
  file: { bytesMax: number; tooLarge: () => Problem },
): void {
  const { 'content-type': type = '' } = headers;
  if (!isMultipart(type)) throw unsupportedType(type, 'multipart/form-data');
  if (bodyBytes > file.bytesMax + FORM_BYTES_MAX) throw file.tooLarge();
}

export interface OneFileWords {
  /** What to send, such as `the JSONL file`. */
  readonly what: string;
  /** The argument for curl, such as `file=@batch.jsonl`. */
  readonly example: string;
  refuse(detail: string, why: 'missing' | 'value_error'): Problem;
}

export class OneFile {
  readonly #words: OneFileWords;
  #filename: string | null = null;

  constructor(words: OneFileWords) {
    this.#words = words;
  }

  begin(filename: string | null): void {
    const { example, refuse } = this.#words;
    if (this.#filename !== null)
      throw refuse('file must be sent once. Upload one file at a time.', 'value_error');
    if (filename === null) {
      const how = `with a file name. With curl: -F ${example}.`;
      throw refuse(`file must be sent as a file, ${how}`, 'value_error');
    }
    // Browsers send an empty file name if no file was chosen.
    if (filename === '') throw this.#missing();
    if (filename.length > FILENAME_CHARACTERS_MAX || /\p{Cc}/u.test(filename)) {
      const rule = `at most ${FILENAME_CHARACTERS_MAX} characters and no control characters`;
      throw refuse(`The name of the file must have ${rule}.`, 'value_error');
    }
    this.#filename = filename;
  }

  /** Called at the end of the form. Returns the name of the file. */
  end(): string {
    if (this.#filename === null) throw this.#missing();
    return this.#filename;
  }

  #missing(): Problem {
    return this.#words.refuse(`file is required: send ${this.#words.what}.`, 'missing');
  }
}
