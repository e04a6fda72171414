/** The port for batches that a provider runs: submit, look up, poll, cancel, read results. */
import type { BatchKind } from '../contract/paid-endpoints.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';

/** The dialect in which the body of a line is written. */
export type BatchDialect = BatchKind | 'messages';

export interface BatchProvider {
  /** Maps an error answer to a Problem for the caller. */
  problem(status: number, body: Buffer): Problem;
  /** Limits of one batch. */
  readonly linesMax: number;
  readonly bytesMax: number;
  takes(dialect: BatchDialect): boolean;
  /** A line as it is written to the input. */
  writeLine(line: BatchLine): Buffer;

  /** Uploads the input, if batches are created from files. An upload runs nothing, so it may be repeated. */
  readonly upload?: (input: BatchInput, signal: AbortSignal) => Promise<string>;
  /** Deletes a file, so that a late create request can no longer use it. */
  readonly withdraw?: (fileId: string, signal: AbortSignal) => Promise<void>;
  /**
   * Creates the batch. Throws NotSent if it was certainly not created, and a Problem if the provider rejected
   * it. After any other error it may exist.
   */
  create(batch: BatchToCreate, signal: AbortSignal): Promise<ProviderBatch>;
  /** Looks for a batch whose create request got no answer. */
  find(sent: SentBatch, signal: AbortSignal): Promise<FoundBatch>;
  /** Null when the provider does not have the batch any more. */
  status(id: string, signal: AbortSignal): Promise<ProviderBatch | null>;
  /** Requests cancellation; the status shows the outcome. */
  cancel(id: string, signal: AbortSignal): Promise<void>;

  /** The result lines as bytes, in any order. Throws ResultsGone. */
  results(batch: ProviderBatch, signal: AbortSignal): AsyncIterable<Buffer>;
  /** Null when the line is not a result. */
  readResult(line: Buffer): ProviderResult | null;
  /** Deletes a batch and its files at the provider. */
  remove(batch: { id: string; fileId: string | null }, signal: AbortSignal): Promise<void>;
}

export interface BatchLine {
  /** Our own id: at most 64 letters, digits, `-` and `_`. It starts with the id of the batch. */
  readonly customId: string;
  readonly dialect: BatchDialect;
  readonly body: Buffer;
}

export interface BatchInput {
  readonly batchId: string;
  readonly dialect: BatchDialect;
  readonly lines: number;
  /** The total size of all lines as `writeLine` wrote them. */
  readonly bytes: number;
  /** One buffer for each line. */
  pieces(): AsyncIterable<Buffer>;
}

export interface BatchToCreate {
  readonly input: BatchInput;
  /** The result of `upload`. */
  readonly fileId: string | null;
  /** Asked at the last moment before something can be created; false aborts. */
  mayAct(): Promise<boolean>;
}

export interface SentBatch {
  readonly batchId: string;
  readonly lines: number;
  /** At or before the time it was sent. */
  readonly sentAt: Instant;
  /** Whether a provider's batch belongs to another of our batches. */
  isOther(id: string): Promise<boolean>;
}

/** `unclear`: a running batch may be the one; its results will show it. */
export type FoundBatch = ProviderBatch | 'absent' | 'unclear';

export interface ProviderBatch {
  readonly id: string;
  readonly state: 'running' | 'completed' | 'failed' | 'cancelled' | 'expired';
  /** Cancellation was already requested. */
  readonly stopping: boolean;
  /** Null if the provider sends none. */
  readonly counts: BatchCounts | null;
  /** Why the whole batch failed; masked. */
  readonly errors: readonly ProviderBatchError[];
  readonly resultFiles: readonly string[];
}

export interface BatchCounts {
  readonly total: number;
  readonly ok: number;
  /** If `unrun` is null, this may include lines that never ran. */
  readonly failed: number;
  readonly unrun: number | null;
}

export interface ProviderBatchError {
  readonly problem: Problem;
  /** Line number in the input, from 1. */
  readonly line: number | null;
}

export interface ProviderResult {
  readonly customId: string;
  /** The answer body, the reason why there is none, or `unrun` for a line that was never started. */
  readonly end: { readonly body: Buffer } | { readonly problem: Problem } | 'unrun';
}

/** The provider does not have the results any more. */
export class ResultsGone extends Error {
  override readonly name = 'ResultsGone';
}

/** The largest difference between our clock and the provider's. */
export const CLOCK_SKEW_MS = 5 * 60_000;
/** The most pages of a list that are read. */
export const PAGES_MAX = 1_000;
