/**
 * The neutral middle of the simulator: every protocol reads its requests into a Prompt and writes
 * its replies from an Answer. Nothing here knows HTTP or a wire shape.
 */
export interface Prompt {
  readonly model: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly parallelTools: boolean;
  /** A schema asks for JSON that fits it; `{}` fits every object. */
  readonly format: 'text' | 'object' | { readonly schema: unknown };
  readonly stop: readonly string[];
  readonly outputTokensMax: number | null;
  readonly answers: number;
  readonly seed: number;
  readonly effort: string | null;
  /** Asks for the text of the reasoning, not for its price alone. */
  readonly thinksAloud: boolean;
  /** Where nothing but a picture is wanted, or a picture of a size. */
  readonly picture?: PictureAsked | null;
}

export interface PictureAsked {
  readonly width: number;
  readonly height: number;
  /** Without a word beside it. */
  readonly alone: boolean;
  /** What it costs. */
  readonly tokens: number;
}

export interface Turn {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly images: readonly SeenImage[];
  readonly toolCalls: readonly ToolCall[];
}

export type SeenImage =
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'bytes'; readonly mediaType: string; readonly bytes: Buffer };

export interface Tool {
  readonly name: string;
  /** Only where the protocol has such, and the tool stands in one. */
  readonly namespace?: string;
  readonly description: string;
  readonly schema: unknown;
  /** It takes a text instead of arguments. */
  readonly takesText?: true;
}

export interface ToolCall {
  readonly name: string;
  readonly namespace?: string;
  /** JSON, or the beginning of it when the output cap cut it short; any text for a tool that takes one. */
  readonly arguments: string;
  readonly isText?: true;
}

export interface Answer {
  readonly choices: readonly Choice[];
  readonly usage: Usage;
}

export interface Choice {
  /** Empty unless the prompt asked for it aloud. */
  readonly reasoning: string;
  readonly text: string;
  readonly refusal: string | null;
  readonly toolCalls: readonly ToolCall[];
  /** PNG files. */
  readonly images: readonly Buffer[];
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  /** The stop sequence that ended the text. */
  readonly stoppedBy: string | null;
}

export interface Usage {
  readonly inputTokens: number;
  /** Part of the input. */
  readonly cachedTokens: number;
  /** Part of the input, and no part of the cached ones: written to the cache by this call. */
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Part of the output. */
  readonly reasoningTokens: number;
}

/** The text a prompt is steered by: that of its last user turn, without what the system put into it. */
export function askedText(prompt: Prompt): string {
  return askedIn(prompt.turns);
}

const REMINDER = '<system-reminder>';
const REMINDERS = /<system-reminder>[\s\S]*?<\/system-reminder>\s*/g;

export function askedIn(turns: readonly Turn[]): string {
  const text = turns.findLast((turn) => turn.role === 'user')?.text ?? '';
  return text.includes(REMINDER) ? text.replaceAll(REMINDERS, '') : text;
}

export function lastUserTurn(prompt: Prompt): Turn | undefined {
  return prompt.turns.findLast((turn) => turn.role === 'user');
}
