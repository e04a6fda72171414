/**
 * Blobs as objects in an S3-compatible bucket. A small blob is uploaded when it is committed; a larger one is uploaded in
 * parts while it is written, and becomes visible only when complete. The SDK finds the credentials itself: environment,
 * profile, instance role.
 */

import { createHash } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { MIB } from '../kernel/bytes.ts';
import { DAY_MS } from '../kernel/durations.ts';
import type { Secret } from '../kernel/secret.ts';
import { type Instant, systemClock } from '../kernel/time.ts';
import {
  type BlobRange,
  type BlobSink,
  type Blobs,
  BlobsUnavailable,
  checkBlobName,
  type PresignOptions,
  type WrittenBlob,
} from './blobs.ts';

export interface S3Settings {
  readonly bucket: string;
  readonly region: string;
  /** Of a store other than Amazon's. */
  readonly endpoint: string | null;
  /** Before every name, such as `tollgate/`. */
  readonly prefix: string;
}

/** The protocol's minimum is 5 MiB; 200 MB are 24 parts. One part is held in memory at a time. */
const PART_BYTES = 8 * MIB;
const ATTEMPTS_MAX = 3;
const CONNECT_MS = 3_000;
/** The SDK itself would wait forever. A part of an upload has to arrive within it, and so has each piece of a download. */
const BUCKET_ANSWER_MS = 15_000;
const SOCKETS_MAX = 50;
/** No upload takes longer. */
const UPLOAD_MS_MAX = DAY_MS;

interface Place {
  readonly Bucket: string;
  readonly Key: string;
}

export class S3Blobs implements Blobs {
  readonly #client: S3Client;
  readonly #settings: S3Settings;
  readonly #answerMs: number;

  constructor(settings: S3Settings, proxyUrl: Secret | null = null, answerMs = BUCKET_ANSWER_MS) {
    const { region, endpoint } = settings;
    this.#settings = settings;
    this.#answerMs = answerMs;
    this.#client = new S3Client({
      region,
      maxAttempts: ATTEMPTS_MAX,
      ...(endpoint !== null && { endpoint, forcePathStyle: true }),
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        requestTimeout: answerMs,
        throwOnRequestTimeout: true,
        ...(proxyUrl !== null && agentsThrough(proxyUrl)),
      },
      // Other stores do not support the checksums that the SDK uses by default.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  async write(name: string): Promise<BlobSink> {
    return new S3Sink(this.#client, this.#place(name));
  }

