/** What the gateway needs of a text format (chat, responses, messages), and how its answers are read. */
import type { JsonObject } from '../kernel/json/parse-json.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Units } from '../kernel/units.ts';
import type { ImageKind } from '../pricing/price.ts';
import type { Usage } from '../pricing/usage.ts';
import type { MediaAddress } from './media-address.ts';
import type { TextCall, TextField } from './text-call.ts';
import type { StreamFault, TextEvent } from './text-event.ts';
import type { TextFeatures } from './text-features.ts';
import type { TextResult } from './text-result.ts';

export type TextFormatName = 'chat' | 'responses' | 'messages';

/** `Request` is the checked body. Every function is pure. */
export interface TextFormat<Request> {
  readonly name: TextFormatName;
  /** The format's own names of the neutral fields, for refusals. */
  readonly fieldNames: Readonly<Record<TextField, string>>;
  /** Refuses a neutral field in the format's own words, where it has such. */
  refuse?(name: string, limit: string, model: string): Problem;
  features(request: Request): TextFeatures;
  /** Whatever somebody has to fetch. Throws a Problem for files of a provider's. */
  addresses(request: Request): readonly MediaAddress[];
  /** The words of the prompt, for counting tokens. */
  promptTexts(request: Request): string[];
  /** Throws a Problem for a field that has no neutral meaning. */
  readCall(request: Request): TextCall;

  /** Same dialect on both sides: the caller's own bytes but for what must differ. */
  relayRequest(body: JsonObject, target: RelayTarget): Buffer;
  /** Null when the bytes are no answer of this format. */
  relayAnswer(bytes: Buffer, context: AnswerContext<Request>): WholeAnswer | null;
  relayStream(context: AnswerContext<Request>): AnswerStream;

  /** Another dialect: written anew. The text is decoded, not bytes. */
  writeAnswer(result: TextResult, context: AnswerContext<Request>, end: AnswerEnd): string;
  writeStream(context: AnswerContext<Request>): TextStreamWriter;
  /** The items of an answer that a later call may refer to, in the formats that keep them. */
  outputItems?(result: TextResult, context: AnswerContext<Request>): readonly unknown[];
}

/** What a body that is passed on must have of its own. */
export interface RelayTarget {
  readonly upstreamModel: string;
  /** The field in which this model takes its output cap; null passes on what came. */
  readonly outputCapField: 'max_tokens' | 'max_completion_tokens' | null;
  /** False for servers that refuse to be asked for the usage of a stream (they tell it unasked). */
  readonly asksUsage: boolean;
}

/** What an answer shows that does not come from the provider. */
export interface AnswerContext<Request> {
  readonly request: Request;
  /** The request id; ids of answers and their parts are made from it. */
  readonly callId: string;
  /** The model code the caller knows. */
  readonly model: string;
  readonly createdSeconds: number;
  /** How many answers were asked for. */
  readonly answers: number;
}

export interface AnswerEnd {
  readonly usage: Usage | null;
  readonly cost: Units | null;
  /** False when the answer should have been kept for later calls, but is not; the responses format says so. */
  readonly kept?: boolean;
}

/** What is sent: a byte string, or the pieces of a large body, which are not joined. */
export type ShownBody = string | readonly Buffer[];

/** A whole answer, read but not yet shown. */
export interface WholeAnswer<Shown extends ShownBody = string> {
  readonly usage: Usage | null;
  /** As the provider wrote it. */
  readonly finishReason: string | null;
  texts(): string[];
  /** How many images it holds, where they are what was asked for, and of what kind they are. */
  readonly images?: number;
  readonly imageKind?: ImageKind;
  /** The body for the caller, once the cost is durable. */
  body(end: AnswerEnd): Shown;
  /** See `TextFormat.outputItems`. */
  output?(): readonly unknown[];
}

/**
 * A stream on its way from the provider to the caller. What it answers to frames goes out at once;
 * the end of the stream goes out only with the cost.
 */
export interface AnswerStream {
  /** `data` and the frames it answers are byte strings. */
  frame(data: string, event: string): string;
  /** True when the provider said everything it had to say. */
  readonly complete: boolean;
  readonly usage: Usage | null;
  /** Numbers that a provider tells while it still speaks: true of the prompt, not yet of the output. */
  readonly usageSoFar?: Usage | null;
  readonly fault: StreamFault | null;
  readonly finishReason: string | null;
  /** The texts so far, and how many characters of frames are not among them. */
  produced(): { texts: string[]; restCharacters: number };
  ending(end: AnswerEnd): string;
  /** The last frames of a stream that failed: no end marker. */
  failure(problem: Problem, errorRef: string): string;
  /** See `TextFormat.outputItems`; whole once the stream is complete. */
  output?(): readonly unknown[];
}

/** Writes the frames of one format; a reducer over events. Its texts are decoded, not bytes. */
export interface TextStreamWriter {
  event(event: TextEvent): string;
  /** What ends the stream; `finish` events were seen before. */
  ending(end: AnswerEnd): string;
  failure(problem: Problem, errorRef: string): string;
  output?(): readonly unknown[];
}
