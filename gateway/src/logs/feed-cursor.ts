/** The position of one follower in a feed: what it has received of each source, and what is next. */
import type { Clock } from '../kernel/time.ts';
import { ChangeSignal } from './change-signal.ts';
import type { Feed } from './feed.ts';
import type { FeedEntry, FeedPlace } from './feed-buffer.ts';
import { FIRST_POSITION } from './line-position.ts';

export class FeedCursor {
  readonly #feed: Feed;
  readonly changed: ChangeSignal;
  /** The number of the next entry. */
  seq: number;
  #positions = new Map<string, string>();
  #starts: ReadonlyMap<string, number> = new Map();

  /** Starts at the end of the feed, so that the feed does not wait for it while it reads the past. */
  constructor(feed: Feed, clock: Clock) {
    this.#feed = feed;
    this.changed = new ChangeSignal(clock);
    this.seq = feed.buffer.nextSeq;
    feed.join(this);
  }

  leave(): void {
    this.#feed.leave(this);
  }

  moveTo({ seq, positions, starts }: FeedPlace): void {
    this.#positions = new Map(positions);
    this.#starts = starts;
    this.seq = seq;
  }

  get atEnd(): boolean {
    return this.seq >= this.#feed.buffer.nextSeq;
  }

  /** The next entry was evicted from the buffer. */
  get fellBehind(): boolean {
    return this.seq < this.#feed.buffer.firstSeq;
  }

  /** The position before the next line of a source. */
  readonly positionOf = (source: string): string => this.#positions.get(source) ?? FIRST_POSITION;

  /** The next entry; null at the end, and if it fell behind. */
  take(): FeedEntry | null {
    for (;;) {
      const entry = this.#feed.buffer.at(this.seq);
      if (entry === undefined) return null;
      const seq = this.seq++;
      this.#feed.followerMoved();
      if (entry.kind === 'pod') return entry;
      const { source } = entry.kind === 'line' ? entry.line : entry;
      if (seq < (this.#starts.get(source.id) ?? 0)) continue;
      if (entry.kind === 'line') this.#positions.set(source.id, entry.line.position);
      return entry;
    }
  }
}
