/**
 * Signs the addresses at which we serve files to whoever has them. The signature covers what the address is
 * for, the file and the time it ends; the key is one for the installation and never leaves it.
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
  /** Unix seconds, as they stand in the address. */
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

  /** Takes as long for one that is nearly right as for any other. */
  async isOurs({ id, expires, signature }: SignedLink): Promise<boolean> {
    const ours = Buffer.from(await this.sign(id, expires));
    const theirs = Buffer.from(signature);
    return ours.length === theirs.length && timingSafeEqual(ours, theirs);
  }

  /** Read once; a database that was away is asked again. */
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
