/** What tests of the providers' videos share: calls, pictures to begin from, and ways to wait. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProviderSettings } from '../../src/catalog/provider-settings.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { systemClock } from '../../src/kernel/time.ts';
import type { MediaInput } from '../../src/providers/media-input.ts';
import type { ProviderTools } from '../../src/providers/provider.ts';
import { ProviderMask } from '../../src/providers/provider-mask.ts';
import type {
  ProviderFile,
  ProviderVideo,
  SentVideo,
  VideoCall,
  VideoInputs,
  VideoProvider,
  VideoToCreate,
} from '../../src/providers/video-provider.ts';

export const API_KEY = 'sk-sim-k3y-0123456789';
export const { signal } = new AbortController();

export const tools: ProviderTools = {
  clock: systemClock,
  connectTimeoutMs: 2_000,
  silenceTimeoutMs: 5_000,
  callTotalMs: 60_000,
  transferTotalMs: 60_000,
  mask: ProviderMask.knowing(API_KEY),
};

export function settingsOf(
  given: Pick<ProviderSettings, 'dialect' | 'baseUrl'> & Partial<ProviderSettings>,
): ProviderSettings {
  const plain = { name: 'p', vendor: null, region: null, simulated: true, video: null };
  return { ...plain, apiKey: new Secret(API_KEY), ...given } as ProviderSettings;
}

export const noInputs: VideoInputs<MediaInput> = {
  image: null,
  lastFrame: null,
  references: [],
  video: null,
  audio: null,
};

type Call = VideoCall & { readonly inputs: VideoInputs<MediaInput> };

export function callFor(prompt: string, more: Partial<Call> = {}): Call {
  return {
    ...{ prompt, seconds: null, aspectRatio: null, resolution: null, fps: null, seed: null, audio: null },
    ...{ videos: 1, inputs: noInputs },
    ...more,
  };
}

/** Bytes that come in small pieces, as those of a file do. */
export function inputOf(
  bytes: Buffer,
  mimeType: string,
  names: { url?: string; asset?: string } = {},
): MediaInput {
  return {
    mimeType,
    bytes: bytes.length,
    async *pieces() {
      for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
    },
    url: async () => names.url ?? null,
    asset: async () => names.asset ?? null,
  };
}

export function toCreate(
  model: string,
  call: Call,
  more: Partial<Pick<VideoToCreate, 'jobId' | 'mayAct'>> = {},
): VideoToCreate {
  return { jobId: 'job_1', upstreamModel: model, call, mayAct: async () => true, ...more };
}

export function sentOf(
  model: string,
  call: VideoCall,
  more: Partial<Pick<SentVideo, 'jobId' | 'isOther' | 'sentAt'>> = {},
): SentVideo {
  const sent = { jobId: 'job_1', sentAt: systemClock.now() - 5_000, isOther: async () => false };
  return { ...sent, upstreamModel: model, call, ...more };
}

/** Looks until it has ended; every look on the way is in `seen`. */
export async function untilEnded(
  videos: VideoProvider,
  id: string,
  seen: ProviderVideo[] = [],
): Promise<ProviderVideo> {
  for (;;) {
    const video = await videos.status(id, signal);
    if (video === null) throw new Error(`there is no ${id}`);
    seen.push(video);
    if (video.state !== 'queued' && video.state !== 'running') return video;
    await pause(10);
  }
}

export async function fetchFile(videos: VideoProvider, file: ProviderFile): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of videos.open(file, signal)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** One at which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
