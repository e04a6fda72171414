/**
 * The stream behind a viewer: follows the logs of a project into the buffer and tells listeners at most once per
 * frame. While the view is paused and full it stops reading, so that no line that is being read has to leave.
 */
import { LineBuffer } from '../../../../../gateway/src/client/line-buffer.ts';
import { LogFollower } from '../../../../../gateway/src/client/log-follower.ts';
import type {
  FollowOptions,
  LogState,
  LogUpdate,
  Rejection,
} from '../../../../../gateway/src/client/log-updates.ts';
import type { LogEventBody, LogLineBody } from '../../../../../gateway/src/contract/logs.ts';
import { type LogTime, logTimeOf } from '../../../../../gateway/src/kernel/log-time.ts';
import { PodList } from './pod-list.ts';

/** Lines before the one at the top of a paused view that stay in the buffer. */
const CONTEXT_LINES = 500;
/** A stream without lines says after this long that it is listening. */
const QUIET_MS = 3_000;
const EVERYTHING = Number.POSITIVE_INFINITY;

export interface StreamStatus {
  readonly conn: LogState;
  readonly attempt: number;
  /** When the next attempt starts; null: not waiting. */
  readonly retryAt: number | null;
  readonly message: string | null;
  readonly rejection: Rejection | null;
}

export interface LogStreamOptions extends Omit<FollowOptions, 'follow' | 'ids' | 'headers' | 'url'> {
  /** The moment to look at; null: the newest lines. */
  readonly at: number | null;
  /** Runs work in the next frame. */
  nextFrame(work: () => void): void;
}

type Item = { readonly line: LogLineBody } | { readonly event: LogEventBody };

let streams = 0;

export class LogStream {
  readonly id = ++streams;
  readonly buffer = new LineBuffer();
  readonly pods = new PodList();
  /** Grows with each change that is shown. */
  version = 0;
  status: StreamStatus = { conn: 'connecting', attempt: 0, retryAt: null, message: null, rejection: null };
  /** The view stays at the newest line. */
  follow: boolean;
  /** Not reading, because the view is paused and full. */
  held = false;
  /** No line has arrived for a while since the start. */
  quiet = false;
  /** The place of the first line at or after the moment to look at. */
  found: number | null = null;
  /** When that line was written. */
  foundAt: LogTime | null = null;
  /** All lines from before the start of the stream were received. */
  caughtUp = false;
  /** The place of the next entry when the view was paused. */
  pausedAt = 0;
  readonly #options: LogStreamOptions;
  readonly #follower: LogFollower;
  readonly #listeners = new Set<() => void>();
  #target: LogTime | null;
  #backlog: Item[] = [];
  #keepFrom = EVERYTHING;
  #wake: (() => void) | null = null;
  #changed = false;
  #scheduled = false;
  #frozen = false;
  #stopped = false;
  #cancelQuiet: () => void = () => undefined;

  constructor(options: LogStreamOptions) {
    this.#options = options;
    this.#target = options.at === null ? null : logTimeOf(options.at);
    this.follow = options.at === null;
    this.#follower = new LogFollower({ ...options, url: '', follow: true, ids: true, headers: {} });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  async run(): Promise<void> {
    for await (const update of this.#follower.updates()) {
      if (this.#stopped) return;
      if (update.kind === 'state') this.#setState(update);
      else {
        if (update.kind === 'lines') for (const line of update.lines) this.#backlog.push({ line });
        else this.#backlog.push({ event: update.event });
        await this.#drain();
      }
      if (this.#stopped) return;
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelQuiet();
    this.#follower.stop();
    this.#wake?.();
  }

  /** Works in every state; a held stream stays held. */
  reconnect(): void {
    this.#follower.reconnect();
    this.#wake?.();
  }

  /** Looking for the first line at or after a moment. */
  get seeks(): boolean {
    return this.#target !== null;
  }

  /** Empties the view only. */
  clear(): void {
    this.buffer.clear();
    this.pausedAt = this.buffer.nextPlace;
    this.found = null;
    this.foundAt = null;
    this.#target = null;
    if (!this.follow) this.#keepFrom = this.pausedAt;
    this.#release();
  }

  setFollow(follow: boolean): void {
    if (follow === this.follow) return;
    this.follow = follow;
    this.pausedAt = this.buffer.nextPlace;
    this.#frozen = false;
    if (follow) {
      this.#keepFrom = EVERYTHING;
      this.foundAt = null;
      this.#target = null;
    }
    this.#release();
  }

  /** The place of the entry at the top of a paused view. */
  keep(place: number): void {
    if (this.follow || this.seeks) return;
    const before = this.#keepFrom;
    this.#keepFrom = place - CONTEXT_LINES;
    if (this.#keepFrom > before) this.#release();
  }

  /** Nothing moves while a mouse button is held, so that text can be selected. */
  freeze(frozen: boolean): void {
    this.#frozen = frozen;
    if (!frozen) this.#tell();
  }

  #setState({ state, attempt, delayMs, message, rejection }: LogUpdate & { kind: 'state' }): void {
    const retryAt = delayMs === null ? null : this.#options.clock.now() + delayMs;
    this.status = { conn: state, attempt, retryAt, message, rejection };
    this.#cancelQuiet();
    this.quiet = false;
    if (state === 'live' && this.buffer.nextPlace === 0) {
      this.#cancelQuiet = this.#options.clock.after(QUIET_MS, () => {
        this.quiet = this.buffer.nextPlace === 0;
        this.#tell();
      });
    }
    this.#tell();
  }

  /** Moves what was read into the buffer. If there is no room, waits for it or for a reconnect. */
  async #drain(): Promise<void> {
    this.#moveItems();
    if (!this.held || this.#stopped) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = null;
  }

  #moveItems(): void {
    let [room, count] = [this.#room(), 0];
    const lines: LogLineBody[] = [];
    const flush = (): void => this.buffer.add(lines.splice(0));
    for (const item of this.#backlog) {
      if ('event' in item) {
        flush();
        this.#addEvent(item.event);
      } else if (room-- <= 0) break;
      else {
        if (this.#isTarget(item.line)) {
          flush();
          this.found = this.buffer.nextPlace;
          this.foundAt = item.line.timeStamp;
          this.#target = null;
          this.#keepFrom = this.found - CONTEXT_LINES;
          room = this.#room() - 1;
        }
        lines.push(item.line);
      }
      count++;
    }
    flush();
    this.#backlog = this.#backlog.slice(count);
    this.held = this.#backlog.length > 0;
    if (this.buffer.nextPlace > 0) this.quiet = false;
    this.#tell();
  }

  #room(): number {
    return this.follow || this.seeks ? EVERYTHING : this.buffer.room(this.#keepFrom);
  }

  #isTarget({ timeStamp }: LogLineBody): boolean {
    return this.#target !== null && timeStamp >= this.#target;
  }

  #addEvent(event: LogEventBody): void {
    if (event.event === 'gap') this.buffer.addEvent(event);
    else if (event.event === 'caught_up') this.caughtUp = true;
    else if (event.event === 'pod' && this.pods.event(event)) this.buffer.addEvent(event);
  }

  #release(): void {
    this.#moveItems();
    if (!this.held) this.#wake?.();
  }

  #tell(): void {
    this.#changed = true;
    if (this.#frozen || this.#scheduled) return;
    this.#scheduled = true;
    this.#options.nextFrame(() => {
      this.#scheduled = false;
      if (!this.#changed || this.#frozen || this.#stopped) return;
      this.#changed = false;
      this.version++;
      for (const listener of this.#listeners) listener();
    });
  }
}
