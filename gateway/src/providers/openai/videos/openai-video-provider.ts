/** Videos of OpenAI and of compatible servers. Does I/O. */

import { type Json, listOf, textOf } from '../../../json/read-json.ts';
import { randomBase62 } from '../../../kernel/ids.ts';
import type { Problem } from '../../../kernel/problem.ts';
import { CLOCK_SKEW_MS, PAGES_MAX } from '../../batch-provider.ts';
import { exactPieces, type MediaInput } from '../../media-input.ts';
import { sendFailure } from '../../not-sent.ts';
import type { ProviderCalls } from '../../provider-calls.ts';
import { rejectVideoFields } from '../../reject-video-fields.ts';
import {
  FileGone,
  type FoundVideo,
  type ProviderFile,
  type ProviderVideo,
  type SentVideo,
  type VideoCall,
  type VideoProvider,
  type VideoToCreate,
} from '../../video-provider.ts';
import { matchesSentVideo, readVideo } from './read-video.ts';
import { videoSize } from './video-size.ts';
import { type FormImage, writeVideoForm } from './write-video.ts';

const PATH = '/videos';
const PAGE_VIDEOS = 100;
/** Long enough that no file contains it by chance. */
const BOUNDARY_CHARACTERS = 40;

export class OpenaiVideoProvider implements VideoProvider {
  readonly #calls: ProviderCalls;

  constructor(calls: ProviderCalls) {
    this.#calls = calls;
  }

  problem(status: number, body: Buffer): Problem {
    return this.#calls.problem(status, body);
  }

  check(call: VideoCall): void {
    rejectVideoFields(call, ['duration_seconds', 'aspect_ratio', 'resolution', 'image_url']);
    videoSize(call);
  }

  /**
   * Nothing is created before the last bytes of the form arrive. `mayAct` is asked just before those are
   * sent.
   */
  async create({ call, upstreamModel, mayAct }: VideoToCreate, signal: AbortSignal): Promise<ProviderVideo> {
    const { image } = call.inputs;
    const picture = image === null ? null : await pictureOf(image);
    const form = writeVideoForm({ call, upstreamModel, picture }, randomBase62(BOUNDARY_CHARACTERS));
    const follows = image !== null && picture !== null && 'mimeType' in picture ? image : null;
    let whole = false;
    async function* pieces(): AsyncGenerator<Buffer> {
      yield form.head;
      if (follows !== null) yield* exactPieces(follows);
      if (!(await mayAct())) throw new Error('stopped before it was sent');
      whole = true;
      yield form.tail;
    }
    const length = form.head.length + (follows?.bytes ?? 0) + form.tail.length;
    try {
      const headers = { 'content-type': form.contentType };
      const { json } = await this.#calls.post(PATH, signal, { headers, body: { length, pieces } });
      return this.#videoOf(json);
    } catch (error) {
      throw sendFailure(error, { whole });
    }
  }

  /**
   * OpenAI stores no id of ours, so a video is identified by its request. The list is expected newest first.
   * A list in another order is read to its end.
   */
  async find(sent: SentVideo, signal: AbortSignal): Promise<FoundVideo> {
    const since = sent.sentAt - CLOCK_SKEW_MS;
    const found: ProviderVideo[] = [];
    let after = '';
    for (let page = 0; page < PAGES_MAX; page++) {
      const from = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
      const { json } = await this.#calls.get(`${PATH}?limit=${PAGE_VIDEOS}&order=desc${from}`, signal);
      if (!Array.isArray(json?.data)) throw new Error('the provider did not list its videos');
      const listed = listOf(json.data).flatMap((item) => readVideo(item, this.#calls.mask) ?? []);
      for (const item of listed) {
        const match = item.createdAt < since ? 'no' : matchesSentVideo(item, sent);
        if (match === 'no' || (await sent.isOther(item.video.id))) continue;
        if (match === 'maybe') return 'unknowable';
        found.push(item.video);
      }
      after = textOf(json.last_id) || textOf(listOf(json.data).at(-1)?.id);
      const [first, last] = [listed.at(0)?.createdAt ?? 0, listed.at(-1)?.createdAt ?? 0];
      const past = first > last && last < since;
      if (json.has_more !== true || after === '' || past) return onlyOne(found);
    }
    throw new Error(`the provider lists more than ${PAGES_MAX} pages of videos`);
  }

  async status(id: string, signal: AbortSignal): Promise<ProviderVideo | null> {
    const { status, json } = await this.#calls.get(pathOf(id), signal, { fine: [404] });
    return status === 404 ? null : this.#videoOf(json);
  }

  async *open({ videoId }: ProviderFile, signal: AbortSignal): AsyncGenerator<Buffer> {
    const reply = await this.#calls.open(`${pathOf(videoId)}/content`, signal);
    if (reply.status === 200) {
      yield* reply.pieces();
      return;
    }
    reply.discard();
    if (reply.status === 404)
      throw new FileGone(`the provider does not have the content of ${videoId} any more`);
    throw this.problem(reply.status, Buffer.alloc(0));
  }

  async remove(id: string, signal: AbortSignal): Promise<void> {
    await this.#calls.delete(pathOf(id), signal);
  }

  #videoOf(json: Json | null): ProviderVideo {
    const read = readVideo(json, this.#calls.mask);
    if (read === null) throw new Error("the provider's answer is not a video");
    return read.video;
  }
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}

/** A file that the provider already has is sent by its id. */
async function pictureOf(image: MediaInput): Promise<FormImage> {
  const fileId = await image.asset();
  return fileId === null ? { mimeType: image.mimeType } : { fileId };
}

function onlyOne(found: readonly ProviderVideo[]): FoundVideo {
  const [only] = found;
  if (only === undefined) return 'absent';
  return found.length === 1 ? only : 'unknowable';
}
