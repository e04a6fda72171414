/**
 * How a provider makes videos: a job that is handed in, followed and fetched. Every dialect does I/O in one
 * file; how its words are read and written is pure.
 */
import type { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import type { MediaInput } from './media-input.ts';

/** What is asked, in the words of no provider. Null is not said to the provider either. */
export interface VideoCall {
  readonly prompt: string;
  readonly seconds: number | null;
  readonly aspectRatio: string | null;
  /** Such as `720p`. */
  readonly resolution: string | null;
  readonly fps: number | null;
  readonly seed: number | null;
  readonly audio: boolean | null;
  readonly videos: number;
  readonly inputs: VideoInputs<unknown>;
}

/** What a video begins from; before it is sent each is a MediaInput. */
export interface VideoInputs<Input> {
  readonly image: Input | null;
  readonly lastFrame: Input | null;
  readonly references: readonly Input[];
  readonly video: Input | null;
  readonly audio: Input | null;
}

export interface VideoProvider {
  /** Reads an error answer as a Problem for the caller. */
  problem(status: number, body: Buffer): Problem;
  /** Throws a Problem, naming the field, for what the dialect has no word for. Asked before a job is accepted. */
  check(call: VideoCall, upstreamModel: string): void;
  /**
   * Hands in the job. Throws NotSent when it certainly was not taken; a Problem when the provider refused;
   * anything else leaves open whether it was.
   */
  create(video: VideoToCreate, signal: AbortSignal): Promise<ProviderVideo>;
  /**
   * Looks for a job whose creation was never answered. `unknowable`: the provider cannot be asked, or its
   * answer does not say which is ours.
   */
  find(sent: SentVideo, signal: AbortSignal): Promise<FoundVideo>;
  /** Null when the provider has no such job any more. */
  status(id: string, signal: AbortSignal): Promise<ProviderVideo | null>;
  /** Wished, not done: the status tells what became of it. Absent where a provider cannot stop one. */
  readonly cancel?: (id: string, signal: AbortSignal) => Promise<void>;
  /** The bytes of one of its files, as they come. Throws FileGone. */
  open(file: ProviderFile, signal: AbortSignal): AsyncIterable<Buffer>;
  /** Removes what the provider keeps of it. Absent where it cannot be asked to. */
  readonly remove?: (id: string, signal: AbortSignal) => Promise<void>;
}

export interface VideoToCreate {
  /** Ours: goes along wherever the provider has a place for it. */
  readonly jobId: string;
  readonly upstreamModel: string;
  readonly call: VideoCall & { readonly inputs: VideoInputs<MediaInput> };
  /** Asked at the last moment at which nothing can have been made; false ends it there. */
  mayAct(): Promise<boolean>;
}

export interface SentVideo {
  readonly jobId: string;
  readonly upstreamModel: string;
  readonly call: VideoCall;
  /** Not later than the moment at which it was sent. */
  readonly sentAt: Instant;
  /** Whether a job of the provider's is known to be another one of ours. */
  isOther(id: string): Promise<boolean>;
}

export type FoundVideo = ProviderVideo | 'absent' | 'unknowable';

export interface ProviderVideo {
  readonly id: string;
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** Of a hundred; null where it does not tell. */
  readonly progress: number | null;
  /** Once it has succeeded. */
  readonly files: readonly ProviderFile[];
  /** Why it failed; masked. */
  readonly problem: Problem | null;
  /** Of all files together, as the provider counts and charges them; null where it does not tell. */
  readonly seconds: number | null;
  /** The provider says that it charges for it, though it failed. */
  readonly charged: boolean;
}

export interface ProviderFile {
  /** The job that made it, and where it is: words of the provider's that `open` understands. */
  readonly videoId: string;
  readonly place: string;
  readonly mimeType: string;
}

/** The provider no longer has the file. */
export class FileGone extends Error {
  override readonly name = 'FileGone';
}
