/**
 * How many bytes of calls are held at one time: bodies that arrive, what is made of them, answers that wait
 * for their caller. Each key and each space has a share, and so has everything together, so that no tenant
 * takes the memory of all.
 *
 * A space may hold at most as much as is still free. So one alone may hold half, two a third each, and
 * there is always room for one that comes new: nobody has to be interrupted for that.
 */
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';

export interface ByteLimits {
  readonly keyBytes: number;
  readonly spaceBytes: number;
  readonly totalBytes: number;
  /** How long a call may wait for room before it is refused. */
  readonly waitMs: number;
}

export interface ByteOwner {
  readonly keyId: string;
  readonly spaceId: string;
  readonly spaceName: string;
}

/** What a small call holds at most. It never waits: a part of the total is kept for such calls. */
const SMALL_BYTES = 64 * 1024;
const SMALL_RESERVE = 1 / 8;
/** Waiting in one space at once; the next is refused at once. */
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
  /** Its call is over: nothing is granted to it any more. */
  end(): void;
}

export class ByteBudget {
  readonly #limits: ByteLimits;
  readonly #clock: Clock;
  readonly #spaces = new Map<string, Share>();
  readonly #keys = new Map<string, Share>();
  /** In the order they came. */
  #waiting: Waiting[] = [];
  /** The one answer that may go beyond every limit, so that answers never wait for each other in a circle. */
  #beyond: ByteLease | null = null;
  held = 0;
  refused = 0;
  /** All that was ever taken, to tell a load from rest. */
  taken = 0;

  constructor(limits: ByteLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** For one call; whoever opens it closes it. */
  open(owner: ByteOwner): ByteLease {
    return new ByteLease(this, owner, {
      space: share(this.#spaces, owner.spaceId),
      key: share(this.#keys, owner.keyId),
    });
  }

  /** Null when there is room, and then it is taken. */
  take(lease: ByteLease, bytes: number): Shortage | null {
    const short = this.#shortage(lease, bytes);
    if (short === null) this.add(lease, bytes);
    return short;
  }

  /** Counts what is held already, whether there is room or not. */
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

  /** Rejects with a Problem when there is no room in time. */
  async wait(lease: ByteLease, bytes: number): Promise<void> {
    if (lease.space.waiting < WAITING_MAX && (await this.#granted(lease, bytes))) return;
    this.refused++;
    throw this.#problem(lease, this.#shortage(lease, bytes) ?? 'total');
  }

  /** For an answer that is paid for already: it waits as long as it takes. */
  waitLong(lease: ByteLease, bytes: number, granted: () => void): void {
    lease.waitsLong = true;
    this.#enqueue({ lease, bytes, grant: granted, end: () => undefined });
    this.#grant();
  }

  /** False when there was no room in time. A call that ended meanwhile needs none. */
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

  /** Those who hold least come first. */
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
    // A call that is the only one may be as large as it has to be.
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
        detail: 'The gateway holds as many bytes of calls as it may. Send the call again a little later.',
        retryAfterMs: RETRY_AFTER_MS,
        facts,
      });
    }
    const { keyBytes, spaceBytes } = this.#limits;
    const whose = short === 'key' ? 'This key' : `The space ${owner.spaceName}`;
    const bytes = short === 'key' ? keyBytes : spaceBytes;
    return new Problem('rate_limit_exceeded', {
      detail:
        `${whose} has too many bytes of calls under way at the same time: at most ${bytes}, and less while other ` +
        'spaces need room. Wait until earlier calls are answered, or send fewer large calls at the same time.',
      retryAfterMs: RETRY_AFTER_MS,
      facts,
    });
  }
}

/** What one call holds. */
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

  /** Null when there is room at once, as nearly always; else it rejects with a Problem if there is none in time. */
  take(bytes: number): Promise<void> | null {
    if (this.#closed || this.#budget.take(this, bytes) === null) return null;
    return this.#budget.wait(this, bytes);
  }

  /** Counts bytes that cannot be refused any more. */
  add(bytes: number): void {
    if (!this.#closed) this.#budget.add(this, bytes);
  }

  /** For an answer that is paid for. False: `granted` is called when there is room. */
  takeAnswer(bytes: number, granted: () => void): boolean {
    if (this.#closed || this.#budget.take(this, bytes) === null) return true;
    let atOnce = false;
    let asking = true;
    this.#budget.waitLong(this, bytes, () => {
      if (asking) atOnce = true;
      else granted();
    });
    asking = false;
    return atOnce;
  }

  giveBack(bytes: number): void {
    if (!this.#closed) this.#budget.giveBack(this, Math.min(bytes, this.held));
  }

  /** Gives everything back, whatever is still going on. May be called twice. */
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
