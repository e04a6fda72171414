/** The signature of a webhook, by the rules of Standard Webhooks (version v1: HMAC-SHA256). */
import { createHmac } from 'node:crypto';
import { randomBytes } from '../kernel/ids.ts';
import type { Secret } from '../kernel/secret.ts';

const SECRET_BYTES = 32;
/** How receivers are shown a secret. */
const PREFIX = 'whsec_';

/** In base64. */
export function newWebhookSecret(): string {
  return Buffer.from(randomBytes(SECRET_BYTES)).toString('base64');
}

export function shownWebhookSecret(secret: string): string {
  return `${PREFIX}${secret}`;
}

/** `id` stays the same when the message is sent again, so that receivers recognise repeats. */
export function signedHeaders(
  message: { readonly id: string; readonly unixSeconds: number; readonly body: string },
  secret: Secret,
): Record<string, string> {
  const { id, unixSeconds, body } = message;
  const signature = createHmac('sha256', Buffer.from(secret.reveal(), 'base64'))
    .update(`${id}.${unixSeconds}.${body}`)
    .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(unixSeconds),
    'webhook-signature': `v1,${signature}`,
  };
}
