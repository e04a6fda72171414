/** Reads the upload of a reference: `track` in the query, and a form with one `file` and its type. */

import { REFERENCE_BYTES_MAX, type ReferenceTrack, referenceTracks } from '../contract/reference-kinds.ts';
import { ReferenceQuery } from '../contract/references.ts';
import type { EdgeRequest } from '../edge/edge-request.ts';
import { CHUNKED } from '../edge/request-head.ts';
import { Problem } from '../kernel/problem.ts';
import { tooLargeReference } from '../media/upload-reference.ts';
import type { PartHead } from './multipart-parser.ts';
import { checkFormRequest, FORM_BYTES_MAX, OneFile } from './one-file.ts';
import { QueryReader } from './query-reader.ts';
import { streamMultipart } from './stream-multipart.ts';

/** Checks the query and the headers before the form is read. */
export function checkReferenceRequest(request: EdgeRequest): {
  track: ReferenceTrack;
  /** Null when it is sent in chunks. */
  requestBytes: number | null;
} {
  const query = new QueryReader(request.url ?? '', Object.keys(ReferenceQuery.properties));
  const track = query.oneOf('track', referenceTracks) ?? 'file';
  query.check();
  checkFormRequest(request, { bytesMax: REFERENCE_BYTES_MAX, tooLarge: tooLargeReference });
  const { bodyBytes } = request;
  return { track, requestBytes: bodyBytes === CHUNKED ? null : bodyBytes };
}

/** Where the bytes of the file go. */
export interface UploadSink {
  append(bytes: Buffer): Promise<void>;
  /** Never throws. */
  abort(): Promise<void>;
}

/** Reads the form as it arrives. Unknown parts are ignored. */
export class ReferenceFormReader<Upload extends UploadSink> {
  readonly #begin: (mimeType: string | null) => Upload;
  readonly #file = new OneFile({
    what: 'an image, video or audio file',
    example: '"file=@picture.png;type=image/png"',
    refuse: (msg, type) => refusal('file', msg, type),
  });
  #upload: Upload | null = null;
  #inFile = false;
  #besideBytes = 0;

  /** `begin` gets the Content-Type of the file without its parameters; it throws to reject it. */
  constructor(begin: (mimeType: string | null) => Upload) {
    this.#begin = begin;
  }

  /** Resolves when the form is complete and valid. */
  async read(request: EdgeRequest): Promise<Upload> {
    await streamMultipart(request, {
      onPart: (head) => this.#beginPart(head),
      onData: (bytes) => this.#add(bytes),
    });
    this.#file.end();
    return this.#upload as Upload;
  }

  async abort(): Promise<void> {
    await this.#upload?.abort();
  }

  #beginPart({ name, filename, contentType }: PartHead): void {
    this.#inFile = name === 'file';
    // Rejected, because ignoring it would upload to the wrong track.
    if (name === 'track') {
      throw refusal(
        'track',
        'track must be sent in the query: POST /v1/references?track=managed.',
        'value_error',
      );
    }
    if (!this.#inFile) return;
    this.#file.begin(filename);
    this.#upload = this.#begin(contentType === null ? null : bareType(contentType));
  }

  async #add(bytes: Buffer): Promise<void> {
    if (this.#inFile) {
      await this.#upload?.append(bytes);
      return;
    }
    this.#besideBytes += bytes.length;
    if (this.#besideBytes > FORM_BYTES_MAX)
      throw refusal('file', 'The fields beside file are too large. Send the file only.', 'value_error');
  }
}

function bareType(contentType: string): string {
  return (contentType.split(';', 1)[0] as string).trim().toLowerCase();
}

function refusal(part: string, msg: string, type: string): Problem {
  return new Problem('validation_error', { detail: msg, items: [{ loc: ['body', part], msg, type }] });
}
