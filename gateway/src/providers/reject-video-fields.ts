/** Rejects the video fields that a dialect does not support, with their public names. Pure. */
import { Problem } from '../kernel/problem.ts';
import type { VideoCall } from './video-provider.ts';

const fields = {
  duration_seconds: (call) => call.seconds !== null,
  aspect_ratio: (call) => call.aspectRatio !== null,
  resolution: (call) => call.resolution !== null,
  fps: (call) => call.fps !== null,
  seed: (call) => call.seed !== null,
  generate_audio: (call) => call.audio !== null,
  n: (call) => call.videos > 1,
  image_url: ({ inputs }) => inputs.image !== null,
  last_frame_url: ({ inputs }) => inputs.lastFrame !== null,
  reference_urls: ({ inputs }) => inputs.references.length > 0,
  video_url: ({ inputs }) => inputs.video !== null,
  audio_url: ({ inputs }) => inputs.audio !== null,
} satisfies Record<string, (call: VideoCall) => boolean>;
export type VideoField = keyof typeof fields;

/** Throws for the first field that is set and not supported. */
export function rejectVideoFields(call: VideoCall, known: readonly VideoField[]): void {
  for (const [field, isSaid] of Object.entries(fields)) {
    if (known.includes(field as VideoField) || !isSaid(call)) continue;
    const detail =
      field === 'n'
        ? 'The model makes one video at a time; leave n out.'
        : `The model does not take ${field}; leave it out.`;
    throw new Problem('invalid_parameter', { detail, param: field });
  }
}
