/**
 * The signing keys of one issuer. They are fetched when a token needs them, again when their life is over, and once per
 * interval for a token that names an unknown key: forged names cause no more requests. While the issuer does not answer,
 * the keys of before are used, but not forever.
 */
import { readFile } from 'node:fs/promises';
import type { JSONWebKeySet, LocalJWKSet } from 'jose';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/durations.ts';
import { askIssuer, type IssuerNetwork } from '../issuers/ask-issuer.ts';
import type { WorkloadIssuer } from './workload-issuer.ts';

/** Without a `Cache-Control`. */
const LIFE_MS = 10 * MINUTE_MS;
const LIFE_MS_MIN = MINUTE_MS;
const LIFE_MS_MAX = HOUR_MS;
/** In the last part of their life keys are fetched while calls go on with them. */
const REFRESH_AT = 0.8;
/** Between two requests to an issuer, whatever tokens arrive. */
export const ASK_AGAIN_MS = 30 * SECOND_MS;
/** How old keys may become while the issuer does not answer. */
export const KEPT_MS_MAX = 4 * HOUR_MS;
const KEYS_MAX = 100;

export interface KeySet {
  /** Finds the key of a token. */
  readonly find: LocalJWKSet;
  readonly text: string;
  readonly fetchedMs: number;
  readonly lifeMs: number;
}

export class IssuerKeys {
  readonly #issuer: WorkloadIssuer;
  readonly #network: IssuerNetwork;
  #set: KeySet | null = null;
  #asking: Promise<void> | null = null;
  #askedMs = Number.NEGATIVE_INFINITY;
  #failure: unknown = null;

  constructor(issuer: WorkloadIssuer, network: IssuerNetwork) {
    this.#issuer = issuer;
    this.#network = network;
  }

  /** The keys that are trusted now, without waiting; null if they must be asked for first. */
  get current(): KeySet | null {
    const set = this.#set;
    if (set === null) return null;
    const ageMs = this.#elapsedMs() - set.fetchedMs;
    if (ageMs >= set.lifeMs * REFRESH_AT && this.#mayAsk) this.#asking = this.#ask();
    if (ageMs < set.lifeMs) return set;
    // The issuer was asked and has not answered.
    return ageMs < KEPT_MS_MAX && !this.#mayAsk && this.#asking === null ? set : null;
  }

  /** The same, after the issuer was asked if that is needed. Throws if there are none. */
  async get(): Promise<KeySet> {
    const known = this.current;
    if (known !== null) return known;
    await this.#askOnce();
    return this.#kept();
  }

  /** For a token whose key is not in `known`; null if the issuer has no newer keys, or was asked just now. */
  async newer(known: KeySet): Promise<KeySet | null> {
    await this.#askOnce();
    return this.#set === null || this.#set.text === known.text ? null : this.#set;
  }

  /** Asks the issuer, whatever is known. Throws what went wrong. */
  async check(): Promise<KeySet> {
    return await this.#fetch();
  }

  #kept(): KeySet {
    const set = this.#set;
    if (set !== null && this.#elapsedMs() - set.fetchedMs < KEPT_MS_MAX) return set;
    throw this.#failure ?? new Error('its keys are not known');
  }

  get #mayAsk(): boolean {
    return this.#asking === null && this.#elapsedMs() - this.#askedMs >= ASK_AGAIN_MS;
  }

  /** Waits for the request that is under way; begins one if the last is long enough ago. */
  async #askOnce(): Promise<void> {
    if (this.#mayAsk) this.#asking = this.#ask();
    await this.#asking;
  }

  /** Never rejects. */
  async #ask(): Promise<void> {
    this.#askedMs = this.#elapsedMs();
    try {
      const set = await this.#fetch();
      // The same keys stay the same, so that tokens that they verified stay known.
      this.#set = set.text === this.#set?.text ? { ...set, find: this.#set.find } : set;
      this.#failure = null;
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#asking = null;
    }
  }

  async #fetch(): Promise<KeySet> {
    const { createLocalJWKSet } = await import('jose');
    const address = this.#issuer.jwksUrl ?? (await this.#discover());
    const { headers, body } = await this.#get(address);
    const text = body.toString('utf8');
    const { keys } = JSON.parse(text) as JSONWebKeySet;
    if (!Array.isArray(keys) || keys.length > KEYS_MAX)
      throw new Error(`${address} has no list of at most ${KEYS_MAX} keys`);
    // A secret that is shared with the issuer proves nothing about who signed.
    const find = createLocalJWKSet({ keys: keys.filter(({ kty }) => kty !== 'oct') });
    return { find, text, fetchedMs: this.#elapsedMs(), lifeMs: lifeOf(headers['cache-control']) };
  }

  async #discover(): Promise<string> {
    const address = `${this.#issuer.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const { body } = await this.#get(address);
    const { issuer, jwks_uri } = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    if (issuer !== this.#issuer.issuer)
      throw new Error(`${address} is of the issuer ${JSON.stringify(issuer)?.slice(0, 200)}`);
    if (typeof jwks_uri !== 'string' || !URL.canParse(jwks_uri))
      throw new Error(`${address} has no jwks_uri`);
    return jwks_uri;
  }

  async #get(address: string): Promise<{ headers: Readonly<Record<string, string>>; body: Buffer }> {
    const { caFile, tokenFile } = this.#issuer;
    const url = new URL(address);
    // Read each time: both are replaced while the gateway runs.
    const ca = caFile === null ? undefined : await readFile(caFile, 'utf8');
    const token = tokenFile === null || !this.#isOwn(url) ? null : await readFile(tokenFile, 'utf8');
    const { status, headers, body } = await askIssuer(this.#network, {
      url,
      ca,
      method: 'GET',
      headers: {
        accept: 'application/json',
        ...(token !== null && { authorization: `Bearer ${token.trim()}` }),
      },
      signal: new AbortController().signal,
    });
    if (status !== 200) throw new Error(`${address} answered with status ${status}`);
    return { headers, body };
  }

  /** The token of the gateway is sent only to addresses that the operator wrote. */
  #isOwn({ origin }: URL): boolean {
    const { issuer, jwksUrl } = this.#issuer;
    return [issuer, jwksUrl].some((own) => own !== null && new URL(own).origin === origin);
  }

  #elapsedMs(): number {
    return this.#network.clock.elapsedMs();
  }
}

function lifeOf(cacheControl = ''): number {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return LIFE_MS_MIN;
  const seconds = /\bmax-age=(\d{1,9})\b/i.exec(cacheControl)?.[1];
  if (seconds === undefined) return LIFE_MS;
  return Math.min(Math.max(Number(seconds) * SECOND_MS, LIFE_MS_MIN), LIFE_MS_MAX);
}
