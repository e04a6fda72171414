/** The values of a call, by their placeholder names. */
import type { InputEncoding } from '../../catalog/dialects/http-video/http-video.ts';
import { Problem } from '../../kernel/problem.ts';
import { InlineMedia } from '../inline-media.ts';
import type { MediaInput } from '../media-input.ts';
import type { VideoInputs, VideoToCreate } from '../video-provider.ts';
import type { PlaceholderValues, VideoPlaceholder } from './fill-template.ts';

export async function placeholderValues(
  { jobId, upstreamModel, call }: Omit<VideoToCreate, 'mayAct'>,
  way: InputEncoding,
): Promise<PlaceholderValues> {
  const { image, lastFrame, references, video, audio }: VideoInputs<MediaInput> = call.inputs;
  const input = async (media: MediaInput | null, param: string): Promise<unknown> =>
    media === null ? undefined : await inputIn(media, { way, param });
  const values: Record<VideoPlaceholder, unknown> = {
    prompt: call.prompt,
    model: upstreamModel,
    client_id: jobId,
    duration_seconds: call.seconds,
    aspect_ratio: call.aspectRatio,
    resolution: call.resolution,
    fps: call.fps,
    seed: call.seed,
    generate_audio: call.audio,
    n: call.videos,
    image_url: await input(image, 'image_url'),
    image_type: image?.mimeType,
    last_frame_url: await input(lastFrame, 'last_frame_url'),
    last_frame_type: lastFrame?.mimeType,
    reference_urls:
      references.length === 0
        ? undefined
        : await Promise.all(references.map((one, i) => input(one, `reference_urls[${i}]`))),
    video_url: await input(video, 'video_url'),
    video_type: video?.mimeType,
    audio_url: await input(audio, 'audio_url'),
    audio_type: audio?.mimeType,
  };
  return Object.fromEntries(Object.entries(values).map(([word, value]) => [word, value ?? undefined]));
}

async function inputIn(
  media: MediaInput,
  { way, param }: { way: InputEncoding; param: string },
): Promise<unknown> {
  if (way === 'base64') return new InlineMedia(media);
  if (way === 'data_url') return InlineMedia.dataUrl(media);
  const url = await media.url();
  if (url !== null) return url;
  throw new Problem('invalid_parameter', {
    detail: `${param} must be an https URL: the provider fetches it and cannot reach this gateway.`,
    param,
  });
}
