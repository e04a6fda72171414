/** A key of this installation for one purpose, which never leaves the database: what was signed with it came from us. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { randomBytes } from '../kernel/ids.ts';
import { Secret } from '../kernel/secret.ts';
import type { Clock } from '../kernel/time.ts';
import { keepSecret, type SecretUse } from './secrets.store.ts';

const KEY_BYTES = 32;

export class SigningKey {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #use: SecretUse;
  #key: Promise<Secret> | null = null;

  constructor({ db, clock }: { db: Database; clock: Clock }, use: SecretUse) {
    this.#db = db;
    this.#clock = clock;
    this.#use = use;
  }

  async sign(text: string): Promise<string> {
    const key = await this.#readKey();
    return createHmac('sha256', Buffer.from(key.reveal(), 'hex')).update(text).digest('base64url');
  }

  /** Compares in constant time. */
  async isOurs(text: string, signature: string): Promise<boolean> {
    const ours = Buffer.from(await this.sign(text));
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
    return new Secret(await keepSecret(this.#db, this.#use, { secret, now: this.#clock.now() }));
  }
}
