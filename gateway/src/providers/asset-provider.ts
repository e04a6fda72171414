/** Providers that keep files which calls can name: a managed reference is registered there once. */
import type { MediaInput } from './media-input.ts';

export interface AssetProvider {
  /** How long it keeps them; null is until they are taken away. */
  readonly keptMs: number | null;
  /** Hands over the bytes; answers the name to be used in calls. Throws a Problem when it is refused. */
  register(asset: AssetToRegister, signal: AbortSignal): Promise<string>;
}

export interface AssetToRegister {
  /** Ours; goes along as the name of the file. */
  readonly referenceId: string;
  readonly media: Pick<MediaInput, 'mimeType' | 'bytes' | 'pieces'>;
}
