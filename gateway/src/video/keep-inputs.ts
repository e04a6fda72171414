/**
 * What a video begins from, looked at before the job is accepted. References must be there and be of the
 * right kind; what was sent inside the request, or lies on the internet, becomes a reference. So a job holds none
 * of it itself, and nobody fetches anything for it later.
 */
import { ownerOf, type Principal } from '../access/principal.ts';
import { referenceKinds, referenceSchemes } from '../contract/references.ts';
import type { VideoRequest } from '../contract/video.ts';
import type { Transaction } from '../database/database.ts';
import type { BlobKeeper, PendingBlob } from '../files/blob-keeper.ts';
import { type MediaFormat, SNIFF_BYTES, sniffFormat } from '../files/media-format.ts';
import { insertReference, type StoredReference, touchReference } from '../files/references.store.ts';
import { findMediaReference, type MediaTools, readReference } from '../files/resolve-media.ts';
import { whenStored } from '../files/when-stored.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import { readMediaUrl } from '../text/read-media.ts';
import { type InputField, mapInputs, videoCallOf } from './video-call.ts';
import type { KeptRequest } from './video-jobs.store.ts';

export interface KeepTools extends MediaTools {
  readonly keeper: BlobKeeper;
  /**
   * The bytes at a public address, checked and fetched for a caller; throws a Problem that names the field.
   * Where there is none, addresses are not taken.
   */
  readonly fetch?: (url: string, wanted: { param: string; bytesMax: number }) => Promise<Buffer>;
}

/** Bytes that came inside a request. */
interface SentInput extends Pick<MediaFormat, 'kind' | 'mimeType'> {
  readonly bytes: Buffer;
}

/** The reference as it stands in the job, or what is to become one. */
type CheckedInput = string | SentInput | { readonly elsewhere: InputField };
export type CheckedInputs = Awaited<ReturnType<typeof checkInputs>>;

/** Nothing is kept yet. */
export async function checkInputs(request: VideoRequest, principal: Principal, tools: KeepTools) {
  return await mapInputs<CheckedInput>(videoCallOf(request).inputs, async (field) => {
    const { url, param, kinds } = field;
    if (readReference(url) !== null) {
      const { db, clock } = tools;
      const found = await findMediaReference(url, { spaceId: principal.spaceId, param, kinds }, tools);
      // It must be there for as long as the job can run.
      await whenStored(() => touchReference(db, found, clock.now()));
      return url;
    }
    const source = readMediaUrl(url, param);
    if (source.kind === 'data') return readBase64(source.base64, field);
    if (tools.fetch === undefined) {
      throw refusal(param, `${param} cannot be an address here; send a data URL or a reference.`);
    }
    return { elsewhere: field };
  });
}

function readBase64(base64: string, field: InputField): SentInput {
  const bytes = Buffer.from(base64, 'base64');
  // The decoder skips what is not base64, and then there is less than there should be.
  if (bytes.length !== Buffer.byteLength(base64, 'base64')) {
    throw refusal(field.param, `${field.param} is not valid base64.`);
  }
  return readBytes(bytes, field);
}

function readBytes(bytes: Buffer, { param, kinds }: InputField): SentInput {
  const sniffed = sniffFormat(bytes.subarray(0, SNIFF_BYTES));
  if (sniffed === null || !kinds.includes(sniffed.kind)) {
    const what = sniffed === null ? 'is something else' : `is ${sniffed.mimeType}`;
    throw refusal(param, `${param} takes ${kinds.join(' or ')}; what was sent ${what}.`);
  }
  const { bytesMax } = referenceKinds[sniffed.kind];
  if (bytes.length > bytesMax) throw refusal(param, `${param} must have at most ${bytesMax} bytes.`);
  const { kind, mimeType } = sniffed;
  return { kind, mimeType, bytes };
}

export interface KeptInputs {
  readonly request: KeptRequest;
  /** In the transaction of the job. */
  adopt(tx: Transaction): Promise<void>;
  /** When there will be no job. */
  abort(): Promise<void>;
}

/** Fetches and writes what is not a reference yet, to be kept until then. */
export async function keepInputs(
  { model: _, metadata: __, ...request }: VideoRequest,
  { inputs, principal, expiresAt }: { inputs: CheckedInputs; principal: Principal; expiresAt: Instant },
  tools: KeepTools,
): Promise<KeptInputs> {
  const { keeper, clock } = tools;
  const kept: Array<{ blob: PendingBlob; reference: StoredReference }> = [];
  const abort = async (): Promise<void> => {
    for (const { blob } of kept) await blob.abort();
  };
  const keep = async (input: CheckedInput): Promise<string> => {
    if (typeof input === 'string') return input;
    const { kind, mimeType, bytes } = 'elsewhere' in input ? await fetchInput(input.elsewhere, tools) : input;
    const createdAt = clock.now();
    const blob = await keeper.write(newId('ref', createdAt));
    const { spaceId } = principal;
    const facts = {
      id: blob.name,
      spaceId,
      owner: ownerOf(principal),
      track: 'file',
      kind,
      mimeType,
    } as const;
    kept.push({ blob, reference: { ...facts, bytes: bytes.length, sha256: '', createdAt, expiresAt } });
    await blob.append(bytes);
    await blob.commit();
    return `${referenceSchemes.file}${blob.name}`;
  };
  const one = async (input: CheckedInput | null): Promise<string | null> =>
    input === null ? null : await keep(input);
  try {
    const image_url = await one(inputs.image);
    const last_frame_url = await one(inputs.lastFrame);
    const reference_urls: string[] = [];
    for (const input of inputs.references) reference_urls.push(await keep(input));
    const video_url = await one(inputs.video);
    const audio_url = await one(inputs.audio);
    return {
      request: { ...request, image_url, last_frame_url, reference_urls, video_url, audio_url },
      async adopt(tx) {
        for (const { blob, reference } of kept) {
          await blob.adopt(tx);
          await insertReference(tx, { ...reference, ...blob.soFar() });
        }
      },
      abort,
    };
  } catch (error) {
    await abort();
    throw error;
  }
}

/** What is larger is uploaded as a reference. */
const FETCHED_BYTES_MAX = 30 * 1024 * 1024;

async function fetchInput(field: InputField, { fetch }: KeepTools): Promise<SentInput> {
  const { url, param } = field;
  const bytes = await fetch?.(url, { param, bytesMax: FETCHED_BYTES_MAX });
  return readBytes(bytes ?? Buffer.alloc(0), field);
}

function refusal(param: string, detail: string): Problem {
  return new Problem('invalid_parameter', { detail, param });
}
