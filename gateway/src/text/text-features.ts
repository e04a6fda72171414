/** What a text call asks of a model, whatever format it was written in. The catalogue checks this. */
export interface TextFeatures {
  readonly streams: boolean;
  readonly images: number;
  readonly hasTools: boolean;
  readonly responseFormat: 'text' | 'json_object' | 'json_schema';
  readonly answers: number;
  readonly messages: number;
  readonly outputTokensMax: number | null;
  /** The format's names of the fields that can be refused. */
  readonly params: {
    readonly messages: string;
    readonly responseFormat: string;
    readonly outputTokensMax: string;
  };
}
