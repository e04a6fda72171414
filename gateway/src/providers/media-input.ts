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

/** Its bytes, just as many as it says: who announced another length would wait for the rest for ever. */
export async function* exactPieces(media: MediaInput): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of media.pieces()) {
    bytes += piece.length;
    yield piece;
  }
  if (bytes !== media.bytes) throw new Error(`an input has ${bytes} bytes instead of ${media.bytes}`);
}
