/** Reads the upload form of a batch file: one `file`, whose bytes are passed on as they arrive, and its `purpose`. */

import { BATCH_FILE_BYTES_MAX } from '../contract/batch-lines/batch-limits.ts';
import type { EdgeRequest } from '../edge/edge-request.ts';
import { Problem } from '../kernel/problem.ts';
import { type PartHead, shown } from './multipart-parser.ts';
import { checkFormRequest, OneFile } from './one-file.ts';
import { streamMultipart } from './stream-multipart.ts';

const PURPOSE = 'batch';
const FIELD_BYTES_MAX = 1024;

export function checkFileRequest(request: EdgeRequest): void {
  checkFormRequest(request, {
    bytesMax: BATCH_FILE_BYTES_MAX,
    tooLarge: () =>
      new Problem('file_too_large', {
        detail: `The request is larger than a form with a file of ${BATCH_FILE_BYTES_MAX} bytes. Split the file.`,
        param: 'file',
      }),
  });
}

/** Resolves to the name of the file when the form is complete and valid. */
export async function readFileForm(
  request: EdgeRequest,
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
  readonly #file = new OneFile({
    what: 'the JSONL file',
    example: 'file=@batch.jsonl',
    refuse: (detail) => refusal('file', detail),
  });
  #purpose: string | null = null;
  inFile = false;

  begin({ name, filename }: PartHead): void {
    this.inFile = name === 'file';
    if (name === 'file') this.#file.begin(filename);
    else if (name === 'purpose') {
      if (this.#purpose !== null) throw refusal('purpose', 'purpose must be sent once.');
      this.#purpose = '';
    } else
      throw refusal(name, `${shown(name)} is not a known field. An upload has the fields file and purpose.`);
  }

  addToPurpose(bytes: Buffer): void {
    this.#purpose += bytes.toString('utf8');
    if ((this.#purpose?.length ?? 0) > FIELD_BYTES_MAX) throw wrongPurpose();
  }

  end(): { filename: string } {
    if (this.#purpose === null) throw refusal('purpose', 'purpose is required. Send purpose=batch.');
    if (this.#purpose !== PURPOSE) throw wrongPurpose();
    return { filename: this.#file.end() };
  }
}

function wrongPurpose(): Problem {
  return refusal('purpose', 'purpose must be "batch".');
}

function refusal(param: string, detail: string): Problem {
  return new Problem('invalid_parameter', { detail, param: param.slice(0, 100) });
}
