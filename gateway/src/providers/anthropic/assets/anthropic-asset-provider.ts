/** Registers managed references with Anthropic's Files API. Does I/O. */
import type { AssetProvider, AssetToRegister } from '../../asset-provider.ts';
import { assetFileName, fileForm, uploadedId } from '../../file-form.ts';
import type { ProviderCalls } from '../../provider-calls.ts';

/** The `anthropic-beta` value that uploads, and calls that use a file, must send. */
export const FILES_BETA = 'files-api-2025-04-14';

export class AnthropicAssetProvider implements AssetProvider {
  readonly keptMs = null;
  readonly #calls: ProviderCalls;

  constructor(calls: ProviderCalls) {
    this.#calls = calls;
  }

  async register({ referenceId, media }: AssetToRegister, signal: AbortSignal): Promise<string> {
    const form = fileForm({}, { name: assetFileName(referenceId, media.mimeType), media });
    const headers = { ...form.headers, 'anthropic-beta': FILES_BETA };
    const { json } = await this.#calls.post('/v1/files', signal, { ...form, headers });
    return uploadedId(json);
  }
}
