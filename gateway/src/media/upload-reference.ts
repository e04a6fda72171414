/**
 * Uploads a reference: its bytes are checked, hashed and stored in one pass, as they arrive. At the end there is either
 * a complete reference or nothing.
 */

import { ownerOf, type Principal } from '../access/principal.ts';
import { REFERENCE_BYTES_MAX, type ReferenceTrack, referenceKinds } from '../contract/reference-kinds.ts';
import type { ReferenceUpload } from '../contract/references.ts';
import type { Database } from '../database/database.ts';
import { MIB } from '../kernel/bytes.ts';
import { Problem } from '../kernel/problem.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { allowedMimeTypes, formatNamed, isSameFamily, type MediaFormat } from './media-format.ts';
import { referenceUpload } from './reference-object.ts';
import { ReferenceWriter, type ReferenceWriterTools } from './reference-writer.ts';
import { REFERENCE_MS } from './references.store.ts';

export interface ReferenceTools extends ReferenceWriterTools {
  readonly db: Database;
}

/** Append the bytes, then finish or abort. */
export class NewReference {
  readonly #declared: MediaFormat;
  readonly #tools: ReferenceTools;
  readonly #writer: ReferenceWriter;
  readonly #canBeTooLarge: boolean;
  #bytes = 0;
  /** Over the limit of its kind: still counted to the end, but no longer stored. */
  #overKind = false;

  /** `requestBytes`: the length of the whole request; null if it is chunked. Throws for a type that cannot be a reference. */
  constructor(
    request: {
      principal: Principal;
      track: ReferenceTrack;
      mimeType: string | null;
      requestBytes: number | null;
    },
    tools: ReferenceTools,
  ) {
    const { principal, track, mimeType, requestBytes } = request;
    this.#canBeTooLarge = requestBytes === null || requestBytes > REFERENCE_BYTES_MAX;
    const declared = readDeclared(mimeType);
    const accept = (format: MediaFormat | null): MediaFormat => {
      if (format === null || !isSameFamily(declared, format)) throw otherFormat(declared, format);
      return format;
    };
    this.#declared = declared;
    this.#tools = tools;
    this.#writer = new ReferenceWriter(
      { spaceId: principal.spaceId, owner: ownerOf(principal), track, accept, keptMs: REFERENCE_MS },
      tools,
    );
  }

  async append(bytes: Buffer): Promise<void> {
    this.#bytes += bytes.length;
    if (this.#bytes > REFERENCE_BYTES_MAX) throw tooLargeReference();
    if (this.#bytes > referenceKinds[this.#declared.kind].bytesMax) await this.#passKindLimit();
    else await stored(() => this.#writer.append(bytes));
  }

  async finish(): Promise<ReferenceUpload> {
    if (this.#overKind) throw tooLargeForKind(this.#declared);
    if (this.#bytes === 0) throw rejected('The file is empty. Send a file with content.');
    return await stored(async () => {
      const reference = await this.#writer.commit();
      await this.#tools.db.transaction((tx) => this.#writer.adopt(tx));
      return referenceUpload(reference);
    });
  }

  /** Called after any error. Never throws. */
  async abort(): Promise<void> {
    if (!this.#overKind) await this.#writer.abort();
  }

  /** The limit for all kinds takes precedence: a file that may still exceed it is counted to its end. */
  async #passKindLimit(): Promise<void> {
    if (!this.#canBeTooLarge) throw tooLargeForKind(this.#declared);
    if (this.#overKind) return;
    await this.#writer.abort();
    this.#overKind = true;
  }
}

export function tooLargeReference(): Problem {
  return new Problem('REFERENCE_TOO_LARGE', {
    detail: `The file is larger than ${REFERENCE_BYTES_MAX / MIB} MiB, the limit for every reference. Send a smaller file.`,
    param: 'file',
  });
}

function stored<T>(work: () => Promise<T>): Promise<T> {
  return whenAvailable(work, { code: 'REFERENCE_UPLOAD_UNAVAILABLE' });
}

function readDeclared(mimeType: string | null): MediaFormat {
  const format = formatNamed(mimeType ?? '');
  if (format !== null) return format;
  const sent =
    mimeType === null ? 'no Content-Type' : `the Content-Type ${JSON.stringify(mimeType.slice(0, 100))}`;
  throw rejected(
    `The part file has ${sent}. It must be one of ${allowedMimeTypes.join(', ')}. ` +
      'With curl: -F "file=@picture.png;type=image/png".',
  );
}

function tooLargeForKind({ kind }: MediaFormat): Problem {
  const { bytesMax } = referenceKinds[kind];
  return rejected(
    `The file is larger than ${bytesMax / MIB} MiB, the limit for ${kind} files. Send a smaller file.`,
  );
}

function otherFormat(declared: MediaFormat, found: MediaFormat | null): Problem {
  const sent = `The file was sent as ${declared.mimeType}, but`;
  if (found === null) return rejected(`${sent} it is not a supported image, video or audio file.`);
  return rejected(`${sent} its bytes are ${found.mimeType}. Send it as ${found.mimeType}, or convert it.`);
}

function rejected(detail: string): Problem {
  return new Problem('REFERENCE_UPLOAD_REJECTED', { detail, param: 'file' });
}
