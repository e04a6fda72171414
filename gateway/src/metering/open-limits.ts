/** Limits how many streams or uploads a key and a space may have open at the same time. */
import { Problem } from '../kernel/problem.ts';

export interface OpenLimit {
  /** The plural noun for messages: "streams". */
  readonly what: string;
  readonly perKey: number;
  readonly perSpace: number;
}

const RETRY_AFTER_MS = 2_000;

export class OpenLimits {
  readonly #limit: OpenLimit;
  readonly #counts = new Map<string, number>();
  open = 0;

  constructor(limit: OpenLimit) {
    this.#limit = limit;
  }

  /** Throws `rate_limit_exceeded`. Otherwise returns a function that the caller calls once, at the end. */
  enter({ keyId, spaceId, spaceName }: { keyId: string; spaceId: string; spaceName: string }): () => void {
    const { what, perKey, perSpace } = this.#limit;
    if ((this.#counts.get(keyId) ?? 0) >= perKey)
      throw tooMany(what, 'This key', { limit: 'key', max: perKey });
    if ((this.#counts.get(spaceId) ?? 0) >= perSpace)
      throw tooMany(what, `The space ${spaceName}`, { limit: 'space', max: perSpace });
    this.#add(keyId, 1);
    this.#add(spaceId, 1);
    this.open++;
    return () => {
      this.#add(keyId, -1);
      this.#add(spaceId, -1);
      this.open--;
    };
  }

  #add(id: string, change: 1 | -1): void {
    const count = (this.#counts.get(id) ?? 0) + change;
    if (count === 0) this.#counts.delete(id);
    else this.#counts.set(id, count);
  }
}

function tooMany(what: string, whose: string, of: { limit: string; max: number }): Problem {
  return new Problem('rate_limit_exceeded', {
    detail: `${whose} has ${of.max} ${what} open, which is the limit. Wait until one of them has ended.`,
    retryAfterMs: RETRY_AFTER_MS,
    facts: { limit: `${what.replaceAll(' ', '_')}_${of.limit}`, max: String(of.max) },
  });
}
