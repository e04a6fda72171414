/** One event of a streamed answer, independent of any format. */
import type { Usage, UsageDetails } from '../pricing/usage.ts';
import type { Proof } from './text-call.ts';
import type { Finish } from './text-result.ts';

/** `answer` counts from 0; only chat calls with `n` have more than one. */
export type TextEvent =
  | { readonly type: 'text'; readonly answer: number; readonly text: string }
  | { readonly type: 'refusal'; readonly answer: number; readonly text: string }
  | { readonly type: 'reasoning'; readonly answer: number; readonly text: string }
  /** Ends the reasoning before it; without reasoning events if the provider does not reveal it. */
  | { readonly type: 'reasoning_proof'; readonly answer: number; readonly proof: Proof }
  /** A tool call starts; `call` counts the calls of an answer from 0. */
  | {
      readonly type: 'tool_call';
      readonly answer: number;
      readonly call: number;
      readonly id: string;
      readonly name: string;
      readonly proof: Proof | null;
      /** The tool takes a text: its arguments are that text. */
      readonly isText?: true;
    }
  | { readonly type: 'tool_arguments'; readonly answer: number; readonly call: number; readonly text: string }
  | { readonly type: 'image'; readonly answer: number; readonly mediaType: string; readonly base64: string }
  | { readonly type: 'finish'; readonly answer: number; readonly finish: Finish };

export type OnTextEvent = (event: TextEvent) => void;

/** The provider violated its protocol or reported an error in the stream. */
export interface StreamFault {
  readonly reason: 'invalid_frame' | 'provider_error';
  /** The provider's error object, if it sent one. */
  readonly error: unknown;
}

/** Reads the frames of one dialect and emits events immediately. Holds the state of one stream. */
export interface TextStreamReader {
  /** `data` is decoded text. A frame after the end, or after a fault, is ignored. */
  frame(data: string, event: string): void;
  /** True when the answer is complete. */
  readonly complete: boolean;
  /** The final counts; null until the provider sends them. */
  readonly usage: Usage | null;
  /** Counts sent during the stream: final for the prompt, not for the output. */
  readonly usageSoFar?: Usage | null;
  /** The tools that the provider ran and the tier, as far as the answer shows them, for usage that we count. */
  readonly seenDetails?: UsageDetails | undefined;
  readonly fault: StreamFault | null;
}