  async open(name: string, range?: BlobRange): Promise<Readable | null> {
    const place = this.#place(name);
    const Range = range && `bytes=${range.start}-${range.end}`;
    const found = await orNull(() =>
      this.#client.send(new GetObjectCommand({ ...place, ...(Range && { Range }) })),
    );
    const body = found?.Body as Readable | undefined;
    return body === undefined ? null : Readable.from(readPieces(body, this.#answerMs), { objectMode: false });
  }

  async stat(name: string): Promise<{ bytes: number } | null> {
    const place = this.#place(name);
    const found = await orNull(() => this.#client.send(new HeadObjectCommand(place)));
    return found === null ? null : { bytes: found.ContentLength ?? 0 };
  }

  async delete(name: string): Promise<void> {
    const place = this.#place(name);
    await orNull(() => this.#client.send(new DeleteObjectCommand(place)));
  }

  /** Unfinished uploads cost money without being visible. Stores that cannot list them clean up by their own rules. */
  async removeLeftovers(before: Instant): Promise<void> {
    const { bucket: Bucket, prefix: Prefix } = this.#settings;
    const listed = await this.#client
      .send(new ListMultipartUploadsCommand({ Bucket, Prefix }))
      .catch(() => null);
    for (const { Key, UploadId, Initiated } of listed?.Uploads ?? []) {
      // The store reports when an upload began, not when its last part arrived.
      if (Initiated === undefined || Initiated.getTime() >= before - UPLOAD_MS_MAX) continue;
      await this.#client
        .send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
        .catch(() => undefined);
    }
  }

  async presign(name: string, options: PresignOptions): Promise<string> {
    const { seconds, contentType, contentDisposition } = options;
    const command = new GetObjectCommand({
      ...this.#place(name),
      ResponseContentType: contentType,
      ResponseContentDisposition: contentDisposition,
    });
    return await orUnavailable(() => getSignedUrl(this.#client, command, { expiresIn: seconds }));
  }

  #place(name: string): Place {
    checkBlobName(name);
    return { Bucket: this.#settings.bucket, Key: `${this.#settings.prefix}${name}` };
  }
}

/** The SDK's own settings plus a proxy. The caller has applied NO_PROXY already. */
function agentsThrough(proxyUrl: Secret): { httpAgent: HttpAgent; httpsAgent: HttpsAgent } {
  const url = proxyUrl.reveal();
  const options = {
    keepAlive: true,
    maxSockets: SOCKETS_MAX,
    proxyEnv: { HTTP_PROXY: url, HTTPS_PROXY: url },
  };
  return { httpAgent: new HttpAgent(options), httpsAgent: new HttpsAgent(options) };
}

class S3Sink implements BlobSink {
  readonly #client: S3Client;
  readonly #place: Place;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  /** The part that is being filled; the buffer is reused for all parts. */
  #part: Buffer | null = null;
  #filled = 0;
  #uploadId: string | null = null;
  readonly #parts: Array<{ PartNumber: number; ETag: string | undefined }> = [];
  committed = false;

  constructor(client: S3Client, place: Place) {
    this.#client = client;
    this.#place = place;
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    // Untouched memory is not allocated by the system, so a small blob costs little.
    this.#part ??= Buffer.allocUnsafeSlow(PART_BYTES);
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + PART_BYTES - this.#filled);
      this.#part.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
      if (this.#filled === PART_BYTES) await orUnavailable(() => this.#sendPart());
    }
  }

  soFar(): WrittenBlob {
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }

  async commit(): Promise<WrittenBlob> {
    await orUnavailable(async () => {
      if (this.#uploadId === null) {
        this.committed = true;
        await this.#client.send(new PutObjectCommand({ ...this.#place, Body: this.#content() }));
      } else {
        if (this.#filled > 0) await this.#sendPart();
        const MultipartUpload = { Parts: this.#parts };
        const upload = { ...this.#place, UploadId: this.#uploadId, MultipartUpload };
        this.committed = true;
        await this.#client.send(new CompleteMultipartUploadCommand(upload));
      }
    });
    return this.soFar();
  }

  async abort(): Promise<void> {
    if (this.committed) return;
    this.#part = null;
    if (this.#uploadId === null) return;
    const upload = { ...this.#place, UploadId: this.#uploadId };
    // If this fails, the upload is aborted later as a leftover.
    await this.#client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
  }

  async #sendPart(): Promise<void> {
    if (this.#uploadId === null) {
      const begun = await this.#client.send(new CreateMultipartUploadCommand(this.#place));
      if (begun.UploadId === undefined) throw new Error('the store returned no upload id');
      this.#uploadId = begun.UploadId;
    }
    const PartNumber = this.#parts.length + 1;
    const part = { ...this.#place, UploadId: this.#uploadId, PartNumber, Body: this.#content() };
    const { ETag } = await this.#client.send(new UploadPartCommand(part));
    this.#parts.push({ PartNumber, ETag });
    this.#filled = 0;
  }

  #content(): Buffer {
    return this.#part?.subarray(0, this.#filled) ?? Buffer.alloc(0);
  }
}

/** The deadline runs only while a piece is requested, so a slow reader is not mistaken for a silent bucket. */
async function* readPieces(body: Readable, answerMs: number): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    for (;;) {
      const cancel = systemClock.after(answerMs, () =>
        body.destroy(new Error(`no answer within ${answerMs} ms`)),
      );
      const { value, done } = await orUnavailable(() => pieces.next().finally(cancel));
      if (done) return;
      yield value;
    }
  } finally {
    body.destroy();
  }
}

async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  return await orUnavailable(async () => {
    try {
      return await work();
    } catch (error) {
      if (['NoSuchKey', 'NotFound'].includes((error as Error).name)) return null;
      throw error;
    }
  });
}

/** Callers treat every error of the store alike: they can only retry later. */
async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new BlobsUnavailable(`blobs in S3: ${(error as Error).name}`, { cause: error });
  }
}
