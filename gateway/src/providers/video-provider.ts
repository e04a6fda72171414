/** The port for videos: a job is submitted, polled and downloaded. */
import type { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import type { MediaInput } from './media-input.ts';

/** A video request in neutral form. Null fields are not sent to the provider. */
export interface VideoCall {
  readonly prompt: string;
  readonly seconds: number | null;
  readonly aspectRatio: string | null;
  /** For example `720p`. */
  readonly resolution: string | null;
  readonly fps: number | null;
  readonly seed: number | null;
  readonly audio: boolean | null;
  readonly videos: number;
  readonly inputs: VideoInputs<unknown>;
}

/** The media inputs of a video; each is a MediaInput when it is sent. */
export interface VideoInputs<Input> {
  readonly image: Input | null;
  readonly lastFrame: Input | null;
  readonly references: readonly Input[];
  readonly video: Input | null;
  readonly audio: Input | null;
}

export interface VideoProvider {
  /** Maps an error answer to a Problem for the caller. */
  problem(status: number, body: Buffer): Problem;
  /** Throws a Problem that names a field the dialect does not support. Called before a job is accepted. */
  check(call: VideoCall, upstreamModel: string): void;
  /**
   * Submits the job. Throws NotSent if it was certainly not created, and a Problem if the provider rejected
   * it. After any other error it may exist.
   */
  create(video: VideoToCreate, signal: AbortSignal): Promise<ProviderVideo>;
  /**
   * Looks for a job whose create request got no answer. `unknowable`: the provider has no look-up, or the
   * answer does not identify our job.
   */
  find(sent: SentVideo, signal: AbortSignal): Promise<FoundVideo>;
  /** Null when the provider does not have the job any more. */
  status(id: string, signal: AbortSignal): Promise<ProviderVideo | null>;
  /** Requests cancellation; the status shows the outcome. Absent if the provider cannot cancel. */
  readonly cancel?: (id: string, signal: AbortSignal) => Promise<void>;
  /** Streams the bytes of a file. Throws FileGone. */
  open(file: ProviderFile, signal: AbortSignal): AsyncIterable<Buffer>;
  /** Deletes the job at the provider. Absent if the provider cannot delete. */
  readonly remove?: (id: string, signal: AbortSignal) => Promise<void>;
}

export interface VideoToCreate {
  /** Our id; sent if the provider has a field for it. */
  readonly jobId: string;
  readonly upstreamModel: string;
  readonly call: VideoCall & { readonly inputs: VideoInputs<MediaInput> };
  /** Asked at the last moment before something can be created; false aborts. */
  mayAct(): Promise<boolean>;
}

export interface SentVideo {
  readonly jobId: string;
  readonly upstreamModel: string;
  readonly call: VideoCall;
  /** At or before the time it was sent. */
  readonly sentAt: Instant;
  /** Whether a provider's job belongs to another of our jobs. */
  isOther(id: string): Promise<boolean>;
}

export type FoundVideo = ProviderVideo | 'absent' | 'unknowable';

export interface ProviderVideo {
  readonly id: string;
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** In percent; null if unknown. */
  readonly progress: number | null;
  /** Set once the job succeeded. */
  readonly files: readonly ProviderFile[];
  /** Why it failed; masked. */
  readonly problem: Problem | null;
  /** Total of all files as the provider counts and charges them; null if unknown. */
  readonly seconds: number | null;
  /** The provider charges for it although it failed. */
  readonly charged: boolean;
}

export interface ProviderFile {
  /** The job that created it, and its location as `open` expects it. */
  readonly videoId: string;
  readonly place: string;
  readonly mimeType: string;
}

/** The provider does not have the file any more. */
export class FileGone extends Error {
  override readonly name = 'FileGone';
}
