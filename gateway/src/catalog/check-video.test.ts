import { expect, test } from 'vitest';
import type { VideoRequest } from '../contract/video.ts';
import { checkVideoCall } from './check-video.ts';
import type { VideoOptions } from './model.ts';

const video: VideoOptions = {
  seconds: [4, 8],
  secondsDefault: 4,
  resolutions: ['720p'],
  aspectRatios: ['16:9'],
  inputs: new Set(['image', 'references']),
  referencesMax: 2,
  videosMax: 2,
};
const check = (asked: Partial<VideoRequest>, options = video): void =>
  checkVideoCall({ code: 'film', video: options }, { model: 'film', prompt: 'x', ...asked });
const url = 'svc-file://ref_x';

test.each<[Partial<VideoRequest>]>([
  [{}],
  [{ duration_seconds: 8, resolution: '720p', aspect_ratio: '16:9', n: 2 }],
  [{ duration_seconds: null, resolution: null, n: null, video_url: null, reference_urls: null }],
  [{ image_url: url, reference_urls: [url, url] }],
  [{ audio_url: null, reference_urls: [] }],
])('%j is accepted', (asked) => {
  expect(() => check(asked)).not.toThrow();
});

test.each<[Partial<VideoRequest>, string]>([
  [{ duration_seconds: 5 }, 'duration_seconds'],
  [{ resolution: '1080p' }, 'resolution'],
  [{ aspect_ratio: '1:1' }, 'aspect_ratio'],
  [{ n: 3 }, 'n'],
  [{ video_url: url }, 'video_url'],
  [{ last_frame_url: url }, 'last_frame_url'],
  [{ audio_url: url }, 'audio_url'],
  [{ reference_urls: [url, url, url] }, 'reference_urls'],
])('%j is rejected, naming the field', (asked, param) => {
  expect(() => check(asked)).toThrow(expect.objectContaining({ code: 'invalid_parameter', param }));
});

test('without a catalogue entry the provider decides', () => {
  const open = { ...video, seconds: null, resolutions: null, aspectRatios: null };
  expect(() => check({ duration_seconds: 5, resolution: '8k', aspect_ratio: '1:1' }, open)).not.toThrow();
});
