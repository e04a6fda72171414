/**
 * Signs the URLs at which the gateway serves files to anybody. The signature covers the purpose, the file and the
 * expiry; there is one key per installation, and it never leaves the database.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { randomBytes } from '../kernel/ids.ts';
import { Secret } from '../kernel/secret.ts';
import type { Clock } from '../kernel/time.ts';
import { keepSecret } from './secrets.store.ts';

const KEY_BYTES = 32;

export interface SignedLink {
  readonly id: string;
  /** Unix seconds, as written in the URL. */
  readonly expires: string;
  readonly signature: string;
}

export class LinkSigner {
  readonly #db: Database;
  readonly #clock: Clock;
  #key: Promise<Secret> | null = null;

  constructor(tools: { db: Database; clock: Clock }) {
    this.#db = tools.db;
    this.#clock = tools.clock;
  }

  async sign(id: string, expires: string): Promise<string> {
    const key = await this.#readKey();
    return createHmac('sha256', Buffer.from(key.reveal(), 'hex'))
      .update(`media-link\n${id}\n${expires}`)
      .digest('base64url');
  }

  /** Compares in constant time. */
  async isOurs({ id, expires, signature }: SignedLink): Promise<boolean> {
    const ours = Buffer.from(await this.sign(id, expires));
    const theirs = Buffer.from(signature);
    return ours.length === theirs.length && timingSafeEqual(ours, theirs);
  }

  /** Read once; a failed read is repeated at the next use. */
  #readKey(): Promise<Secret> {
    this.#key ??= this.#makeKey().catch((error) => {
      this.#key = null;
      throw error;
    });
    return this.#key;
  }

  async #makeKey(): Promise<Secret> {
    const secret = Buffer.from(randomBytes(KEY_BYTES)).toString('hex');
    return new Secret(await keepSecret(this.#db, 'media-links', { secret, now: this.#clock.now() }));
  }
}
