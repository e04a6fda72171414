/**
 * Where a client is in a stream without ids: by the alignment rule of kernel/line-trail.ts, pod by pod,
 * because only the order inside a pod is the same when it is read again.
 */
import type { LogLineBody } from '../contract/logs.ts';
import { hashText } from '../kernel/hash-text.ts';
import { LineTrail, TrailFinder } from '../kernel/line-trail.ts';
import { type LogTime, readLogTime, secondOf } from '../kernel/log-time.ts';
import type { Instant } from '../kernel/time.ts';

/** Pods that were silent for longer say nothing about where the stream was. */
const RECENT_MS = 120_000;
/** A line this much newer than all that is known: what was known will not come any more. */
const PASSED_SECONDS = 2;
const HELD_LINES_MAX = 100_000;

interface PodTrail {
  readonly trail: LineTrail;
  lastAt: Instant;
}

type Finder = TrailFinder<LogLineBody>;

export class PodTrails {
  readonly #pods = new Map<string, PodTrail>();
  #finders = new Map<string, { finder: Finder; newest: LogTime }>();

  /** The whole second to ask from; null where nothing came yet. */
  since(now: Instant): number | null {
    let since: number | null = null;
    for (const { trail, lastAt } of this.#pods.values()) {
      const place = trail.place();
      if (place !== null && now - lastAt <= RECENT_MS) since = Math.min(since ?? place.since, place.since);
    }
    if (since !== null) return since;
    const all = [...this.#pods.values()].map(({ trail }) => trail.place()?.since ?? 0);
    return all.length === 0 ? null : Math.max(...all);
  }

  /** The stream begins again from this second. */
  begin(since: number): void {
    this.#finders = new Map();
    for (const [pod, { trail }] of this.#pods) {
      const place = trail.place();
      if (place === null || place.since < since) continue;
      const finder = new TrailFinder<LogLineBody>(place, trail.block());
      this.#finders.set(pod, { finder, newest: place.newest });
    }
  }

  /** Lines wait to be told from known ones. */
  get holding(): boolean {
    return this.#finders.size > 0;
  }

  /** The lines of these that are new, and whether lines may be missing before them. */
  take(lines: readonly LogLineBody[], now: Instant): { lines: LogLineBody[]; gap: boolean } {
    const fresh: LogLineBody[] = [];
    let gap = false;
    for (const line of lines) {
      const time = readLogTime(line.timeStamp) ?? '1970-01-01T00:00:00.000000000Z';
      const hash = hashText(`${time} ${line.content}`);
      const found = this.#finders.get(line.podName);
      if (found === undefined) {
        this.#add(line.podName, time, hash, now);
        fresh.push(line);
        continue;
      }
      found.finder.push(line, time, hash);
      const passed =
        secondOf(time) > secondOf(found.newest) + PASSED_SECONDS || found.finder.held > HELD_LINES_MAX;
      if (found.finder.found) this.#finders.delete(line.podName);
      else if (passed) gap = this.#settle(line.podName, fresh, now) || gap;
    }
    return { lines: fresh, gap };
  }

  /** Nothing came for a while, or nothing more will: what was held goes out. */
  settle(now: Instant): { lines: LogLineBody[]; gap: boolean } {
    const fresh: LogLineBody[] = [];
    let gap = false;
    for (const pod of [...this.#finders.keys()]) {
      // A pod of which nothing came may be gone; nobody can tell.
      const nothing = this.#finders.get(pod)?.finder.held === 0;
      gap = (this.#settle(pod, fresh, now) && !nothing) || gap;
    }
    return { lines: fresh, gap };
  }

  #settle(pod: string, fresh: LogLineBody[], now: Instant): boolean {
    const settled = this.#finders.get(pod)?.finder.settle();
    this.#finders.delete(pod);
    for (const line of settled?.lines ?? []) {
      const time = readLogTime(line.timeStamp) ?? '1970-01-01T00:00:00.000000000Z';
      this.#add(pod, time, hashText(`${time} ${line.content}`), now);
      fresh.push(line);
    }
    return settled?.gap ?? false;
  }

  #add(pod: string, time: LogTime, hash: number, now: Instant): void {
    let known = this.#pods.get(pod);
    if (known === undefined) {
      known = { trail: new LineTrail(), lastAt: now };
      this.#pods.set(pod, known);
    }
    known.lastAt = now;
    known.trail.add(time, hash);
  }
}
