/**
 * Signs a request with AWS Signature Version 4. The signer is the AWS SDK's; it is loaded with the first call, so
 * that the gateway starts without it. Time and credentials are passed in.
 */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import type { Instant } from '../../kernel/time.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only temporary credentials have one. */
  readonly sessionToken?: string;
}

/** A signature is valid for one service in one region, on one day. */
export interface SigningScope {
  readonly region: string;
  readonly service: string;
  readonly at: Instant;
}

export interface SignableRequest {
  readonly method: string;
  /** As it is sent, with encoded segments. */
  readonly path: string;
  /** Lower-case names, `host` among them. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | readonly Buffer[];
}

/** Returns the headers to add to the request, the signature among them. */
export async function signRequest(
  { method, path, headers, body }: SignableRequest,
  credentials: AwsCredentials,
  { region, service, at }: SigningScope,
): Promise<Record<string, string>> {
  const { SignatureV4 } = await import('@smithy/signature-v4');
  const signer = new SignatureV4({ credentials, region, service, sha256: NodeSha256 });
  const toSign = {
    method,
    protocol: 'https:',
    hostname: headers.host ?? '',
    path,
    headers: { ...headers, 'x-amz-content-sha256': bodyDigest(body) },
  };
  const signed = await signer.sign(toSign, { signingDate: new Date(at) });
  return Object.fromEntries(Object.entries(signed.headers).filter(([name]) => headers[name] === undefined));
}

/** Encodes everything but letters, digits and `-._~`, so that a model name stays one segment of the path. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Computed here because large bodies come in pieces, which the signer would leave unsigned. */
function bodyDigest(body: Buffer | readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const piece of Buffer.isBuffer(body) ? [body] : body) hash.update(piece);
  return hash.digest('hex');
}

type HashKey = string | ArrayBuffer | ArrayBufferView;

/** SHA-256 in the shape the signer expects; with a key it is an HMAC. */
class NodeSha256 {
  readonly #key: HashKey | undefined;
  #hash: Hash | Hmac;

  constructor(key?: HashKey) {
    this.#key = key;
    this.#hash = newHash(key);
  }

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    this.#hash = newHash(this.#key);
  }
}

function newHash(key: HashKey | undefined): Hash | Hmac {
  if (key === undefined) return createHash('sha256');
  return createHmac('sha256', bytesOf(key));
}

function bytesOf(key: HashKey): Uint8Array {
  if (typeof key === 'string') return Buffer.from(key);
  return ArrayBuffer.isView(key)
    ? new Uint8Array(key.buffer, key.byteOffset, key.byteLength)
    : new Uint8Array(key);
}
