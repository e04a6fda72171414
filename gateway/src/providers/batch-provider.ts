/**
 * Batches that a provider runs itself: how they are handed in, found again, followed, stopped and read.
 * Every dialect does I/O in one file; how its words are read and written is pure.
 */
import type { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';

/** The words in which the body of a line is written. */
export type BatchDialect = 'chat' | 'responses' | 'messages' | 'embeddings';

export interface BatchProvider {
  /** Reads an error answer as a Problem for the caller. */
  problem(status: number, body: Buffer): Problem;
  /** What it takes in one batch. */
  readonly linesMax: number;
  readonly bytesMax: number;
  takes(dialect: BatchDialect): boolean;
  /** A line as it stands in the input. */
  writeLine(line: BatchLine): Buffer;

  /** Hands in the input, where batches are made of files. Nothing runs of it, so it may be done again. */
  readonly upload?: (input: BatchInput, signal: AbortSignal) => Promise<string>;
  /** Takes a file away, so that nobody can make a batch of it any more, however late they come. */
  readonly withdraw?: (fileId: string, signal: AbortSignal) => Promise<void>;
  /**
   * Makes the batch. Throws NotSent when it certainly was not made; a Problem when the provider refused;
   * anything else leaves open whether it was.
   */
  create(batch: BatchToCreate, signal: AbortSignal): Promise<ProviderBatch>;
  /** Looks for a batch whose making was never answered. */
  find(sent: SentBatch, signal: AbortSignal): Promise<FoundBatch>;
  /** Null when the provider has no such batch any more. */
  status(id: string, signal: AbortSignal): Promise<ProviderBatch | null>;
  /** Wished, not done: the status tells what became of it. */
  cancel(id: string, signal: AbortSignal): Promise<void>;

  /** The bytes of the results, in lines and in any order. Throws ResultsGone. */
  results(batch: ProviderBatch, signal: AbortSignal): AsyncIterable<Buffer>;
  /** Null when the line is no result. */
  readResult(line: Buffer): ProviderResult | null;
  /** Removes a batch and its files from the provider. */
  remove(batch: { id: string; fileId: string | null }, signal: AbortSignal): Promise<void>;
}

export interface BatchLine {
  /** Our own: letters, digits, `-` and `_`, 64 at the most. It begins with the id of the batch. */
  readonly customId: string;
  readonly dialect: BatchDialect;
  readonly body: Buffer;
}

export interface BatchInput {
  readonly batchId: string;
  readonly dialect: BatchDialect;
  readonly lines: number;
  /** Of all lines as `writeLine` wrote them. */
  readonly bytes: number;
  /** One for each line. */
  pieces(): AsyncIterable<Buffer>;
}

export interface BatchToCreate {
  readonly input: BatchInput;
  /** What `upload` answered. */
  readonly fileId: string | null;
  /** Asked at the last moment at which nothing can have been made; false ends it there. */
  mayAct(): Promise<boolean>;
}

export interface SentBatch {
  readonly batchId: string;
  readonly lines: number;
  /** Not later than the moment at which it was sent. */
  readonly sentAt: Instant;
  /** Whether a batch of the provider's is known to be another one of ours. */
  isOther(id: string): Promise<boolean>;
}

/** `unclear`: one that runs may be it, and will tell when it is done. */
export type FoundBatch = ProviderBatch | 'absent' | 'unclear';

export interface ProviderBatch {
  readonly id: string;
  readonly state: 'running' | 'completed' | 'failed' | 'cancelled' | 'expired';
  /** It was asked to stop already. */
  readonly stopping: boolean;
  /** Null where it tells none. */
  readonly counts: BatchCounts | null;
  /** Why it failed as a whole; masked. */
  readonly errors: readonly ProviderBatchError[];
  readonly resultFiles: readonly string[];
}

export interface BatchCounts {
  readonly total: number;
  readonly ok: number;
  /** Where `unrun` is null, those that never ran may be among them. */
  readonly failed: number;
  readonly unrun: number | null;
}

export interface ProviderBatchError {
  readonly problem: Problem;
  /** Counted from 1 in what was sent. */
  readonly line: number | null;
}

export interface ProviderResult {
  readonly customId: string;
  /** The body of the answer; why there is none; or `unrun`, when the line's turn never came. */
  readonly end: { readonly body: Buffer } | { readonly problem: Problem } | 'unrun';
}

/** The provider no longer has the results. */
export class ResultsGone extends Error {
  override readonly name = 'ResultsGone';
}

/** Two clocks may differ by this much. */
export const CLOCK_SKEW_MS = 5 * 60_000;
/** Pages of a list that are looked through, at most. */
export const PAGES_MAX = 1_000;
