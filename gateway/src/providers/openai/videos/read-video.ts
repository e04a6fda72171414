/** Reads OpenAI's videos. Pure. */

import { isObject, type Json, objectOf, textOf } from '../../../json/read-json.ts';
import { Problem } from '../../../kernel/problem.ts';
import type { Instant } from '../../../kernel/time.ts';
import type { ProviderMask } from '../../provider-mask.ts';
import type { ProviderVideo, SentVideo } from '../../video-provider.ts';
import { mapOpenaiError } from '../map-error.ts';
import { videoSize } from './video-size.ts';

const states: Readonly<Record<string, ProviderVideo['state']>> = {
  queued: 'queued',
  in_progress: 'running',
  completed: 'succeeded',
  failed: 'failed',
  // Not a state of OpenAI, but of compatible servers.
  cancelled: 'cancelled',
};
const BLOCKED = /moderation|policy|sentinel|safety/;

/** A video with the fields that a look-up compares; null if the list does not have the field. */
export interface ListedVideo {
  readonly video: ProviderVideo;
  readonly createdAt: Instant;
  readonly model: string | null;
  readonly size: string | null;
  readonly prompt: string | null;
}

/** Null when it is not a video or its state is unknown. */
export function readVideo(json: unknown, mask: ProviderMask): ListedVideo | null {
  if (!isObject(json)) return null;
  const state = states[textOf(json.status)];
  const id = textOf(json.id);
  if (id === '' || state === undefined) return null;
  const progress = Number(json.progress ?? Number.NaN);
  const seconds = Number(json.seconds ?? Number.NaN);
  return {
    video: {
      id,
      state,
      progress: Number.isFinite(progress) ? Math.min(Math.max(Math.floor(progress), 0), 100) : null,
      files: state === 'succeeded' ? [{ videoId: id, place: 'content', mimeType: 'video/mp4' }] : [],
      problem: state === 'failed' ? readError(objectOf(mask.json(json.error)), mask) : null,
      seconds: seconds > 0 && Number.isFinite(seconds) ? seconds : null,
      charged: false,
    },
    createdAt: Number(json.created_at) * 1000,
    model: typeof json.model === 'string' ? json.model : null,
    size: typeof json.size === 'string' ? json.size : null,
    prompt: typeof json.prompt === 'string' ? json.prompt : null,
  };
}

function readError(error: Json, mask: ProviderMask): Problem {
  const code = textOf(error.code);
  const detail = textOf(error.message);
  if (BLOCKED.test(code)) return new Problem('content_blocked', { ...(detail !== '' && { detail }) });
  return mapOpenaiError(500, Buffer.from(JSON.stringify({ error })), mask);
}

/**
 * Whether a listed video is the one that was sent. `maybe`: no field differs, but the prompt is missing, so
 * it may belong to another request.
 */
export function matchesSentVideo(
  listed: ListedVideo,
  { call, upstreamModel }: SentVideo,
): 'yes' | 'maybe' | 'no' {
  const { model, size, prompt, video } = listed;
  const wantedSize = videoSize(call);
  const differs =
    (model !== null && !isModel(model, upstreamModel)) ||
    (size !== null && wantedSize !== null && size !== wantedSize) ||
    (video.seconds !== null && call.seconds !== null && video.seconds !== call.seconds) ||
    (prompt !== null && prompt !== call.prompt);
  if (differs) return 'no';
  return prompt === null ? 'maybe' : 'yes';
}

/** The list may show the dated name of a model that was requested without the date. */
function isModel(listed: string, asked: string): boolean {
  return (
    listed === asked ||
    (listed.startsWith(`${asked}-`) && /^-\d{4}-\d{2}-\d{2}$/.test(listed.slice(asked.length)))
  );
}
