/** Checks a Signature Version 4 as AWS does: by making it anew from what arrived. */
import { createHash, createHmac } from 'node:crypto';
import { systemClock } from '../../src/kernel/time.ts';
import { oneHeader, type SignedRequest } from '../dialect.ts';

const FORM =
  /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([a-z0-9-]+)\/(\w+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
const CLOCK_SKEW_MS_MAX = 5 * 60 * 1_000;
/** Without these a signature could be taken for another host or hour. */
const MUST_BE_SIGNED = ['host', 'x-amz-date'];

export function isSigned(request: SignedRequest, key: { secret: string }): boolean {
  const form = FORM.exec(oneHeader(request.headers, 'authorization') ?? '');
  if (form === null) return false;
  const [, , day = '', region = '', service = '', names = '', signature = ''] = form;
  const date = oneHeader(request.headers, 'x-amz-date') ?? '';
  const signed = names.split(';');
  if (service !== 'bedrock' || !date.startsWith(day) || !isRecent(date)) return false;
  if (MUST_BE_SIGNED.some((name) => !signed.includes(name))) return false;
  const digest = sha256(request.text);
  const told = oneHeader(request.headers, 'x-amz-content-sha256');
  if (told !== null && told !== digest) return false;
  const canonical = [
    request.method,
    request.path.split('/').map(encode).join('/'),
    canonicalQuery(request.query),
    ...signed.map((name) => `${name}:${oneHeader(request.headers, name)?.trim() ?? ''}`),
    '',
    names,
    digest,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  let signing: Buffer | string = `AWS4${key.secret}`;
  for (const part of scope.split('/')) signing = hmac(signing, part);
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  return hmac(signing, toSign).toString('hex') === signature;
}

function isRecent(date: string): boolean {
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  return Math.abs(systemClock.now() - Date.parse(iso)) <= CLOCK_SKEW_MS_MAX;
}

function canonicalQuery(query: string): string {
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return pairs.sort().join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
