/** The Idempotency-Key of a request; null where none was sent. */
import type { IncomingMessage } from 'node:http';
import { Problem } from '../kernel/problem.ts';

const KEY_CHARACTERS_MAX = 255;

export function readIdempotencyKey({ headers }: IncomingMessage): string | null {
  const { 'idempotency-key': sent } = headers;
  if (sent === undefined) return null;
  const key = String(sent).trim();
  if (key !== '' && key.length <= KEY_CHARACTERS_MAX) return key;
  throw new Problem('idempotency_key_invalid', {
    detail: `The Idempotency-Key header must have 1 to ${KEY_CHARACTERS_MAX} characters that are not all spaces; or leave it out.`,
  });
}
