/** The interface of a text format (chat, responses, messages). */
import type { JsonObject } from '../json/parse-json.ts';
import type { JsonEdit } from '../json/replace-values.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Units } from '../kernel/units.ts';
import type { AskedPart } from '../pricing/asked-parts.ts';
import type { ImageKind } from '../pricing/price.ts';
import type { Usage, UsageDetails } from '../pricing/usage.ts';
import type { MediaAddress } from './media-address.ts';
import type { TextCall, TextField } from './text-call.ts';
import type { StreamFault, TextEvent } from './text-event.ts';
import type { TextFeatures } from './text-features.ts';
import type { TextResult } from './text-result.ts';

export type TextFormatName = 'chat' | 'responses' | 'messages';

/** `Request` is the checked body. Every function is pure. */
export interface TextFormat<Request> {
  readonly name: TextFormatName;
  /** The format's names for the neutral fields, for errors. */
  readonly fieldNames: Readonly<Record<TextField, string>>;
  /** Builds the error for an unsupported field, if the format has its own form for it. */
  refuse?(name: string, limit: string, model: string): Problem;
  features(request: Request): TextFeatures;
  /** All URLs that have to be fetched. */
  addresses(request: Request): readonly MediaAddress[];
  /** Media types in its images to be written in the usual way. */
  mediaTypes(request: Request): readonly JsonEdit[];
  /** The texts of the prompt, for counting tokens. */
  promptTexts(request: Request): string[];
  /** What needs a price besides the tokens of text; writes to a cache only if `cacheWrites`, because finding them takes time. */
  askedParts(request: Request, of: { cacheWrites: boolean }): readonly AskedPart[];
  /** Throws a Problem for a field without a neutral meaning. */
  readCall(request: Request): TextCall;

  /** Relay: the caller's bytes with only the necessary changes. */
  relayRequest(body: JsonObject, target: RelayTarget): Buffer;
  /** Null when the bytes are not an answer of this format. */
  relayAnswer(bytes: Buffer, context: AnswerContext<Request>): WholeAnswer | null;
  relayStream(context: AnswerContext<Request>): AnswerStream;

  /** Translation: a new body. Decoded text, not a byte string. */
  writeAnswer(result: TextResult, context: AnswerContext<Request>, end: AnswerEnd): string;
  writeStream(context: AnswerContext<Request>): TextStreamWriter;
  /** The items of an answer that later calls may refer to, in formats that store them. */
  outputItems?(result: TextResult, context: AnswerContext<Request>): readonly unknown[];
  /** The answer without its items and its cost, in formats that store it. */
  answerHead?(result: TextResult, context: AnswerContext<Request>, usage: Usage): AnswerHead;
}

export type AnswerHead = Readonly<Record<string, unknown>>;

/** What must change in a relayed body. */
export interface RelayTarget {
  readonly upstreamModel: string;
  /** The field in which this model expects the output cap; null: do not change it. */
  readonly outputCapField: 'max_tokens' | 'max_completion_tokens' | null;
  /** False for servers that reject a request for the usage of a stream (they always send it). */
  readonly asksUsage: boolean;
  /** Whether the model can think; null: unknown. */
  readonly thinks: boolean | null;
  /** What else the model does not take; absent: nothing. */
  readonly edits?: RelayEdits;
}

/** Fields of a relayed body with new values in JSON, and fields that are left out. */
export interface RelayEdits {
  readonly changes: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
}

/** Data of an answer that does not come from the provider. */
export interface AnswerContext<Request> {
  readonly request: Request;
  /** The request id; ids of answers and their parts are derived from it. */
  readonly callId: string;
  /** The model code the caller knows. */
  readonly model: string;
  readonly createdSeconds: number;
  /** The number of requested answers. */
  readonly answers: number;
}

export interface AnswerEnd {
  readonly usage: Usage | null;
  readonly cost: Units | null;
  /**
   * False if the answer should have been stored for later calls but was not; the responses format reports it.
   */
  readonly kept?: boolean;
}

/** What is sent: a byte string, or the pieces of a large body, which are not joined. */
export type ShownBody = string | readonly Buffer[];

/** A whole answer that was read but not yet sent to the caller. */
export interface WholeAnswer<Shown extends ShownBody = string> {
  readonly usage: Usage | null;
  /** For an answer without usage: the tools that the provider ran and the tier, as far as it shows them. */
  seenDetails?(): UsageDetails | undefined;
  /** The provider's own value. */
  readonly finishReason: string | null;
  texts(): string[];
  /** The number and kind of images, for image calls. */
  readonly images?: number;
  readonly imageKind?: ImageKind;
  /** Absent: JSON. */
  readonly contentType?: string;
  /** The body for the caller; called once the cost is durable. */
  body(end: AnswerEnd): Shown;
  /** See `TextFormat.outputItems`. */
  output?(): readonly unknown[];
  /** See `TextFormat.answerHead`. */
  head?(usage: Usage): AnswerHead;
}

/**
 * Converts a provider's stream for the caller. Returned frames are sent immediately; the end of the stream is
 * sent only with the cost.
 */
export interface AnswerStream {
  /** `data` and the returned frames are byte strings. */
  frame(data: string, event: string): string;
  /** True when the answer is complete. */
  readonly complete: boolean;
  readonly usage: Usage | null;
  /** Counts sent during the stream: final for the prompt, not for the output. */
  readonly usageSoFar?: Usage | null;
  /** As in a whole answer. */
  readonly seenDetails?: UsageDetails | undefined;
  readonly fault: StreamFault | null;
  readonly finishReason: string | null;
  /** The texts so far, and the number of frame characters that are not included. */
  produced(): { texts: string[]; restCharacters: number };
  ending(end: AnswerEnd): string;
  /** The last frames of a failed stream, without an end marker. */
  failure(problem: Problem, errorRef: string): string;
  /** An event for a silent stream, in formats that have one; empty if it may not be sent yet. */
  keepAlive?(): string;
  /** See `TextFormat.outputItems`; complete once the stream is. */
  output?(): readonly unknown[];
  /** See `TextFormat.answerHead`; for a complete stream. */
  head?(usage: Usage): AnswerHead;
}

/** Writes the frames of one format from events. Returns decoded text, not byte strings. */
export interface TextStreamWriter {
  event(event: TextEvent): string;
  /** The frames that end the stream, after all `finish` events. */
  ending(end: AnswerEnd): string;
  failure(problem: Problem, errorRef: string): string;
  /** As in `AnswerStream`; a byte string. */
  keepAlive?(): string;
  output?(): readonly unknown[];
  head?(usage: Usage): AnswerHead;
}
