/** Owns the feeds: one per followed project, kept for a short time after the last follower leaves. */
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { Feed } from './feed.ts';
import type { LogStore } from './source.ts';

/** A client that reconnects within this time resumes from the buffer of the feed. */
const LINGER_MS = 30_000;

interface Slot {
  readonly feed: Feed;
  users: number;
  cancelStop: (() => void) | null;
}

export class FeedHub {
  readonly #options: { store: LogStore; clock: Clock; onTrouble: (error: unknown) => void };
  readonly #slots = new Map<string, Slot>();
  #stopped = false;

  constructor(options: { store: LogStore; clock: Clock; onTrouble: (error: unknown) => void }) {
    this.#options = options;
  }

  /** Returns a running feed. The caller must `release` it. */
  async take(project: string): Promise<Feed> {
    if (this.#stopped) throw new Problem('service_unavailable', { detail: 'The gateway is stopping.' });
    let slot = this.#slots.get(project);
    if (slot === undefined) {
      slot = { feed: new Feed({ ...this.#options, project }), users: 0, cancelStop: null };
      this.#slots.set(project, slot);
    }
    slot.users++;
    slot.cancelStop?.();
    slot.cancelStop = null;
    try {
      await slot.feed.start();
      return slot.feed;
    } catch (error) {
      this.#slots.delete(project);
      await slot.feed.stop().catch(() => undefined);
      throw error;
    }
  }

  release(project: string): void {
    const slot = this.#slots.get(project);
    if (slot === undefined || --slot.users > 0) return;
    slot.cancelStop = this.#options.clock.after(LINGER_MS, () => {
      this.#slots.delete(project);
      slot.feed.stop().catch(this.#options.onTrouble);
    });
  }

  get feeds(): number {
    return this.#slots.size;
  }

  /** Stops every feed and ends its followers. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const slots = [...this.#slots.values()];
    this.#slots.clear();
    for (const slot of slots) slot.cancelStop?.();
    await Promise.all(slots.map((slot) => slot.feed.stop()));
  }
}
