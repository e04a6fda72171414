/** Opens an input of a video for its provider. */
import { findMediaReference, type MediaTools, storedMedia } from '../media/resolve-media.ts';
import type { MediaInput } from '../providers/media-input.ts';
import type { Provider } from '../providers/provider.ts';
import type { InputField } from './video-call.ts';
import type { VideoJob } from './video-jobs.store.ts';

/** Throws a Problem when the reference no longer exists. */
export async function openReference(
  { url, param, kinds }: InputField,
  to: { video: VideoJob; provider: Provider },
  tools: MediaTools,
): Promise<MediaInput> {
  const { spaceId } = to.video;
  return storedMedia(await findMediaReference(url, { spaceId, param, kinds }, tools), tools, to.provider);
}
