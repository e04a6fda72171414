/** Veo on Google's Gemini API: videos as long-running operations. Does I/O. */

import type { Json } from '../../../json/read-json.ts';
import { randomBase62 } from '../../../kernel/ids.ts';
import type { Problem } from '../../../kernel/problem.ts';
import { writeInlineBody } from '../../inline-media.ts';
import { sendFailure } from '../../not-sent.ts';
import type { ProviderCalls } from '../../provider-calls.ts';
import type { ProviderFiles } from '../../provider-files.ts';
import { rejectVideoFields } from '../../reject-video-fields.ts';
import type {
  FoundVideo,
  ProviderFile,
  ProviderVideo,
  VideoCall,
  VideoProvider,
  VideoToCreate,
} from '../../video-provider.ts';
import { modelResource } from '../model-resource.ts';
import { readOperation } from './read-video.ts';
import { writeVeoRequest } from './write-video.ts';

/** Long enough that no prompt contains it by chance. */
const MARKER_CHARACTERS = 40;

export class GoogleVideoProvider implements VideoProvider {
  readonly #calls: ProviderCalls;
  readonly #files: ProviderFiles;

  constructor(calls: ProviderCalls, files: ProviderFiles) {
    this.#calls = calls;
    this.#files = files;
  }

  problem(status: number, body: Buffer): Problem {
    return this.#calls.problem(status, body);
  }

  check(call: VideoCall): void {
    rejectVideoFields(call, [
      ...(['duration_seconds', 'aspect_ratio', 'resolution', 'n'] as const),
      ...(['image_url', 'last_frame_url', 'reference_urls', 'video_url'] as const),
    ]);
  }

  async create({ call, upstreamModel, mayAct }: VideoToCreate, signal: AbortSignal): Promise<ProviderVideo> {
    const videoName = (await call.inputs.video?.asset()) ?? null;
    const request = writeVeoRequest(call, { ...call.inputs, videoName });
    const { length, pieces } = writeInlineBody(request, randomBase62(MARKER_CHARACTERS));
    let whole = false;
    const beforeLast = async (): Promise<void> => {
      if (!(await mayAct())) throw new Error('stopped before it was sent');
      whole = true;
    };
    try {
      const { json } = await this.#calls.post(
        pathOf(modelResource(upstreamModel), ':predictLongRunning'),
        signal,
        {
          headers: { 'content-type': 'application/json' },
          body: { length, pieces: () => pieces(beforeLast) },
        },
      );
      return this.#videoOf(json);
    } catch (error) {
      throw sendFailure(error, { whole });
    }
  }

  /** Operations cannot be listed, and they have no field for our id. */
  find(): Promise<FoundVideo> {
    return Promise.resolve('unknowable');
  }

  async status(id: string, signal: AbortSignal): Promise<ProviderVideo | null> {
    const { status, json } = await this.#calls.get(pathOf(id), signal, { fine: [404] });
    return status === 404 ? null : this.#videoOf(json);
  }

  open({ place }: ProviderFile, signal: AbortSignal): AsyncIterable<Buffer> {
    return this.#files.open(place, signal);
  }

  #videoOf(json: Json | null): ProviderVideo {
    const read = readOperation(json, this.#calls.mask);
    if (read === null) throw new Error("the provider's answer is not an operation");
    return read;
  }
}

function pathOf(name: string, method = ''): string {
  return `/${name.split('/').map(encodeURIComponent).join('/')}${method}`;
}
