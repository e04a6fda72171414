/**
 * Limits the bytes that calls hold in memory at one time: request bodies, what is built from them, and replies
 * that wait for a slow reader. There is a limit for each key, each space and the whole process, so that no tenant
 * uses up the memory of all.
 *
 * A space may hold at most as many bytes as are still free. So one busy space gets half of the total, two get a
 * third each, and a space that was idle always finds room without interrupting a running call.
 */
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';

export interface ByteLimits {
  readonly keyBytes: number;
  readonly spaceBytes: number;
  readonly totalBytes: number;
  /** How long a call waits for room before it is rejected. */
  readonly waitMs: number;
}

export interface ByteOwner {
  readonly keyId: string;
  readonly spaceId: string;
  readonly spaceName: string;
}

/** A call that holds no more than this never waits: a part of the total is reserved for small calls. */
const SMALL_BYTES = 64 * 1024;
const SMALL_RESERVE = 1 / 8;
/** Calls of one space that may wait at the same time; further calls are rejected immediately. */
const WAITING_MAX = 200;
const RETRY_AFTER_MS = 2_000;

type Shortage = 'key' | 'space' | 'total';

interface Share {
  held: number;
  leases: number;
  waiting: number;
}

interface Waiting {
  readonly lease: ByteLease;
  readonly bytes: number;
  grant(): void;
  /** The call has ended and needs no room. */
  end(): void;
}

export class ByteBudget {
  readonly #limits: ByteLimits;
  readonly #clock: Clock;
  readonly #spaces = new Map<string, Share>();
  readonly #keys = new Map<string, Share>();
  /** In order of arrival. */
  #waiting: Waiting[] = [];
  /** The one reply that may exceed every limit, so that replies cannot wait for each other forever. */
  #beyond: ByteLease | null = null;
  held = 0;
  refused = 0;
  /** Bytes taken since the start; shows whether the process is busy. */
  taken = 0;

  constructor(limits: ByteLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** For one call. The caller must close it. */
  open(owner: ByteOwner): ByteLease {
    return new ByteLease(this, owner, {
      space: share(this.#spaces, owner.spaceId),
      key: share(this.#keys, owner.keyId),
    });
  }

  /** Takes the bytes and returns null when there is room; otherwise says which limit is reached. */
  take(lease: ByteLease, bytes: number): Shortage | null {
    const short = this.#shortage(lease, bytes);
    if (short === null) this.add(lease, bytes);
    return short;
  }

  /** Counts bytes that are held already, even when there is no room. */
  add(lease: ByteLease, bytes: number): void {
    if (bytes > 0) this.taken += bytes;
    lease.held += bytes;
    lease.space.held += bytes;
    lease.key.held += bytes;
    this.held += bytes;
  }

  giveBack(lease: ByteLease, bytes: number): void {
    this.add(lease, -bytes);
    if (this.#waiting.length > 0) this.#grant();
  }

  closed(lease: ByteLease): void {
    if (this.#beyond === lease) this.#beyond = null;
    for (const waiting of this.#waiting.filter((one) => one.lease === lease)) {
      this.#leave(waiting);
      waiting.end();
    }
    drop(this.#spaces, lease.owner.spaceId, lease.space);
    drop(this.#keys, lease.owner.keyId, lease.key);
    this.giveBack(lease, lease.held);
  }

  /** Rejects with a Problem when no room becomes free in time. */
  async wait(lease: ByteLease, bytes: number): Promise<void> {
    if (lease.space.waiting < WAITING_MAX && (await this.#granted(lease, bytes))) return;
    this.refused++;
    throw this.#problem(lease, this.#shortage(lease, bytes) ?? 'total');
  }

  /** For a reply that is already charged: waits without a time limit. */
  waitLong(lease: ByteLease, bytes: number, granted: () => void): void {
    lease.waitsLong = true;
    this.#enqueue({ lease, bytes, grant: granted, end: () => undefined });
    this.#grant();
  }

  /** False when no room became free in time. True also for a call that ended meanwhile, because it needs none. */
  #granted(lease: ByteLease, bytes: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (granted: boolean): void => {
        cancel();
        resolve(granted);
      };
      const waiting = { lease, bytes, grant: () => settle(true), end: () => settle(true) };
      const cancel = this.#clock.after(this.#limits.waitMs, () => {
        this.#leave(waiting);
        resolve(false);
      });
      this.#enqueue(waiting);
    });
  }

  #enqueue(waiting: Waiting): void {
    waiting.lease.space.waiting++;
    this.#waiting.push(waiting);
  }

  #leave(waiting: Waiting): void {
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    waiting.lease.space.waiting--;
  }

  /** Spaces that hold the fewest bytes come first. */
  #grant(): void {
    for (;;) {
      let next: Waiting | null = null;
      for (const waiting of this.#waiting) {
        if (next !== null && waiting.lease.space.held >= next.lease.space.held) continue;
        if (this.#shortage(waiting.lease, waiting.bytes) === null) next = waiting;
      }
      if (next === null && this.#beyond === null) {
        next = this.#waiting.find(({ lease }) => lease.waitsLong) ?? null;
        if (next !== null) this.#beyond = next.lease;
      }
      if (next === null) return;
      const { lease, bytes } = next;
      this.#leave(next);
      lease.waitsLong = false;
      this.add(lease, bytes);
      next.grant();
    }
  }

  #shortage(lease: ByteLease, bytes: number): Shortage | null {
    const { keyBytes, spaceBytes, totalBytes } = this.#limits;
    const { key, space } = lease;
    if (this.#beyond === lease) return null;
    // The only call of a key or space may be as large as it needs to be.
    if (key.held + bytes > keyBytes && key.held > lease.held) return 'key';
    if (space.held + bytes > spaceBytes && space.held > lease.held) return 'space';
    if (lease.held + bytes <= SMALL_BYTES) {
      return this.held + bytes > totalBytes * (1 + SMALL_RESERVE) ? 'total' : null;
    }
    const free = totalBytes - this.held;
    if (bytes > free) return this.held === lease.held ? null : 'total';
    return space.held + bytes > free && space.held > lease.held ? 'space' : null;
  }

  #problem({ owner }: ByteLease, short: Shortage): Problem {
    const facts = { limit: `bytes_in_flight_${short}` };
    if (short === 'total') {
      return new Problem('service_unavailable', {
        detail:
          'The gateway has reached its memory limit for calls in progress. Send the call again in a few seconds.',
        retryAfterMs: RETRY_AFTER_MS,
        facts,
      });
    }
    const { keyBytes, spaceBytes } = this.#limits;
    const whose = short === 'key' ? 'This key' : `The space ${owner.spaceName}`;
    const bytes = short === 'key' ? keyBytes : spaceBytes;
    return new Problem('rate_limit_exceeded', {
      detail:
        `${whose} has too many bytes of calls in progress: at most ${bytes}, and less while other spaces need ` +
        'room. Wait until earlier calls have finished, or send fewer large calls at the same time.',
      retryAfterMs: RETRY_AFTER_MS,
      facts,
    });
  }
}

