/** Reads the Idempotency-Key header of a request; null if there is none. */
import type { EdgeRequest } from '../edge/edge-request.ts';
import { Problem } from '../kernel/problem.ts';

const KEY_CHARACTERS_MAX = 255;

export function readIdempotencyKey({ headers }: EdgeRequest): string | null {
  const { 'idempotency-key': sent } = headers;
  if (sent === undefined) return null;
  const key = String(sent).trim();
  if (key !== '' && key.length <= KEY_CHARACTERS_MAX) return key;
  throw new Problem('idempotency_key_invalid', {
    detail: `The Idempotency-Key header must have 1 to ${KEY_CHARACTERS_MAX} characters that are not all spaces. Send such a key, or leave the header out.`,
  });
}
