/**
 * Uploads a reference: its bytes are looked at, hashed and stored in one pass, as they come. Either there is
 * a reference at the end, or there is nothing. Nothing is begun before the first bytes have shown what it is.
 */
import { ownerOf, type Principal } from '../access/principal.ts';
import {
  REFERENCE_BYTES_MAX,
  type ReferenceTrack,
  type ReferenceUpload,
  referenceKinds,
  referenceSchemes,
} from '../contract/references.ts';
import type { Database } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { BlobKeeper, PendingBlob } from './blob-keeper.ts';
import {
  allowedMimeTypes,
  formatNamed,
  isSameFamily,
  type MediaFormat,
  SNIFF_BYTES,
  sniffFormat,
} from './media-format.ts';
import { insertReference, REFERENCE_MS, type StoredReference } from './references.store.ts';
import { whenStored } from './when-stored.ts';

export interface ReferenceTools {
  readonly db: Database;
  readonly keeper: BlobKeeper;
  readonly clock: Clock;
}

const MIB = 1_048_576;

/** Append the bytes, then finish or abort. */
export class NewReference {
  readonly #principal: Principal;
  readonly #track: ReferenceTrack;
  readonly #declared: MediaFormat;
  readonly #tools: ReferenceTools;
  #bytes = 0;
  /** The first bytes, until they are enough. */
  #head: Buffer = Buffer.alloc(0);
  #kept: { format: MediaFormat; blob: PendingBlob } | null = null;

  /** Throws when no file that was sent as this could be taken. */
  constructor(
    request: { principal: Principal; track: ReferenceTrack; mimeType: string | null },
    tools: ReferenceTools,
  ) {
    this.#principal = request.principal;
    this.#track = request.track;
    this.#declared = readDeclared(request.mimeType);
    this.#tools = tools;
  }

  async append(bytes: Buffer): Promise<void> {
    this.#bytes += bytes.length;
    checkSize(this.#bytes, this.#declared);
    if (this.#kept !== null) {
      const { blob } = this.#kept;
      await stored(() => blob.append(bytes));
      return;
    }
    this.#head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    if (this.#head.length >= SNIFF_BYTES) await this.#begin();
    // What is not awaited to the end must be ours.
    else this.#head = Buffer.from(this.#head);
  }

  async finish(): Promise<ReferenceUpload> {
    if (this.#bytes === 0) throw rejected('The file is empty.');
    const { format, blob } = this.#kept ?? (await this.#begin());
    return await stored(async () => {
      const written = await blob.commit();
      const now = this.#tools.clock.now();
      const reference: StoredReference = {
        id: blob.name,
        spaceId: this.#principal.spaceId,
        owner: ownerOf(this.#principal),
        track: this.#track,
        kind: format.kind,
        mimeType: format.mimeType,
        ...written,
        createdAt: now,
        expiresAt: now + REFERENCE_MS,
      };
      await this.#tools.db.transaction(async (tx) => {
        await blob.adopt(tx);
        await insertReference(tx, reference);
      });
      return referenceUpload(reference);
    });
  }

  /** After anything that was thrown, by us or elsewhere. Never throws. */
  async abort(): Promise<void> {
    await this.#kept?.blob.abort();
  }

  async #begin(): Promise<{ format: MediaFormat; blob: PendingBlob }> {
    const format = sniffFormat(this.#head);
    if (format === null || !isSameFamily(this.#declared, format)) throw otherFormat(this.#declared, format);
    const { keeper, clock } = this.#tools;
    const head = this.#head;
    this.#head = Buffer.alloc(0);
    return await stored(async () => {
      const blob = await keeper.write(newId('ref', clock.now()));
      this.#kept = { format, blob };
      await blob.append(head);
      return this.#kept;
    });
  }
}

export function tooLargeReference(): Problem {
  return new Problem('REFERENCE_TOO_LARGE', {
    detail: `The file is larger than ${REFERENCE_BYTES_MAX / MIB} MiB, which no reference may be.`,
    param: 'file',
  });
}

function referenceUpload({ id, track, bytes }: StoredReference): ReferenceUpload {
  return { file_id: id, reference: `${referenceSchemes[track]}${id}`, bytes, track };
}

function stored<T>(work: () => Promise<T>): Promise<T> {
  return whenStored(work, 'REFERENCE_UPLOAD_UNAVAILABLE');
}

function readDeclared(mimeType: string | null): MediaFormat {
  const format = formatNamed(mimeType ?? '');
  if (format !== null) return format;
  const sent =
    mimeType === null ? 'no Content-Type' : `the Content-Type ${JSON.stringify(mimeType.slice(0, 100))}`;
  throw rejected(
    `The part file has ${sent}; it must be one of ${allowedMimeTypes.join(', ')}. ` +
      'With curl: -F "file=@picture.png;type=image/png".',
  );
}

/** A file that is too large for all kinds is told so where that is known; nothing is read only to learn it. */
function checkSize(bytes: number, { kind }: MediaFormat): void {
  if (bytes > REFERENCE_BYTES_MAX) throw tooLargeReference();
  const { bytesMax } = referenceKinds[kind];
  if (bytes <= bytesMax) return;
  throw rejected(`The file is larger than ${bytesMax / MIB} MiB, which is the most for ${kind} files.`);
}

function otherFormat(declared: MediaFormat, found: MediaFormat | null): Problem {
  const was = `The file was sent as ${declared.mimeType}, but its bytes are`;
  if (found === null) return rejected(`${was} not that, nor anything else that can be a reference.`);
  return rejected(`${was} ${found.mimeType}; send it as ${found.mimeType}, or convert it.`);
}

function rejected(detail: string): Problem {
  return new Problem('REFERENCE_UPLOAD_REJECTED', { detail, param: 'file' });
}
