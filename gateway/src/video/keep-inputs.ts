/**
 * What a video begins from, looked at before the job is accepted. References must be there and be of the
 * right kind; what was sent inside the request becomes a reference, so that a job holds none of it itself.
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
  /** Throws a Problem for an address that nobody should fetch for a caller. Without it there are no addresses. */
  readonly guard?: (url: string, param: string) => Promise<void>;
}

/** Bytes that came inside a request. */
interface SentInput extends Pick<MediaFormat, 'kind' | 'mimeType'> {
  readonly bytes: Buffer;
}

/** The URL as it stands in the job, or what is to become a reference. */
type CheckedInput = string | SentInput;
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
    if (source.kind === 'data') return readData(source.base64, field);
    if (tools.guard === undefined) {
      throw refusal(param, `${param} cannot be an address here; send a data URL or a reference.`);
    }
    if (!/^https:/i.test(url)) throw refusal(param, `${param} must be an https address.`);
    await tools.guard(url, param);
    return url;
  });
}

function readData(base64: string, { param, kinds }: InputField): SentInput {
  const bytes = Buffer.from(base64, 'base64');
  // The decoder skips what is not base64, and then there is less than there should be.
  if (bytes.length !== Buffer.byteLength(base64, 'base64')) {
    throw refusal(param, `${param} is not valid base64.`);
  }
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

/** Writes what came inside the request, to be kept until then. */
export async function keepInputs(
  { model: _, metadata: __, ...request }: VideoRequest,
  { inputs, principal, expiresAt }: { inputs: CheckedInputs; principal: Principal; expiresAt: Instant },
  { keeper, clock }: KeepTools,
): Promise<KeptInputs> {
  const kept: Array<{ blob: PendingBlob; reference: StoredReference }> = [];
  const abort = async (): Promise<void> => {
    for (const { blob } of kept) await blob.abort();
  };
  const keep = async (input: CheckedInput): Promise<string> => {
    if (typeof input === 'string') return input;
    const createdAt = clock.now();
    const blob = await keeper.write(newId('ref', createdAt));
    const { kind, mimeType, bytes } = input;
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

function refusal(param: string, detail: string): Problem {
  return new Problem('invalid_parameter', { detail, param });
}
