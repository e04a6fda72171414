/** Reads Veo's operations. Pure. */

import { isObject, type Json, listOf, objectOf, textOf } from '../../../json/read-json.ts';
import { Problem } from '../../../kernel/problem.ts';
import type { ProviderMask } from '../../provider-mask.ts';
import type { ProviderFile, ProviderVideo } from '../../video-provider.ts';
import { mapGoogleError } from '../map-error.ts';

/** gRPC status names by their numbers. */
const grpcStatuses: Readonly<Record<number, number>> = {
  3: 400,
  4: 504,
  5: 404,
  7: 403,
  8: 429,
  9: 400,
  13: 500,
  14: 503,
  16: 401,
};
const BLOCKED = /safety|polic(?:y|ies)|responsible ai|sensitive|prohibited/i;

/** Null when it is not an operation. */
export function readOperation(json: unknown, mask: ProviderMask): ProviderVideo | null {
  if (!isObject(json)) return null;
  const id = textOf(json.name);
  if (id === '') return null;
  const video = { id, progress: null, files: [], problem: null, seconds: null, charged: false };
  if (json.done !== true) return { ...video, state: 'running' };
  if (isObject(json.error))
    return { ...video, state: 'failed', problem: readError(objectOf(mask.json(json.error)), mask) };
  const response = objectOf(objectOf(json.response).generateVideoResponse);
  const files = listOf(response.generatedSamples).flatMap((sample) => readFile(id, objectOf(sample.video)));
  if (files.length > 0) return { ...video, state: 'succeeded', progress: 100, files };
  return { ...video, state: 'failed', problem: whyNone(response, mask) };
}

function readFile(videoId: string, video: Json): ProviderFile[] {
  const place = textOf(video.uri);
  return place === '' ? [] : [{ videoId, place, mimeType: textOf(video.encoding) || 'video/mp4' }];
}

/** The videos were generated but filtered; the reasons are in the answer. */
function whyNone(response: Json, mask: ProviderMask): Problem {
  const reasons = Array.isArray(response.raiMediaFilteredReasons) ? response.raiMediaFilteredReasons : [];
  const detail = mask.text(reasons.map(textOf).join(' '));
  const blocked = reasons.length > 0 || Number(response.raiMediaFilteredCount ?? 0) > 0;
  if (blocked) return new Problem('content_blocked', { ...(detail !== '' && { detail }) });
  return new Problem('upstream_error', { detail: 'The provider finished without a video.' });
}

function readError(error: Json, mask: ProviderMask): Problem {
  const message = textOf(error.message);
  if (BLOCKED.test(message)) return new Problem('content_blocked', { detail: message });
  const status = grpcStatuses[Number(error.code)] ?? 500;
  return mapGoogleError(status, Buffer.from(JSON.stringify({ error })), mask);
}
