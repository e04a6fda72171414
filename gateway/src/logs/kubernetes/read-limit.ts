/** Ends a read at a position. Lines newer than the position lie after it. */
import { secondOf } from '../../kernel/log-time.ts';
import { type HistoryPosition, ReplayMatcher } from '../../kernel/position-history.ts';
import type { TimedLine } from './log-lines.ts';

export class ReadLimit {
  readonly #until: HistoryPosition;
  readonly #matcher: ReplayMatcher<null>;
  reached = false;

  constructor(until: HistoryPosition) {
    this.#until = until;
    this.#matcher = new ReplayMatcher(until, null);
  }

  upTo(lines: readonly TimedLine[]): TimedLine[] {
    const wanted: TimedLine[] = [];
    for (const line of lines) {
      this.reached ||= this.#matcher.found || line.time > this.#until.newest;
      if (this.reached) break;
      if (secondOf(line.time) >= this.#until.since) this.#matcher.push(null, line.time, line.hash);
      wanted.push(line);
    }
    this.reached ||= this.#matcher.found;
    return wanted;
  }
}
