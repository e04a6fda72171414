/**
 * The neutral middle: what a caller asks of a model, in the words of no format. Each format reads its
 * requests into a TextCall, each dialect writes its requests from one; neither knows the other.
 * What a caller did not say is null, and is not said to the provider either.
 */
export interface TextCall {
  readonly messages: readonly TextMessage[];
  readonly stream: boolean;
  readonly tools: readonly TextTool[];
  readonly toolChoice: ToolChoice | null;
  readonly parallelTools: boolean | null;
  readonly responseFormat: ResponseFormat;
  readonly outputTokensMax: number | null;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly topK: number | null;
  readonly stop: readonly string[];
  /** How many answers; only some dialects give more than one. */
  readonly answers: number;
  readonly reasoning: Reasoning | null;
  readonly seed: number | null;
  readonly frequencyPenalty: number | null;
  readonly presencePenalty: number | null;
  readonly verbosity: string | null;
  /** Names the end user towards the provider. */
  readonly user: string | null;
}

export type TextMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly parts: readonly InputPart[] }
  | { readonly role: 'assistant'; readonly parts: readonly OutputPart[] }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly parts: readonly InputPart[];
      readonly isError: boolean;
    };

export type InputPart = TextPart | ImagePart | FilePart;

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface ImagePart {
  readonly type: 'image';
  readonly source: MediaSource;
  /** How closely to look, where a format has a word for it. */
  readonly detail: string | null;
}

/** A document, such as a PDF. */
export interface FilePart {
  readonly type: 'file';
  readonly source: MediaSource;
  readonly name: string | null;
}

export type MediaSource =
  /** What it is, where that is known. */
  | { readonly kind: 'url'; readonly url: string; readonly mediaType?: string }
  | { readonly kind: 'data'; readonly mediaType: string; readonly base64: string }
  /** A file that the provider keeps, by the provider's own name of it. Only for dialects that have such. */
  | { readonly kind: 'asset'; readonly mediaType: string; readonly name: string };

/** What a model produces, and what is sent back to it as its own earlier words. */
export type OutputPart =
  | TextPart
  | { readonly type: 'refusal'; readonly text: string }
  | ReasoningPart
  | ToolCallPart
  | { readonly type: 'image'; readonly mediaType: string; readonly base64: string };

export interface ReasoningPart {
  readonly type: 'reasoning';
  /** Empty where the provider keeps its thoughts to itself. */
  readonly text: string;
  /** What the provider wants back to believe that the thoughts are its own. */
  readonly proof: Proof | null;
}

export interface ToolCallPart {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it. */
  readonly arguments: string;
  readonly proof: Proof | null;
}

/** Means something only to the dialect that gave it; any other leaves it out. */
export interface Proof {
  readonly dialect: string;
  readonly value: string;
}

export interface TextTool {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema; null is a tool without parameters. */
  readonly parameters: object | null;
  readonly strict: boolean | null;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: string | null;
      readonly description: string | null;
      readonly schema: object;
      readonly strict: boolean | null;
    };

/** How much a model is to think: in words of effort, or in tokens. */
export interface Reasoning {
  readonly effort: string | null;
  readonly tokensMax: number | null;
  /** Whether the caller wants to read the thoughts. */
  readonly shown: boolean;
}

/** Fields of a call that some dialects cannot carry. */
export type TextField = Exclude<keyof TextCall, 'messages' | 'stream'> | 'image' | 'file';

/**
 * A dialect has no word for something the caller asked. It is refused: dropping it in silence would
 * answer another question than the one that was put.
 */
export class CannotCarry extends Error {
  override readonly name = 'CannotCarry';
  readonly field: TextField;
  /** To be read after "does not take": "does not take stop with more than 4 items". */
  readonly limit: string;
  constructor(field: TextField, limit = '') {
    super(`cannot carry ${field}`);
    this.field = field;
    this.limit = limit;
  }
}
