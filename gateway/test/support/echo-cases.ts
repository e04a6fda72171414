/** Ways in which a provider may repeat what it must not: where, in which form, and how far into its words. */

/** A key with every kind of character that encodings treat differently. */
export const CALLED_KEY = 'sk-echo-Q7xZ/9k+Lm2Vw4Rt8Yb1Nc5Hd=';
/** Of a provider that is configured too, but is not the one that answers. */
export const OTHER_KEY = 'other-4Tg7Pw2Kz9Xn5Bq8Vr3Lm6Ys1Jd';
/** Where that one is. */
export const OTHER_HOST = 'llm-7.prod.example-inside';

const each = (text: string, write: (code: string) => string): string =>
  [...text].map((one) => write(one.charCodeAt(0).toString(16).padStart(2, '0'))).join('');

export const forms: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in upper case': (secret) => secret.toUpperCase(),
  'in lower case': (secret) => secret.toLowerCase(),
  'as a header': (secret) => `Authorization: Bearer ${secret}`,
  'for an address': encodeURIComponent,
  'for an address, every character': (secret) => each(secret, (code) => `%${code}`),
  'for an address, twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64 with a name': (secret) => Buffer.from(`api:${secret}`).toString('base64'),
  'in base64 for an address': (secret) => Buffer.from(`k:${secret}`).toString('base64url'),
  'in hexadecimal': (secret) => Buffer.from(secret).toString('hex'),
  'escaped for JSON': (secret) => each(secret, (code) => `\\u00${code}`),
  'escaped for HTML': (secret) => each(secret, (code) => `&#x${code};`),
  'spaced out': (secret) => [...secret].join(' '),
  'over several lines': (secret) => secret.replace(/(.{6})/g, '$1\n'),
  'with invisible characters': (secret) => secret.replace(/(.{4})/g, '$1\u200b'),
  'without its first part': (secret) => secret.slice(8),
  'without its last part': (secret) => secret.slice(0, -5),
  reversed: (secret) => [...secret].reverse().join(''),
};

/** Where in an error of OpenAI's, and so of most, it stands. */
export const places: Readonly<Record<string, (words: string) => unknown>> = {
  message: (words) => ({ error: { message: words } }),
  param: (words) => ({ error: { message: 'bad', param: words } }),
  'param of an unsupported field': (words) => ({
    error: { message: 'bad', code: 'unsupported_parameter', param: words },
  }),
  code: (words) => ({ error: { message: 'bad', code: words } }),
  type: (words) => ({ error: { message: 'bad', type: words } }),
  details: (words) => ({ error: { message: 'bad', metadata: { raw: [words], headers: { key: words } } } }),
  'a name': (words) => ({ error: { message: 'bad', [words]: true } }),
  'a bare text': (words) => ({ error: words }),
  'a text that is no JSON': (words) => `<html><body>${words}</body></html>`,
};

/** Names and shapes that are nobody's configured secret, and still no caller's business. */
export const inside: readonly string[] = [
  OTHER_HOST,
  `${OTHER_HOST}:8443`,
  '10.20.30.40',
  '10.20.30.40:8443',
  '172.16.0.9:80',
  '192.168.1.77',
  'localhost:11434',
  'vllm-0.models.svc.cluster.local:8000',
  'inference.corp.internal',
  'https://user:hunter2@gateway.example-inside/v1?key=abc',
  '[fd12:3456:789a::1]:8000',
  'fe80::1ff:fe23:4567:890a',
  'sk-proj-AbCdEf0123456789AbCdEf',
  'SK-LIVE-ABCDEF0123456789',
  'sk-ant-api03-AbCdEf012345678',
  'AKIAIOSFODNN7EXAMPLE',
  'AIzaSyA1234567890abcdefghijklmnopqrstuv',
  `sk_${'a1B2c3D4e5'.repeat(4)}abcdef`,
  `mk_${'a1B2c3D4e5'.repeat(4)}abcdef`,
  'Bearer abc.def.ghi',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  'arn:aws:iam::123456789012:user/inside',
  'org-AbC123456789',
];

const RUN = 10;

/** Whether ten characters of a secret, as it was written, can be read in a plain text. */
export function tracesOf(secret: string, written: string): (shown: string) => boolean {
  const length = Math.ceil((written.length / secret.length) * RUN);
  const traces = new Set<string>();
  for (let at = 0; at + length <= written.length; at++) traces.add(plain(written.slice(at, at + length)));
  // Short ones are only separators.
  const telling = [...traces].filter((trace) => trace.length >= RUN - 3);
  return (shown) => telling.some((trace) => shown.includes(trace));
}

/** Case and separators hide nothing. */
export function plain(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}
