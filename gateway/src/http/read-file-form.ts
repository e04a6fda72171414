/** Reads the form of an upload: one `file`, whose bytes are handed on as they come, and its `purpose`. */
import type { IncomingMessage } from 'node:http';
import { BATCH_FILE_BYTES_MAX } from '../contract/files.ts';
import { Problem } from '../kernel/problem.ts';
import { type PartHead, shown } from './multipart-parser.ts';
import { unreadType } from './read-body.ts';
import { isMultipart } from './read-multipart.ts';
import { streamMultipart } from './stream-multipart.ts';

const PURPOSE = 'batch';
const FIELD_BYTES_MAX = 1024;
const FILENAME_CHARACTERS_MAX = 255;
/** Boundaries, heads and the other field; more than that is not in a form that could be taken. */
const FORM_BYTES_MAX = 64 * 1024;

/** What can be said before anything is read, and so before anything is begun. */
export function checkFileRequest({ headers }: IncomingMessage): void {
  const { 'content-type': type = '', 'content-length': length } = headers;
  if (!isMultipart(type)) throw unreadType(type, 'multipart/form-data');
  if (Number(length ?? 0) <= BATCH_FILE_BYTES_MAX + FORM_BYTES_MAX) return;
  throw new Problem('file_too_large', {
    detail: `The request is larger than a form with a file of ${BATCH_FILE_BYTES_MAX} bytes; split the file.`,
    param: 'file',
  });
}

/** Resolves to the name of the file when the form is in and in order. */
export async function readFileForm(
  request: IncomingMessage,
  onBytes: (bytes: Buffer) => Promise<void>,
): Promise<{ filename: string }> {
  const form = new FileForm();
  await streamMultipart(request, {
    onPart: (head) => form.begin(head),
    onData: async (bytes) => {
      if (form.inFile) await onBytes(bytes);
      else form.addToPurpose(bytes);
    },
  });
  return form.end();
}

class FileForm {
  #filename: string | null = null;
  #purpose: string | null = null;
  inFile = false;

  begin({ name, filename }: PartHead): void {
    this.inFile = name === 'file';
    if (name === 'file') {
      if (this.#filename !== null)
        throw refusal('file', 'file must be sent once; upload one file at a time.');
      this.#filename = readFilename(filename);
    } else if (name === 'purpose') {
      if (this.#purpose !== null) throw refusal('purpose', 'purpose must be sent once.');
      this.#purpose = '';
    } else throw refusal(name, `${shown(name)} is not a known field; an upload has file and purpose.`);
  }

  addToPurpose(bytes: Buffer): void {
    this.#purpose += bytes.toString('utf8');
    if ((this.#purpose?.length ?? 0) > FIELD_BYTES_MAX) throw wrongPurpose();
  }

  end(): { filename: string } {
    if (this.#purpose === null) throw refusal('purpose', 'purpose is required: send purpose=batch.');
    if (this.#purpose !== PURPOSE) throw wrongPurpose();
    if (this.#filename === null) throw refusal('file', 'file is required: send the JSONL file.');
    return { filename: this.#filename };
  }
}

function readFilename(filename: string | null): string {
  if (filename === null) {
    throw refusal('file', 'file must be sent as a file, with a file name; with curl: -F file=@batch.jsonl.');
  }
  // Browsers send a part without a name where no file was chosen.
  if (filename === '') throw refusal('file', 'file is required: send the JSONL file.');
  if (filename.length > FILENAME_CHARACTERS_MAX || /\p{Cc}/u.test(filename)) {
    const rule = `at most ${FILENAME_CHARACTERS_MAX} characters and no control characters`;
    throw refusal('file', `The name of the file must have ${rule}.`);
  }
  return filename;
}

function wrongPurpose(): Problem {
  return refusal('purpose', 'purpose must be "batch".');
}

function refusal(param: string, detail: string): Problem {
  return new Problem('invalid_parameter', { detail, param: param.slice(0, 100) });
}
