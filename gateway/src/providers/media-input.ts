/** An image, video or audio input for a provider, in each way a provider may accept it. */
export interface MediaInput {
  readonly mimeType: string;
  readonly bytes: number;
  /** The bytes from the start; may be called more than once. */
  pieces(): AsyncIterable<Buffer>;
  /**
   * A URL from which the provider can fetch it for a while: the caller's own, already checked, or one that we
   * signed. Null if the gateway cannot be reached from outside.
   */
  url(): Promise<string | null>;
  /** The provider's name for it if it is a managed reference; null otherwise. */
  asset(): Promise<string | null>;
}

/**
 * Yields exactly the announced number of bytes. With another length the provider would wait for the rest
 * forever.
 */
export async function* exactPieces(media: MediaInput): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of media.pieces()) {
    bytes += piece.length;
    yield piece;
  }
  if (bytes !== media.bytes) throw new Error(`an input has ${bytes} bytes instead of ${media.bytes}`);
}
