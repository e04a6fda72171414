/**
 * The neutral call: what a caller asks of a model, independent of any format. Each format reads its requests
 * into a TextCall, each dialect writes its requests from one; neither knows the other. Fields that the caller
 * did not set are null and are not sent to the provider.
 */
import type { Json } from '../json/read-json.ts';

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
  /** The number of answers; only some dialects support more than one. */
  readonly answers: number;
  readonly reasoning: Reasoning | null;
  readonly seed: number | null;
  readonly frequencyPenalty: number | null;
  readonly presencePenalty: number | null;
  readonly verbosity: string | null;
  /** Identifies the end user to the provider. */
  readonly user: string | null;
  /** The tier that the caller asks for, other than the standard one; absent: none. */
  readonly serviceTier?: string | null;
  /** Calls with the same key share a prompt cache, at providers that take one. */
  readonly cacheKey?: string | null;
  /** How OpenAI caches the prompt: `prompt_cache_retention` and `prompt_cache_options`, as both of its formats write them. */
  readonly caching?: Json;
}

/** A call that asks for nothing but an answer. */
export const EMPTY_CALL: Omit<TextCall, 'messages'> = {
  stream: false,
  tools: [],
  toolChoice: null,
  parallelTools: null,
  responseFormat: { type: 'text' },
  outputTokensMax: null,
  temperature: null,
  topP: null,
  topK: null,
  stop: [],
  answers: 1,
  reasoning: null,
  seed: null,
  frequencyPenalty: null,
  presencePenalty: null,
  verbosity: null,
  user: null,
};

/**
 * Marks the end of what the prompt cache should keep, and for how long: the first two are Anthropic's, the others OpenAI's.
 * Dialects without markers leave it out.
 */
export type CacheMarker = '5m' | '1h' | 'breakpoint' | '30m' | '12h';

export type TextMessage = Placed &
  (
    | { readonly role: 'system'; readonly text: string; readonly cache?: CacheMarker }
    | { readonly role: 'user'; readonly parts: readonly InputPart[] }
    | { readonly role: 'assistant'; readonly parts: readonly OutputPart[] }
    | {
        readonly role: 'tool';
        readonly callId: string;
        readonly parts: readonly InputPart[];
        readonly isError: boolean;
        readonly cache?: CacheMarker;
      }
  );

interface Placed {
  /** Its place in the caller's request, for errors: `messages[3]`. Absent: the gateway wrote it. */
  readonly at?: string;
}

export type InputPart = TextPart | ImagePart | FilePart;

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly cache?: CacheMarker;
}

export interface ImagePart {
  readonly type: 'image';
  readonly source: MediaSource;
  /** The image detail, if the format has it. */
  readonly detail: string | null;
  readonly cache?: CacheMarker;
}

/** A document, such as a PDF. */
export interface FilePart {
  readonly type: 'file';
  readonly source: MediaSource;
  readonly name: string | null;
  readonly cache?: CacheMarker;
}

export type MediaSource =
  /** The media type, if known. */
  | { readonly kind: 'url'; readonly url: string; readonly mediaType?: string }
  | { readonly kind: 'data'; readonly mediaType: string; readonly base64: string }
  /** A file stored at the provider, by its id there. Only for dialects with a file API. */
  | { readonly kind: 'asset'; readonly mediaType: string; readonly name: string };

/** What a model produces, and what is sent back to it as its earlier turns. */
export type OutputPart =
  | TextPart
  | { readonly type: 'refusal'; readonly text: string }
  | ReasoningPart
  | ToolCallPart
  | { readonly type: 'image'; readonly mediaType: string; readonly base64: string };

export interface ReasoningPart {
  readonly type: 'reasoning';
  /** Empty if the provider does not reveal its reasoning. */
  readonly text: string;
  /** What the provider requires to verify that the reasoning is its own. */
  readonly proof: Proof | null;
}

export interface ToolCallPart {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it; the text itself for a tool that takes one. */
  readonly arguments: string;
  readonly proof: Proof | null;
  readonly cache?: CacheMarker;
  /** The place of the arguments in the caller's request. */
  readonly at?: string;
  readonly isText?: true;
}

/** Only valid for the dialect that issued it; others leave it out. */
export interface Proof {
  readonly dialect: string;
  readonly value: string;
}

export interface TextTool {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema; null for a tool without parameters. */
  readonly parameters: object | null;
  readonly strict: boolean | null;
  readonly cache?: CacheMarker;
  /** Only for a tool that takes a text instead of arguments, which OpenAI's dialects have. */
  readonly textInput?: TextInput;
}

/** The grammar of a text; null: any text. */
export interface TextInput {
  readonly grammar: { readonly syntax: string; readonly definition: string } | null;
}

export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly name: string }
  /** Only some of the tools; see plain-tools.ts for dialects without it. */
  | { readonly allowed: readonly string[]; readonly mode: 'auto' | 'required' };

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

/** How much a model should reason: an effort level or a token budget. The effort `none` and a budget of 0 switch it off. */
export interface Reasoning {
  readonly effort: string | null;
  readonly tokensMax: number | null;
  /** Whether the caller wants to see the reasoning. */
  readonly shown: boolean;
  /** Switched on without a level or a budget: the model decides how much. */
  readonly adaptive?: true;
  /** The caller says what its format does anyway, so it may be left out. */
  readonly implied?: true;
}

/** Fields of a call that some dialects do not support. */
export type TextField = Exclude<keyof TextCall, 'stream' | 'cacheKey' | 'caching'> | 'image' | 'file';

/** The limit of a dialect that takes the arguments of earlier tool calls as objects. */
export const NOT_AN_OBJECT = 'that is not a JSON object';

/**
 * A dialect does not support something that the caller set. The call is rejected: dropping the field silently
 * would change the request.
 */
export class CannotCarry extends Error {
  override readonly name = 'CannotCarry';
  readonly field: TextField;
  /** Completes "does not support": "does not support stop with more than 4 items". */
  readonly limit: string;
  /** The exact place in the caller's request, if the name of the field is not enough. */
  readonly at: string | undefined;
  constructor(field: TextField, limit = '', at?: string) {
    super(`cannot carry ${field}`);
    this.field = field;
    this.limit = limit;
    this.at = at;
  }
}
