/** Rejects video calls that a model does not support before they are sent. Pure. */
import type { VideoRequest } from '../contract/video.ts';
import { Problem } from '../kernel/problem.ts';
import type { Model, VideoInput } from './model.ts';

/** The request field of each input. */
const inputFields: Readonly<Record<VideoInput, keyof VideoRequest>> = {
  image: 'image_url',
  last_frame: 'last_frame_url',
  references: 'reference_urls',
  video: 'video_url',
  audio: 'audio_url',
};

export function checkVideoCall({ code, video }: Pick<Model, 'code' | 'video'>, asked: VideoRequest): void {
  const lists = {
    duration_seconds: video.seconds,
    resolution: video.resolutions,
    aspect_ratio: video.aspectRatios,
  };
  for (const param of ['duration_seconds', 'resolution', 'aspect_ratio'] as const) {
    const value = asked[param] ?? null;
    const allowed: ReadonlyArray<string | number> | null = lists[param];
    if (value === null || allowed === null || allowed.includes(value)) continue;
    throw refusal(param, `${param} must be one of ${allowed.join(', ')} for ${code}.`);
  }
  for (const [input, param] of Object.entries(inputFields) as Array<[VideoInput, keyof VideoRequest]>) {
    const value = asked[param] ?? null;
    const given = Array.isArray(value) ? value.length > 0 : value !== null;
    if (given && !video.inputs.has(input)) throw refusal(param, `${code} does not take ${param}.`);
  }
  if ((asked.reference_urls?.length ?? 0) > video.referencesMax) {
    const most = `at most ${video.referencesMax} for ${code}`;
    throw refusal('reference_urls', `reference_urls must be ${most}.`);
  }
  if ((asked.n ?? 1) > video.videosMax) {
    throw refusal('n', `n must be at most ${video.videosMax} for ${code}.`);
  }
}

function refusal(param: string, detail: string): Problem {
  return new Problem('invalid_parameter', { detail, param });
}
