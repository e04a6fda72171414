/**
 * Verifies the tokens that workloads send instead of a key: signature, issuer, audience, times. A token that is accepted
 * is known until it expires, or until its issuer has other keys. Whatever is wrong with one, the answer and the work are
 * the same, so that neither tells which issuers are trusted.
 */
import { randomBytes, webcrypto } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { SECOND_MS } from '../../kernel/durations.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Instant } from '../../kernel/time.ts';
import type { IssuerNetwork } from '../issuers/ask-issuer.ts';
import { IssuerKeys, type KeySet } from './issuer-keys.ts';
import { type RuleClaims, ruleClaims } from './subject-pattern.ts';
import type { WorkloadIssuer } from './workload-issuer.ts';

/** A workload that proved who it is. */
export interface CallingWorkload {
  /** The name of the issuer in the configuration. */
  readonly issuer: string;
  readonly subject: string;
  readonly claims: RuleClaims;
}

interface Known {
  readonly workload: CallingWorkload;
  readonly expiresAt: Instant;
  /** What its signature was verified with. */
  readonly keys: IssuerKeys;
  readonly find: KeySet['find'];
}

interface Trusted {
  readonly settings: WorkloadIssuer;
  readonly keys: IssuerKeys;
}

/** Those of clusters and of CI systems have one to three thousand. */
export const TOKEN_CHARACTERS_MAX = 8_192;
const SUBJECT_CHARACTERS_MAX = 500;
const KNOWN_MAX = 10_000;
/** More wait for nothing but a flood to pass. */
const VERIFYING_MAX = 500;
/** A JWT, also one without a signature. */
const FORM = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;
/** Failures of jose that come after the signature was checked. */
const AFTER_SIGNATURE = [
  'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  'ERR_JWT_CLAIM_VALIDATION_FAILED',
  'ERR_JWT_EXPIRED',
];

export class WorkloadTokens {
  readonly #network: IssuerNetwork;
  readonly #trusted: readonly Trusted[];
  /** By the digests of the tokens. */
  readonly #known = new Map<string, Known>();
  #verifying = 0;
  #decoy: Promise<webcrypto.CryptoKey> | null = null;

  constructor(issuers: readonly WorkloadIssuer[], network: IssuerNetwork) {
    this.#network = network;
    this.#trusted = issuers.map((settings) => ({ settings, keys: new IssuerKeys(settings, network) }));
  }

  /** Whether the text is to be verified here. Without issuers nothing is. */
  takes(text: string): boolean {
    return this.#trusted.length > 0 && FORM.test(text);
  }

  /** The workload of a token that was accepted before and still is; null: verify it. */
  known(digest: string): CallingWorkload | null {
    const known = this.#known.get(digest);
    if (known === undefined) return null;
    const { workload, expiresAt, keys, find } = known;
    if (expiresAt > this.#network.clock.now() && keys.current?.find === find) return workload;
    this.#known.delete(digest);
    return null;
  }

  /** Throws a 401 that is the same for every token, or a 503 if the keys of its issuer are not known. */
  async verify(text: string, digest: string): Promise<CallingWorkload> {
    if (this.#verifying >= VERIFYING_MAX) throw unverifiable(new Error('too many tokens are being verified'));
    this.#verifying++;
    try {
      const known = await this.#verify(text);
      this.#keep(digest, known);
      return known.workload;
    } finally {
      this.#verifying--;
    }
  }

  async #verify(text: string): Promise<Known> {
    const { decodeJwt, errors } = await import('jose');
    let reason = 'no configured issuer has this iss';
    let failure: unknown = null;
    let checked = false;
    const issuer = text.length <= TOKEN_CHARACTERS_MAX ? issuerIn(text, decodeJwt) : null;
    if (issuer === null) reason = 'it is not a JWT with an iss, or longer than 8192 characters';
    for (const trusted of this.#trusted.filter(({ settings }) => settings.issuer === issuer)) {
      try {
        return await this.#verifyBy(trusted, text);
      } catch (error) {
        if (error instanceof errors.JOSEError) {
          reason = `${trusted.settings.name}: ${error.message}`;
          checked ||= AFTER_SIGNATURE.includes(error.code);
        } else failure = error;
      }
    }
    if (failure !== null) throw unverifiable(failure);
    if (!checked) await this.#pretend();
    throw tokenRefused(reason);
  }

  async #verifyBy({ settings, keys }: Trusted, text: string): Promise<Known> {
    const { jwtVerify, errors } = await import('jose');
    const { clock } = this.#network;
    const options = {
      issuer: settings.issuer,
      audience: settings.audience,
      algorithms: [...settings.algorithms],
      requiredClaims: ['iss', 'aud', 'exp', 'sub'],
      clockTolerance: settings.leewaySeconds,
      currentDate: new Date(clock.now()),
    };
    const set = await keys.get();
    const found = async ({ find }: KeySet): Promise<Known> => {
      const { payload } = await jwtVerify(text, find, options);
      const workload = { issuer: settings.name, subject: subjectOf(payload), claims: ruleClaims(payload) };
      return { workload, expiresAt: (payload.exp as number) * SECOND_MS, keys, find };
    };
    try {
      return await found(set);
    } catch (error) {
      const newer = error instanceof errors.JWKSNoMatchingKey ? await keys.newer(set) : null;
      if (newer === null) throw error;
      return await found(newer);
    }

    function subjectOf({ sub }: JWTPayload): string {
      if (typeof sub === 'string' && sub !== '' && sub.length <= SUBJECT_CHARACTERS_MAX) return sub;
      throw new errors.JWTInvalid('sub is not a text of 1 to 500 characters');
    }
  }

  /** Takes as long as checking a signature. */
  async #pretend(): Promise<void> {
    this.#decoy ??= decoyKey();
    await webcrypto.subtle.verify(
      'RSASSA-PKCS1-v1_5',
      await this.#decoy,
      new Uint8Array(DECOY_BYTES),
      NOTHING,
    );
  }

  #keep(digest: string, known: Known): void {
    if (this.#known.size >= KNOWN_MAX) {
      const oldest = this.#known.keys().next().value;
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.set(digest, known);
  }
}

/** The one answer to every token that is not accepted. `reason` is for the log of the gateway only. */
export function tokenRefused(reason: string): Problem {
  return new Problem('invalid_credentials', {
    detail:
      'The token is not accepted. It must be signed by an issuer that the operator configured, be made for the ' +
      'audience of this gateway, not be expired, and belong to a workload that has a key. Your operator finds the ' +
      'reason in the log of the gateway.',
    cause: new Error(reason),
  });
}

function unverifiable(cause: unknown): Problem {
  const detail = 'Tokens of workloads cannot be verified right now. Retry in a moment.';
  return new Problem('service_unavailable', { detail, retryAfterMs: SECOND_MS, cause });
}

function issuerIn(text: string, decode: (text: string) => JWTPayload): string | null {
  try {
    return decode(text).iss ?? null;
  } catch {
    return null;
  }
}

const DECOY_BYTES = 256;
const NOTHING = new Uint8Array();

/** A public key to which nobody has the private one. */
async function decoyKey(): Promise<webcrypto.CryptoKey> {
  const modulus = randomBytes(DECOY_BYTES);
  modulus[0] = (modulus[0] as number) | 0x80;
  modulus[DECOY_BYTES - 1] = (modulus[DECOY_BYTES - 1] as number) | 1;
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const key = { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' };
  return await webcrypto.subtle.importKey('jwk', key, algorithm, false, ['verify']);
}
