/** The one `file` of a form: that it comes, comes once, and comes as a file. */
import type { IncomingMessage } from 'node:http';
import type { Problem } from '../kernel/problem.ts';
import { unreadType } from './read-body.ts';
import { isMultipart } from './read-multipart.ts';

const FILENAME_CHARACTERS_MAX = 255;
/** Boundaries, heads and other fields; more than that is not in a form that could be taken. */
export const FORM_BYTES_MAX = 64 * 1024;

/** What can be said before anything is read, and so before anything is begun. */
export function checkFormRequest(
  { headers }: IncomingMessage,
  file: { bytesMax: number; tooLarge: () => Problem },
): void {
  const { 'content-type': type = '', 'content-length': length } = headers;
  if (!isMultipart(type)) throw unreadType(type, 'multipart/form-data');
  if (Number(length ?? 0) > file.bytesMax + FORM_BYTES_MAX) throw file.tooLarge();
}

export interface OneFileWords {
  /** What is to be sent, such as `the JSONL file`. */
  readonly what: string;
  /** What curl is given, such as `file=@batch.jsonl`. */
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
      throw refuse('file must be sent once; upload one file at a time.', 'value_error');
    if (filename === null) {
      const how = `with a file name; with curl: -F ${example}.`;
      throw refuse(`file must be sent as a file, ${how}`, 'value_error');
    }
    // Browsers send a part without a name where no file was chosen.
    if (filename === '') throw this.#missing();
    if (filename.length > FILENAME_CHARACTERS_MAX || /\p{Cc}/u.test(filename)) {
      const rule = `at most ${FILENAME_CHARACTERS_MAX} characters and no control characters`;
      throw refuse(`The name of the file must have ${rule}.`, 'value_error');
    }
    this.#filename = filename;
  }

  /** Its name, when the form is over. */
  end(): string {
    if (this.#filename === null) throw this.#missing();
    return this.#filename;
  }

  #missing(): Problem {
    return this.#words.refuse(`file is required: send ${this.#words.what}.`, 'missing');
  }
}
