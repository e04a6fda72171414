/**
 * The port for files that a provider stores: a managed reference is registered once and calls refer to it.
 */
import type { MediaInput } from './media-input.ts';

export interface AssetProvider {
  /** How long the provider keeps a file; null: until it is deleted. */
  readonly keptMs: number | null;
  /**
   * Uploads the bytes and returns the name to use in calls. Throws a Problem if the provider rejects them.
   */
  register(asset: AssetToRegister, signal: AbortSignal): Promise<string>;
}

export interface AssetToRegister {
  /** Our id, sent as the file name. */
  readonly referenceId: string;
  readonly media: Pick<MediaInput, 'mimeType' | 'bytes' | 'pieces'>;
}
