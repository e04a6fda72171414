/** A picture, film or sound that goes to a provider, in whichever way it takes such. */
export interface MediaInput {
  readonly mimeType: string;
  readonly bytes: number;
  /** The bytes, from their beginning; may be asked for more than once. */
  pieces(): AsyncIterable<Buffer>;
  /**
   * An address at which the provider can fetch it for a while: the caller's own, checked by then, or one that
   * we signed. Null where we cannot be reached from outside.
   */
  url(): Promise<string | null>;
  /** What the provider calls it, where it was to be registered there; null for anything else. */
  asset(): Promise<string | null>;
}
