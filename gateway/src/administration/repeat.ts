/**
 * Carries out a change with an Idempotency-Key once. The key, the change and its answer are written in one
 * transaction; of two requests at the same time the second waits for the first and gets its answer. An answer may
 * contain a new secret and an input a password, so the answer is stored encrypted and the input as a keyed digest, both
 * with keys that only the caller's own credential yields.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Transaction } from '../database/database.ts';
import { sha256 } from '../kernel/digest.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import { claimRepeat, findRepeat, storeAnswer } from './repeats.store.ts';

const KEPT_MS = DAY_MS;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES = 32;

export interface Repeat {
  readonly key: string;
  /** The session or token that the request was sent with. */
  readonly credential: string;
}

interface Once {
  readonly actor: string;
  readonly operation: string;
  /** What the actor reached: a repeat after their role has changed is another request. */
  readonly reach: string;
  readonly input: object;
  readonly repeat: Repeat | null;
  readonly now: Instant;
}

export async function answerOnce<Answer>(
  tx: Transaction,
  { actor, operation, reach, input, repeat, now }: Once,
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (repeat === null) return await work();
  const row = { actor, key: sha256(repeat.key) };
  const digest = createHmac('sha256', secretOf(repeat, 'input'))
    .update(`${operation} ${reach} ${JSON.stringify(sorted(input))}`)
    .digest('hex');
  if (!(await claimRepeat(tx, { ...row, digest, now, expiresAt: now + KEPT_MS }))) {
    const first = await findRepeat(tx, row);
    if (first === null) throw new Problem('idempotency_in_flight');
    const answer = unsealed<Answer>(first.answer, repeat);
    if (first.digest === digest) return answer;
    throw new Problem('idempotency_conflict', {
      detail: 'The Idempotency-Key was already used for another request. Send a new key with this one.',
    });
  }
  const answer = await work();
  await storeAnswer(tx, { ...row, answer: sealed(answer, repeat) });
  return answer;
}

function secretOf({ key, credential }: Repeat, use: 'answer' | 'input'): Buffer {
  return Buffer.from(hkdfSync('sha256', credential, key, `administration ${use}`, SECRET_BYTES));
}

function sealed(answer: unknown, repeat: Repeat): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secretOf(repeat, 'answer'), nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

function unsealed<Answer>(stored: string, repeat: Repeat): Answer {
  const bytes = Buffer.from(stored, 'base64');
  const decipher = createDecipheriv(CIPHER, secretOf(repeat, 'answer'), bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString('utf8')) as Answer;
  } catch {
    throw new Problem('idempotency_conflict', {
      detail:
        'The Idempotency-Key was already used with another session or token, and only that one can be shown the answer. See what was changed in the audit log, or send a new key.',
    });
  }
}

/** The same input in another order is the same request. */
function sorted(input: object): object {
  return Object.fromEntries(Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1)));
}
