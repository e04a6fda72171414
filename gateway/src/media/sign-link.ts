/**
 * Signs the URLs at which the gateway serves files to anybody. The signature covers the purpose, the file and the
 * expiry.
 */
import { SigningKey } from '../access/signing-key.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../kernel/time.ts';

export interface SignedLink {
  readonly id: string;
  /** Unix seconds, as written in the URL. */
  readonly expires: string;
  readonly signature: string;
}

export class LinkSigner {
  readonly #key: SigningKey;

  constructor(tools: { db: Database; clock: Clock }) {
    this.#key = new SigningKey(tools, 'media-links');
  }

  async sign(id: string, expires: string): Promise<string> {
    return await this.#key.sign(signedText(id, expires));
  }

  async isOurs({ id, expires, signature }: SignedLink): Promise<boolean> {
    return await this.#key.isOurs(signedText(id, expires), signature);
  }
}

function signedText(id: string, expires: string): string {
  return `media-link\n${id}\n${expires}`;
}
