/** AWS Signature Version 4, for requests without a query. Time is passed in. */
import { createHash, createHmac } from 'node:crypto';
import { type Instant, isoOf } from '../../kernel/time.ts';

export interface AwsKey {
  readonly id: string;
  readonly secret: string;
  /** Of keys that are lent for a while. */
  readonly sessionToken: string | null;
}

/** What a signature is good for: one service in one region, on one day. */
export interface SigningScope {
  readonly region: string;
  readonly service: string;
  readonly at: Instant;
}

export interface SignableRequest {
  readonly method: string;
  /** As it is sent, its segments encoded. */
  readonly path: string;
  /** Lower-case names. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | readonly Buffer[];
}

/** The headers to send beside those of the request, the signature among them. */
export function signRequest(
  request: SignableRequest,
  key: AwsKey,
  scope: SigningScope,
): Record<string, string> {
  const added = {
    'x-amz-date': amzDate(scope.at),
    'x-amz-content-sha256': sha256(request.body),
    ...(key.sessionToken !== null && { 'x-amz-security-token': key.sessionToken }),
  };
  const signed = { ...request, headers: { ...request.headers, ...added } };
  return { ...added, authorization: authorization(signed, key, scope) };
}

/** The value of the `Authorization` header. */
export function authorization(request: SignableRequest, key: AwsKey, scope: SigningScope): string {
  const at = amzDate(scope.at);
  const day = at.slice(0, 8);
  const credentialScope = `${day}/${scope.region}/${scope.service}/aws4_request`;
  const { text, names } = canonicalRequest(request);
  const toSign = `AWS4-HMAC-SHA256\n${at}\n${credentialScope}\n${sha256(text)}`;
  const signingKey = [day, scope.region, scope.service, 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${key.secret}`,
  );
  const signature = createHmac('sha256', signingKey).update(toSign).digest('hex');
  const credential = `${key.id}/${credentialScope}`;
  return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
}

function canonicalRequest({ method, path, headers, body }: SignableRequest): { text: string; names: string } {
  const sorted = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = sorted.map(([name, value]) => `${name}:${value.trim()}\n`).join('');
  const names = sorted.map(([name]) => name).join(';');
  // The path is encoded once more: what was sent as %3A is signed as %253A.
  const encoded = path.split('/').map(encodeSegment).join('/');
  return { text: `${method}\n${encoded}\n\n${lines}\n${names}\n${sha256(body)}`, names };
}

/** Everything but letters, digits and `-._~`. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** `20150830T123600Z` */
function amzDate(at: Instant): string {
  return `${isoOf(at).slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

function sha256(bytes: Buffer | string | readonly Buffer[]): string {
  const hash = createHash('sha256');
  if (Array.isArray(bytes)) for (const piece of bytes as readonly Buffer[]) hash.update(piece);
  else hash.update(bytes as Buffer | string);
  return hash.digest('hex');
}
