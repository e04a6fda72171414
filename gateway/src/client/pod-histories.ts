/**
 * The position of a client in a stream without ids (see kernel/position-history.ts). Each pod has its own
 * history, because only the order inside a pod is the same when the stream is read again.
 */

import type { LogLineBody } from '../contract/logs.ts';
import { hashText } from '../kernel/hash-text.ts';
import { type LogTime, readLogTime, secondOf } from '../kernel/log-time.ts';
import { PositionHistory, ReplayMatcher } from '../kernel/position-history.ts';
import type { Instant } from '../kernel/time.ts';

/** Pods that were silent for longer are ignored when the start of a resume is chosen. */
const RECENT_MS = 120_000;
/** After a line this much newer than all known lines, the known lines will not be sent again. */
const PASSED_SECONDS = 2;
const EPOCH: LogTime = '1970-01-01T00:00:00.000000000Z';
const HELD_LINES_MAX = 100_000;

interface PodHistory {
  readonly history: PositionHistory;
  lastAt: Instant;
}

export class PodHistories {
  readonly #pods = new Map<string, PodHistory>();
  /** Pods whose replayed lines are still compared with the known ones. */
  #replays = new Map<string, { matcher: ReplayMatcher<LogLineBody>; newest: LogTime }>();

  /** The second to resume from; null before the first line. */
  since(now: Instant): number | null {
    let since: number | null = null;
    for (const { history, lastAt } of this.#pods.values()) {
      const position = history.position();
      if (position !== null && now - lastAt <= RECENT_MS)
        since = Math.min(since ?? position.since, position.since);
    }
    if (since !== null) return since;
    const all = [...this.#pods.values()].map(({ history }) => history.position()?.since ?? 0);
    return all.length === 0 ? null : Math.max(...all);
  }

  /** The stream is sent again from this second on. */
  begin(since: number): void {
    this.#replays = new Map();
    for (const [pod, { history }] of this.#pods) {
      const position = history.position();
      if (position === null || position.since < since) continue;
      const matcher = new ReplayMatcher<LogLineBody>(position, history.recentLines());
      this.#replays.set(pod, { matcher, newest: position.newest });
    }
  }

  /** Some lines are held until it is clear whether they are new. */
  get holding(): boolean {
    return this.#replays.size > 0;
  }

  /** Returns the new lines among these, and whether lines may be missing before them. */
  take(lines: readonly LogLineBody[], now: Instant): { lines: LogLineBody[]; gap: boolean } {
    const fresh: LogLineBody[] = [];
    let gap = false;
    for (const line of lines) {
      const time = readLogTime(line.timeStamp) ?? EPOCH;
      const hash = hashText(`${time} ${line.content}`);
      const replay = this.#replays.get(line.podName);
      if (replay === undefined) {
        this.#add(line.podName, time, hash, now);
        fresh.push(line);
        continue;
      }
      replay.matcher.push(line, time, hash);
      const passed =
        secondOf(time) > secondOf(replay.newest) + PASSED_SECONDS || replay.matcher.held > HELD_LINES_MAX;
      if (replay.matcher.found) this.#replays.delete(line.podName);
      else if (passed) gap = this.#settle(line.podName, fresh, now) || gap;
    }
    return { lines: fresh, gap };
  }

  /** Releases the held lines: nothing arrived for a while, or the connection ended. */
  settle(now: Instant): { lines: LogLineBody[]; gap: boolean } {
    const fresh: LogLineBody[] = [];
    let gap = false;
    for (const pod of [...this.#replays.keys()]) {
      // A pod without any line may be gone. That is not a gap.
      const nothing = this.#replays.get(pod)?.matcher.held === 0;
      gap = (this.#settle(pod, fresh, now) && !nothing) || gap;
    }
    return { lines: fresh, gap };
  }

  #settle(pod: string, fresh: LogLineBody[], now: Instant): boolean {
    const settled = this.#replays.get(pod)?.matcher.settle();
    this.#replays.delete(pod);
    for (const line of settled?.lines ?? []) {
      const time = readLogTime(line.timeStamp) ?? EPOCH;
      this.#add(pod, time, hashText(`${time} ${line.content}`), now);
      fresh.push(line);
    }
    return settled?.gap ?? false;
  }

  #add(pod: string, time: LogTime, hash: number, now: Instant): void {
    let known = this.#pods.get(pod);
    if (known === undefined) {
      known = { history: new PositionHistory(), lastAt: now };
      this.#pods.set(pod, known);
    }
    known.lastAt = now;
    known.history.add(time, hash);
  }
}
