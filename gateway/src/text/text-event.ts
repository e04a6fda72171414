/** One step of an answer under way, in the words of no format. */
import type { Usage } from '../pricing/usage.ts';
import type { Proof } from './text-call.ts';
import type { Finish } from './text-result.ts';

/** `answer` counts from 0; all but chat calls with `n` have just one. */
export type TextEvent =
  | { readonly type: 'text'; readonly answer: number; readonly text: string }
  | { readonly type: 'refusal'; readonly answer: number; readonly text: string }
  | { readonly type: 'reasoning'; readonly answer: number; readonly text: string }
  /** Ends the thoughts before it; comes alone where the thoughts themselves are withheld. */
  | { readonly type: 'reasoning_proof'; readonly answer: number; readonly proof: Proof }
  /** A call begins; `call` counts the calls of an answer from 0. */
  | {
      readonly type: 'tool_call';
      readonly answer: number;
      readonly call: number;
      readonly id: string;
      readonly name: string;
      readonly proof: Proof | null;
    }
  | { readonly type: 'tool_arguments'; readonly answer: number; readonly call: number; readonly text: string }
  | { readonly type: 'image'; readonly answer: number; readonly mediaType: string; readonly base64: string }
  | { readonly type: 'finish'; readonly answer: number; readonly finish: Finish };

export type OnTextEvent = (event: TextEvent) => void;

/** The provider broke its protocol, or reported an error in the stream. */
export interface StreamFault {
  readonly reason: 'invalid_frame' | 'provider_error';
  /** The provider's error object, where it sent one. */
  readonly error: unknown;
}

/** Reads the frames of one dialect. Its memory is its own; what it understands it emits at once. */
export interface TextStreamReader {
  /** `data` is decoded text. A frame after the end, or after a fault, is ignored. */
  frame(data: string, event: string): void;
  /** True when the provider said everything it had to say. */
  readonly complete: boolean;
  /** The final numbers; null until they are told. */
  readonly usage: Usage | null;
  /** Numbers that a provider tells while it still speaks: true of the prompt, not yet of the output. */
  readonly usageSoFar?: Usage | null;
  readonly fault: StreamFault | null;
}
