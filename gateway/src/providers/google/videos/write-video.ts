/** Writes a video call for Veo. Pure. */
import { InlineMedia } from '../../inline-media.ts';
import type { MediaInput } from '../../media-input.ts';
import type { VideoCall, VideoInputs } from '../../video-provider.ts';

export interface VeoInputs extends VideoInputs<MediaInput> {
  /** The provider's name of the video, if it already has it. */
  readonly videoName: string | null;
}

export function writeVeoRequest(call: VideoCall, inputs: VeoInputs): object {
  const { image, lastFrame, references } = inputs;
  return {
    instances: [
      {
        prompt: call.prompt,
        ...(image !== null && { image: picture(image) }),
        ...(lastFrame !== null && { lastFrame: picture(lastFrame) }),
        ...(references.length > 0 && {
          referenceImages: references.map((one) => ({ image: picture(one), referenceType: 'asset' })),
        }),
        ...(inputs.video !== null && { video: film(inputs.video, inputs.videoName) }),
      },
    ],
    parameters: {
      ...(call.aspectRatio !== null && { aspectRatio: call.aspectRatio }),
      ...(call.resolution !== null && { resolution: call.resolution }),
      ...(call.seconds !== null && { durationSeconds: call.seconds }),
      ...(call.videos > 1 && { sampleCount: call.videos }),
    },
  };
}

function picture(media: MediaInput): object {
  return { bytesBase64Encoded: new InlineMedia(media), mimeType: media.mimeType };
}

function film(media: MediaInput, name: string | null): object {
  return name === null ? { encodedVideo: new InlineMedia(media), encoding: media.mimeType } : { uri: name };
}