/** The bytes that one call holds. */
export class ByteLease {
  readonly owner: ByteOwner;
  readonly space: Share;
  readonly key: Share;
  readonly #budget: ByteBudget;
  #closed = false;
  held = 0;
  waitsLong = false;

  constructor(budget: ByteBudget, owner: ByteOwner, shares: { space: Share; key: Share }) {
    this.#budget = budget;
    this.owner = owner;
    this.space = shares.space;
    this.key = shares.key;
  }

  /** Null when there is room immediately; otherwise the promise rejects with a Problem if none becomes free in time. */
  take(bytes: number): Promise<void> | null {
    if (this.#closed || this.#budget.take(this, bytes) === null) return null;
    return this.#budget.wait(this, bytes);
  }

  /** Counts bytes that can no longer be rejected. */
  add(bytes: number): void {
    if (!this.#closed) this.#budget.add(this, bytes);
  }

  /** For a reply that is already charged. False: `granted` is called when there is room. */
  takeAnswer(bytes: number, granted: () => void): boolean {
    if (this.#closed || this.#budget.take(this, bytes) === null) return true;
    let atOnce = false;
    let waiting = false;
    this.#budget.waitLong(this, bytes, () => {
      if (waiting) granted();
      else atOnce = true;
    });
    waiting = true;
    return atOnce;
  }

  giveBack(bytes: number): void {
    if (!this.#closed) this.#budget.giveBack(this, Math.min(bytes, this.held));
  }

  /** Gives everything back. May be called twice. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#budget.closed(this);
  }
}

function share(shares: Map<string, Share>, id: string): Share {
  let found = shares.get(id);
  if (found === undefined) {
    found = { held: 0, leases: 0, waiting: 0 };
    shares.set(id, found);
  }
  found.leases++;
  return found;
}

function drop(shares: Map<string, Share>, id: string, left: Share): void {
  if (--left.leases === 0) shares.delete(id);
}
