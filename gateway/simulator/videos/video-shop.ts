/**
 * The videos that a provider makes, whatever its protocol. Each goes its way by the clock and is filmed
 * when somebody fetches it.
 */
import { randomBase62 } from '../../src/kernel/ids.ts';
import { type Instant, systemClock } from '../../src/kernel/time.ts';
import { chooseColour, colourOf } from '../brain/colours.ts';
import { encodeMp4 } from '../brain/mp4.ts';
import { hashText, rollDice } from '../brain/words.ts';
import { Holds } from '../holds.ts';
import type { Reply } from '../reply.ts';
import { readVideoCues, type VideoCue, type VideoHold } from './video-cues.ts';

export interface VideoAsked {
  readonly dialect: string;
  readonly model: string;
  readonly prompt: string;
  /** What the caller calls it, where a protocol has a place for that. */
  readonly clientId: string | null;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly fps: number;
  readonly videos: number;
}

export interface ShopVideo extends VideoAsked {
  readonly id: string;
  readonly createdAt: Instant;
  readonly cues: ReadonlySet<VideoCue>;
  /** Infinite while there is no end in sight. */
  endsAt: Instant;
  cancelledAt: Instant | null;
  removed: boolean;
}

export interface VideoLook {
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  readonly progress: number;
}

/** What the answer to a request for one says. */
export const justMade: VideoLook = { state: 'queued', progress: 0 };

const VIDEO_MS = 100;
const SLOW_MS = 1_500;
/** Until a video is in the list, where it comes late. */
const LATE_MS = 2_000;
/** The part of its time in which a video waits for its turn. */
const QUEUED = 0.1;
const STAYS_AT = 42;
const BYTES_CUE = /\[\[bytes (\d{1,9})\]\]/;

export class VideoShop {
  /** The newest first; also those that were removed. */
  readonly videos: ShopVideo[] = [];
  readonly #videoMs: number;
  readonly #seen = new Set<string>();
  readonly #holds = new Holds<VideoHold>();

  constructor(videoMs = VIDEO_MS) {
    this.#videoMs = videoMs;
  }

  add(asked: VideoAsked, prefix: string): ShopVideo {
    const cues = readVideoCues(asked.prompt);
    const now = systemClock.now();
    const takesMs = cues.has('stay') ? Number.POSITIVE_INFINITY : cues.has('slow') ? SLOW_MS : this.#videoMs;
    const added = {
      ...asked,
      id: prefix + randomBase62(32),
      createdAt: now,
      cues,
      endsAt: now + takesMs,
      cancelledAt: null,
      removed: false,
    };
    this.videos.unshift(added);
    return added;
  }

  /** Ends the videos of this prompt now, whose cue said `stay`. */
  finish(prompt: string): void {
    for (const video of this.videos) if (video.prompt === prompt) video.endsAt = systemClock.now();
  }

  /** How many were made of this prompt, or under this id of the caller's. */
  made(name: string): number {
    return this.videos.filter(({ prompt, clientId }) => prompt === name || clientId === name).length;
  }

  find(id: string, dialect: string): ShopVideo | null {
    return this.videos.find((it) => it.id === id && it.dialect === dialect && this.#isThere(it)) ?? null;
  }

  /** The newest first; those that come late are not there yet. */
  list(dialect: string): ShopVideo[] {
    return this.videos.filter((video) => {
      if (video.dialect !== dialect || !this.#isThere(video)) return false;
      return !video.cues.has('list-late') || systemClock.now() >= video.createdAt + LATE_MS;
    });
  }

  look({ cues, createdAt, endsAt, cancelledAt }: ShopVideo): VideoLook {
    const now = systemClock.now();
    const through = (now - createdAt) / (Math.min(endsAt, createdAt + 60_000) - createdAt);
    const progress = Math.min(Math.floor(through * 100), endsAt === Number.POSITIVE_INFINITY ? STAYS_AT : 99);
    if (cancelledAt !== null && cancelledAt < endsAt) return { state: 'cancelled', progress };
    if (now < endsAt) return { state: through < QUEUED ? 'queued' : 'running', progress };
    if (cues.has('cancelled')) return { state: 'cancelled', progress };
    const fails = cues.has('failed') || cues.has('moderated') || cues.has('charged');
    return fails ? { state: 'failed', progress } : { state: 'succeeded', progress: 100 };
  }

  /** Of the colour that the prompt names. */
  film({ prompt, width, height, seconds, fps }: ShopVideo): Buffer {
    const colour = colourOf(chooseColour(prompt, rollDice(hashText(prompt))));
    const padTo = Number(BYTES_CUE.exec(prompt)?.[1] ?? 0);
    return encodeMp4({ width, height, seconds, fps, colour, padTo });
  }

  /** The film, or the half of it that a cue wants the first time. */
  async send(video: ShopVideo, reply: Reply): Promise<void> {
    const film = this.film(video);
    const head = { 'content-type': 'video/mp4', 'content-length': String(film.length) };
    if (!video.cues.has('cut-content') || !this.firstTime(`content ${video.id}`)) {
      reply.send(200, head, film);
      return;
    }
    reply.open(head);
    await reply.writeOut(film.subarray(0, film.length / 2));
    reply.cut();
  }

  /** True once for each thing, false ever after. */
  firstTime(thing: string): boolean {
    if (this.#seen.has(thing)) return false;
    this.#seen.add(thing);
    return true;
  }

  /** Waits where a cue says so: the first to come there, until it is let go. False: it left before. */
  async hold(point: VideoHold, at: { prompt: string; key: string; reply: Reply }): Promise<boolean> {
    return !readVideoCues(at.prompt).has(`hold-${point}`) || (await this.#holds.wait(point, at));
  }

  held(point: VideoHold): number {
    return this.#holds.held(point);
  }

  forget(): void {
    this.#holds.forget();
  }

  release(point: VideoHold): void {
    this.#holds.release(point);
  }

  #isThere({ removed, cues, endsAt }: ShopVideo): boolean {
    return !removed && !(cues.has('gone') && systemClock.now() >= endsAt);
  }
}
