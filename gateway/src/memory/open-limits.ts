/** Limits how many streams, uploads or downloads may be open at the same time. */
import { Problem } from '../kernel/problem.ts';

/** Whose open things are counted together, and how many there may be. */
export interface OpenShare {
  readonly of: keyof typeof OWNERS;
  readonly id: string;
  readonly max: number;
  /** Of a space, for the message. */
  readonly name?: string;
}

/** As the subject of a sentence. */
const OWNERS = {
  key: 'This key',
  space: 'The space',
  person: 'Your account',
  link: 'The file of this link',
  address: 'Your network address',
} as const;

const RETRY_AFTER_MS = 2_000;

export class OpenCounts {
  readonly #what: string;
  readonly #counts = new Map<string, number>();

  /** `what`: the plural noun for messages, such as "streams". */
  constructor(what: string) {
    this.#what = what;
  }

  /** Throws `rate_limit_exceeded`. Otherwise returns a function that the caller calls once, at the end. */
  enter(shares: readonly OpenShare[]): () => void {
    for (const share of shares)
      if ((this.#counts.get(share.id) ?? 0) >= share.max) throw tooMany(this.#what, share);
    for (const { id } of shares) this.#add(id, 1);
    return () => {
      for (const { id } of shares) this.#add(id, -1);
    };
  }

  #add(id: string, change: 1 | -1): void {
    const count = (this.#counts.get(id) ?? 0) + change;
    if (count === 0) this.#counts.delete(id);
    else this.#counts.set(id, count);
  }
}

/** The limits of keys and spaces. */
export class OpenLimits {
  readonly #limit: { readonly perKey: number; readonly perSpace: number };
  readonly #counts: OpenCounts;

  constructor(limit: { what: string; perKey: number; perSpace: number }) {
    this.#limit = limit;
    this.#counts = new OpenCounts(limit.what);
  }

  /** Throws `rate_limit_exceeded`. Otherwise returns a function that the caller calls once, at the end. */
  enter({ keyId, spaceId, spaceName }: { keyId: string; spaceId: string; spaceName: string }): () => void {
    const { perKey, perSpace } = this.#limit;
    return this.#counts.enter([
      { of: 'key', id: keyId, max: perKey },
      { of: 'space', id: spaceId, max: perSpace, name: spaceName },
    ]);
  }
}

function tooMany(what: string, { of, max, name }: OpenShare): Problem {
  const whose = name === undefined ? OWNERS[of] : `${OWNERS[of]} ${name}`;
  return new Problem('rate_limit_exceeded', {
    detail: `${whose} has ${max} ${what} open, which is the limit. Wait until one of them has ended.`,
    retryAfterMs: RETRY_AFTER_MS,
    facts: { limit: `${what.replaceAll(' ', '_')}_${of}`, max: String(max) },
  });
}
