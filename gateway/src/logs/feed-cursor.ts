/** A follower's place in a feed: what it has had of each source, and what comes next. */
import type { LogTime } from '../kernel/log-time.ts';
import type { Clock } from '../kernel/time.ts';
import type { Feed, FeedFollower } from './feed.ts';
import type { FeedEntry } from './feed-ring.ts';
import { FIRST_PLACE, isOwnPlace, type LogRequest, wants } from './log-request.ts';
import type { LogSource } from './source.ts';
import { Wake } from './wake.ts';

/** How much out of order lines of one moment may stand. */
const OUT_OF_ORDER_MS = 1_000;

export class FeedCursor {
  readonly #feed: Feed;
  readonly #follower: FeedFollower;
  /** After the last line of each source that it passed. */
  #positions = new Map<string, string | null>();
  /** Of these sources the entries before the number are known to the client. */
  #known: ReadonlyMap<string, number> = new Map();

  /** Far ahead until it is known where it begins, so that the feed does not wait for it. */
  constructor(feed: Feed, clock: Clock) {
    this.#feed = feed;
    this.#follower = { seq: feed.ring.nextSeq, wake: new Wake(clock) };
    feed.join(this.#follower);
  }

  leave(): void {
    this.#feed.leave(this.#follower);
  }

  get seq(): number {
    return this.#follower.seq;
  }

  get atEnd(): boolean {
    return this.seq >= this.#feed.ring.nextSeq;
  }

  get fellBehind(): boolean {
    return this.seq < this.#feed.ring.firstSeq;
  }

  wait(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    return this.#follower.wake.wait(timeoutMs, signal);
  }

  /** The next entry, null at the end; also null when it fell behind. */
  take(): FeedEntry | null {
    for (;;) {
      const entry = this.#feed.ring.at(this.seq);
      if (entry === undefined) return null;
      const { seq } = this;
      this.#follower.seq++;
      this.#feed.moved();
      if (entry.kind !== 'line') return entry;
      const { source, position } = entry.line;
      const known = this.#known.get(source.id);
      if (known !== undefined && seq < known) continue;
      this.#positions.set(source.id, position);
      return entry;
    }
  }

  /** Where the request can be answered from what the feed holds: stands there, and answers true. */
  begin(request: LogRequest, since: LogTime | null): boolean {
    const start = this.#findStart(request, since);
    if (start === null) return false;
    const { ring, sources } = this.#feed;
    this.#positions = new Map();
    for (const id of sources.keys()) this.#positions.set(id, ring.leftPosition(id) ?? null);
    for (let seq = ring.firstSeq; seq < start; seq++) {
      const entry = ring.at(seq);
      if (entry?.kind === 'line') this.#positions.set(entry.line.source.id, entry.line.position);
    }
    for (const [id, position] of request.after ?? []) {
      if (!isOwnPlace(position)) this.#positions.set(id, position);
    }
    this.#follower.seq = start;
    return true;
  }

  /** The place before what comes next of a source. */
  placeOf(source: string): string {
    return this.#positions.get(source) ?? FIRST_PLACE;
  }

  /** What lies between this place and where the feed is; `accept` stands there once that was read. */
  partsUpToNow(wanted: (source: LogSource) => boolean): {
    parts: Array<{ source: LogSource; until: string }>;
    accept: () => void;
  } {
    const { seq, ends } = this.#feed.mark();
    const parts = [...this.#feed.sources.values()].filter(wanted).flatMap((source) => {
      const until = ends.get(source.id) ?? null;
      // Of a source with no line yet all will come through the feed.
      return until === null ? [] : [{ source, until }];
    });
    return {
      parts,
      accept: () => {
        this.#positions = new Map(ends);
        this.#known = new Map();
        this.#follower.seq = seq;
      },
    };
  }

  #findStart(request: LogRequest, since: LogTime | null): number | null {
    const { ring } = this.#feed;
    const own = [...this.#feed.sources.values()].filter((source) => wants(request, source));
    if (request.after !== null) return this.#findAfter(request.after, own);
    const whole = own.every(({ id }) => ring.leftPosition(id) === undefined);
    if (request.tailLines !== null) return this.#findTail(request, whole);
    if (whole) return ring.firstSeq;
    // Everything that left is older than what is wanted.
    return since !== null && earlier(since) > ring.leftNewest ? ring.firstSeq : null;
  }

  #findTail(request: LogRequest, whole: boolean): number | null {
    const { ring } = this.#feed;
    let missing = request.tailLines ?? 0;
    for (let seq = ring.nextSeq; ; seq--) {
      if (missing === 0) return seq;
      const entry = ring.at(seq - 1);
      if (entry === undefined) return whole ? ring.firstSeq : null;
      if (entry.kind === 'line' && wants(request, entry.line.source)) missing--;
    }
  }

  #findAfter(after: ReadonlyMap<string, string>, own: readonly LogSource[]): number | null {
    const { ring } = this.#feed;
    const wanted = new Map<string, string>();
    for (const { id } of own) {
      const position = after.get(id) ?? FIRST_PLACE;
      const left = ring.leftPosition(id) ?? FIRST_PLACE;
      if (position !== left) wanted.set(id, position);
    }
    const known = new Map<string, number>();
    for (let seq = ring.firstSeq; seq < ring.nextSeq && wanted.size > 0; seq++) {
      const entry = ring.at(seq);
      if (entry?.kind !== 'line' || wanted.get(entry.line.source.id) !== entry.line.position) continue;
      wanted.delete(entry.line.source.id);
      known.set(entry.line.source.id, seq + 1);
    }
    if (wanted.size > 0 && !this.#areEnds(wanted)) return null;
    this.#known = known;
    return ring.firstSeq;
  }

  /** Places where the feed itself stands, with nothing after them. */
  #areEnds(wanted: ReadonlyMap<string, string>): boolean {
    const { ends } = this.#feed.mark();
    const { ring } = this.#feed;
    for (const [id, position] of wanted) {
      if (ends.get(id) !== position) return false;
      for (let seq = ring.firstSeq; seq < ring.nextSeq; seq++) {
        const entry = ring.at(seq);
        if (entry?.kind === 'line' && entry.line.source.id === id) return false;
      }
    }
    return true;
  }
}

function earlier(time: LogTime): LogTime {
  return new Date(Date.parse(time) - OUT_OF_ORDER_MS).toISOString().replace('Z', '000000Z');
}
