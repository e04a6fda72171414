/**
 * Checks the inputs of a video before the job is accepted. References must exist and have the right kind. Data URLs and
 * web addresses are stored as references, so the job holds no bytes and the provider gets exactly what was checked.
 */
import { ownerOf, type Principal } from '../access/principal.ts';
import { referenceKinds, referenceSchemes } from '../contract/reference-kinds.ts';
import type { VideoRequest } from '../contract/video.ts';
import type { Transaction } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { MediaFormat } from '../media/media-format.ts';
import { ReferenceWriter, type ReferenceWriterTools } from '../media/reference-writer.ts';
import { touchReference } from '../media/references.store.ts';
import { findMediaReference, type MediaTools, readReference } from '../media/resolve-media.ts';
import type { AddressGuard } from '../net/address-guard.ts';
import { fetchPublicTo } from '../net/fetch-public.ts';
import type { Proxies } from '../net/proxies.ts';
import { readMediaUrl } from '../text/read-media.ts';
import { type InputField, mapInputs, videoCallOf } from './video-call.ts';
import type { KeptRequest } from './video-jobs.store.ts';

export interface KeepTools extends MediaTools, ReferenceWriterTools {
  readonly guard: Pick<AddressGuard, 'check'>;
  /** Default: connect directly. */
  readonly proxies?: Proxies;
}

/** The time limit for downloads: the caller waits for them. */
const FETCH_MS_MAX = 60_000;

export interface KeptInputs {
  readonly request: KeptRequest;
  /** Call in the transaction that inserts the job. */
  adopt(tx: Transaction): Promise<void>;
  /** Call when the job is not inserted. */
  abort(): Promise<void>;
}

/** On an error nothing is stored, and the Problem names the field. */
export async function keepInputs(
  requested: VideoRequest,
  of: { principal: Principal; keptMs: number },
  tools: KeepTools,
): Promise<KeptInputs> {
  const { model: _, metadata: __, ...request } = requested;
  const writers: ReferenceWriter[] = [];
  const abort = async (): Promise<void> => {
    for (const writer of writers) await writer.abort();
  };
  try {
    const inputs = await mapInputs(videoCallOf(request).inputs, async (field) => {
      if (readReference(field.url) !== null) return await checkReference(field, of.principal, tools);
      const writer = new ReferenceWriter(referenceFor(field, of), tools);
      writers.push(writer);
      await write(field, writer, tools);
      return `${referenceSchemes.file}${(await writer.commit()).id}`;
    });
    const { image, lastFrame, references, video, audio } = inputs;
    return {
      request: {
        ...request,
        image_url: image,
        last_frame_url: lastFrame,
        reference_urls: [...references],
        video_url: video,
        audio_url: audio,
      },
      async adopt(tx) {
        for (const writer of writers) await writer.adopt(tx);
      },
      abort,
    };
  } catch (error) {
    await abort();
    throw error;
  }
}

async function checkReference(field: InputField, { spaceId }: Principal, tools: KeepTools): Promise<string> {
  const { url, param, kinds } = field;
  const found = await findMediaReference(url, { spaceId, param, kinds }, tools);
  // Extends its life to cover the job.
  await whenAvailable(() => touchReference(tools.db, found, tools.clock.now()));
  return url;
}

function referenceFor({ param, kinds }: InputField, of: { principal: Principal; keptMs: number }) {
  return {
    spaceId: of.principal.spaceId,
    owner: ownerOf(of.principal),
    track: 'file' as const,
    keptMs: of.keptMs,
    accept(format: MediaFormat | null): MediaFormat {
      if (format !== null && kinds.includes(format.kind)) return format;
      const what = format === null ? 'has an unknown format' : `is ${format.mimeType}`;
      throw invalidParameter(param, `${param} takes ${kinds.join(' or ')}; the content ${what}.`);
    },
  };
}

async function write(field: InputField, writer: ReferenceWriter, tools: KeepTools): Promise<void> {
  const { url, param } = field;
  const bytesMax = Math.max(...field.kinds.map((kind) => referenceKinds[kind].bytesMax));
  const source = readMediaUrl(url, param);
  if (source.kind === 'data') {
    const bytes = Buffer.from(source.base64, 'base64');
    // The decoder skips invalid characters, so invalid base64 yields fewer bytes.
    if (bytes.length !== Buffer.byteLength(source.base64, 'base64')) {
      throw invalidParameter(param, `${param} is not valid base64.`);
    }
    if (bytes.length > bytesMax) throw invalidParameter(param, `${param} is larger than ${bytesMax} bytes.`);
    await writer.append(bytes);
    return;
  }
  const limits = { bytesMax, totalMs: FETCH_MS_MAX };
  const onPiece = (piece: Buffer): Promise<void> => writer.append(piece);
  await fetchPublicTo(url, { param, schemes: ['https'], limits }, { ...tools, onPiece });
}

function invalidParameter(param: string, detail: string): Problem {
  return new Problem('invalid_parameter', { detail, param });
}
