/** Registers managed references with OpenAI's Files API. Does I/O. */
import type { AssetProvider, AssetToRegister } from '../../asset-provider.ts';
import { assetFileName, fileForm, uploadedId } from '../../file-form.ts';
import type { ProviderCalls } from '../../provider-calls.ts';

const DAY_SECONDS = 24 * 60 * 60;
/** The longest expiry that the API accepts. The file then deletes itself. */
const EXPIRES_SECONDS = 30 * DAY_SECONDS;

export class OpenaiAssetProvider implements AssetProvider {
  /** One day less than the expiry, so that no call uses an expired file. */
  readonly keptMs = (EXPIRES_SECONDS - DAY_SECONDS) * 1000;
  readonly #calls: ProviderCalls;

  constructor(calls: ProviderCalls) {
    this.#calls = calls;
  }

  async register({ referenceId, media }: AssetToRegister, signal: AbortSignal): Promise<string> {
    const fields = {
      purpose: media.mimeType.startsWith('image/') ? 'vision' : 'user_data',
      'expires_after[anchor]': 'created_at',
      'expires_after[seconds]': String(EXPIRES_SECONDS),
    };
    const form = fileForm(fields, { name: assetFileName(referenceId, media.mimeType), media });
    const { json } = await this.#calls.post('/files', signal, form);
    return uploadedId(json);
  }
}
