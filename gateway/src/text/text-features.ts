/** The features that a text call uses, independent of its format. The catalogue checks them. */
export interface TextFeatures {
  readonly streams: boolean;
  readonly images: number;
  readonly hasTools: boolean;
  /** Whether it has tools and allows calls of them. */
  readonly mayCallTools: boolean;
  /** Whether a tool result has images or files. */
  readonly toolMedia: boolean;
  readonly responseFormat: 'text' | 'json_object' | 'json_schema';
  readonly answers: number;
  readonly messages: number;
  readonly outputTokensMax: number | null;
  /** What the call says about reasoning; null: nothing. */
  readonly reasoning: 'on' | 'off' | null;
  /** The format's names for the fields that can be rejected. */
  readonly params: {
    readonly messages: string;
    readonly responseFormat: string;
    readonly outputTokensMax: string;
  };
}

export function readEffort(effort: string | null | undefined): TextFeatures['reasoning'] {
  if (effort === null || effort === undefined) return null;
  return effort === 'none' ? 'off' : 'on';
}
