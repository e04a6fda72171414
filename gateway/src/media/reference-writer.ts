/**
 * Writes the bytes of a reference as they arrive. The blob is created once the first bytes have identified the format,
 * and belongs to nobody until a transaction adopts it.
 */

import type { BlobKeeper, PendingBlob } from '../blobs/blob-keeper.ts';
import type { Transaction } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { SNIFF_BYTES } from '../kernel/sniff-media.ts';
import type { Clock } from '../kernel/time.ts';
import { type MediaFormat, sniffFormat } from './media-format.ts';
import { insertReference, type StoredReference } from './references.store.ts';

export interface ReferenceWriterTools {
  readonly keeper: BlobKeeper;
  readonly clock: Clock;
}

export interface ReferenceToWrite extends Pick<StoredReference, 'spaceId' | 'owner' | 'track'> {
  /** Throws if the format is not allowed; null is an unknown format. */
  accept(format: MediaFormat | null): MediaFormat;
  keptMs: number;
}

export class ReferenceWriter {
  readonly #wanted: ReferenceToWrite;
  readonly #tools: ReferenceWriterTools;
  /** The first bytes, until they identify the format. */
  #head: Buffer = Buffer.alloc(0);
  #kept: { format: MediaFormat; blob: PendingBlob } | null = null;
  #written: StoredReference | null = null;

  constructor(wanted: ReferenceToWrite, tools: ReferenceWriterTools) {
    this.#wanted = wanted;
    this.#tools = tools;
  }

  async append(bytes: Buffer): Promise<void> {
    if (this.#kept !== null) {
      await this.#kept.blob.append(bytes);
      return;
    }
    this.#head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    if (this.#head.length >= SNIFF_BYTES) await this.#begin();
    // A copy, because the caller may reuse its buffer.
    else this.#head = Buffer.from(this.#head);
  }

  /** Makes the bytes durable. */
  async commit(): Promise<StoredReference> {
    const { format, blob } = this.#kept ?? (await this.#begin());
    const written = await blob.commit();
    const now = this.#tools.clock.now();
    const { spaceId, owner, track, keptMs } = this.#wanted;
    const { kind, mimeType } = format;
    const named = { id: blob.name, spaceId, owner, track, kind, mimeType };
    this.#written = { ...named, ...written, createdAt: now, expiresAt: now + keptMs };
    return this.#written;
  }

  /** Makes it a reference of the space; after the commit, in the transaction of its user. */
  async adopt(tx: Transaction): Promise<void> {
    if (this.#kept === null || this.#written === null)
      throw new Error('a reference is adopted before it is written');
    await this.#kept.blob.adopt(tx);
    await insertReference(tx, this.#written);
  }

  /** Called after any error. Never throws. */
  async abort(): Promise<void> {
    await this.#kept?.blob.abort();
  }

  async #begin(): Promise<{ format: MediaFormat; blob: PendingBlob }> {
    const format = this.#wanted.accept(sniffFormat(this.#head));
    const { keeper, clock } = this.#tools;
    const head = this.#head;
    this.#head = Buffer.alloc(0);
    const blob = await keeper.write(newId('ref', clock.now()));
    this.#kept = { format, blob };
    await blob.append(head);
    return this.#kept;
  }
}
