/** What a provider is given for a URL of a video's request. */
import { findMediaReference, type MediaTools, storedMedia } from '../media/resolve-media.ts';
import type { MediaInput } from '../providers/media-input.ts';
import type { Provider } from '../providers/provider.ts';
import type { InputField } from './video-call.ts';
import type { VideoJob } from './video-jobs.store.ts';

/** Throws a Problem when the reference is no longer there. */
export async function openReference(
  { url, param, kinds }: InputField,
  to: { video: VideoJob; provider: Provider },
  tools: MediaTools,
): Promise<MediaInput> {
  const { spaceId } = to.video;
  return storedMedia(await findMediaReference(url, { spaceId, param, kinds }, tools), tools, to.provider);
}
