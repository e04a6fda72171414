/** Translates a video request into the neutral call that providers read. Pure. */
import type { ReferenceKind } from '../contract/reference-kinds.ts';
import type { VideoCall, VideoInputs } from '../providers/video-provider.ts';
import type { KeptRequest } from './video-jobs.store.ts';

export function videoCallOf(request: KeptRequest): VideoCall & { inputs: VideoInputs<string> } {
  return {
    prompt: request.prompt,
    seconds: request.duration_seconds ?? null,
    aspectRatio: request.aspect_ratio ?? null,
    resolution: request.resolution ?? null,
    fps: request.fps ?? null,
    seed: request.seed ?? null,
    audio: request.generate_audio ?? null,
    videos: request.n ?? 1,
    inputs: {
      image: request.image_url ?? null,
      lastFrame: request.last_frame_url ?? null,
      references: request.reference_urls ?? [],
      video: request.video_url ?? null,
      audio: request.audio_url ?? null,
    },
  };
}

/** One URL of a request, with its field and the kinds it may have. */
export interface InputField {
  readonly url: string;
  readonly param: string;
  readonly kinds: readonly ReferenceKind[];
}

/** Maps each URL, one after the other. */
export async function mapInputs<Input>(
  inputs: VideoInputs<string>,
  map: (field: InputField) => Promise<Input>,
): Promise<VideoInputs<Input>> {
  const one = async (url: string | null, param: string, kind: ReferenceKind): Promise<Input | null> =>
    url === null ? null : await map({ url, param, kinds: [kind] });
  const image = await one(inputs.image, 'image_url', 'image');
  const lastFrame = await one(inputs.lastFrame, 'last_frame_url', 'image');
  const references: Input[] = [];
  for (const [i, url] of inputs.references.entries()) {
    references.push(await map({ url, param: `reference_urls[${i}]`, kinds: ['image'] }));
  }
  const video = await one(inputs.video, 'video_url', 'video');
  const audio = await one(inputs.audio, 'audio_url', 'audio');
  return { image, lastFrame, references, video, audio };
}
