/** The position of one follower in a feed: what it has received of each source, and what is next. */
import type { Clock } from '../kernel/time.ts';
import { ChangeSignal } from './change-signal.ts';
import type { CursorState } from './choose-past.ts';
import type { Feed, FeedFollower } from './feed.ts';
import type { FeedEntry } from './feed-buffer.ts';
import { FIRST_POSITION } from './line-position.ts';

export class FeedCursor {
  readonly #feed: Feed;
  readonly #follower: FeedFollower;
  #positions = new Map<string, string | null>();
  #knownBefore: ReadonlyMap<string, number> = new Map();

  /** Starts at the end of the feed, so that the feed does not wait for it while it reads the past. */
  constructor(feed: Feed, clock: Clock) {
    this.#feed = feed;
    this.#follower = { seq: feed.buffer.nextSeq, changed: new ChangeSignal(clock) };
    feed.join(this.#follower);
  }

  leave(): void {
    this.#feed.leave(this.#follower);
  }

  moveTo(state: CursorState): void {
    this.#positions = new Map(state.positions);
    this.#knownBefore = state.knownBefore;
    this.#follower.seq = state.seq;
  }

  /** The number of the next entry. */
  get seq(): number {
    return this.#follower.seq;
  }

  get atEnd(): boolean {
    return this.seq >= this.#feed.buffer.nextSeq;
  }

  /** The next entry was evicted from the buffer. */
  get fellBehind(): boolean {
    return this.seq < this.#feed.buffer.firstSeq;
  }

  /** The position before the next line of a source. */
  positionOf(source: string): string {
    return this.#positions.get(source) ?? FIRST_POSITION;
  }

  /** The next entry; null at the end, and if it fell behind. */
  take(): FeedEntry | null {
    for (;;) {
      const entry = this.#feed.buffer.at(this.seq);
      if (entry === undefined) return null;
      const { seq } = this;
      this.#follower.seq++;
      this.#feed.followerMoved();
      if (entry.kind === 'pod') return entry;
      const source = entry.kind === 'line' ? entry.line.source : entry.source;
      const knownBefore = this.#knownBefore.get(source.id);
      if (knownBefore !== undefined && seq < knownBefore) continue;
      if (entry.kind === 'line') this.#positions.set(source.id, entry.line.position);
      return entry;
    }
  }

  wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return this.#follower.changed.wait(timeoutMs, signal);
  }
}
