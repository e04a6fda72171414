/** Videos in the words of Veo, both ways. */
import { describe, expect, test } from 'vitest';
import { ProviderMask } from '../../provider-mask.ts';
import type { VideoCall } from '../../video-provider.ts';
import { GoogleVideoProvider } from './google-video-provider.ts';
import { readOperation } from './read-video.ts';
import { writeVeoRequest } from './write-video.ts';

const mask = ProviderMask.knowing('AIza-our-own-key');
const inputs = { image: null, lastFrame: null, references: [], video: null, audio: null };
const plain: VideoCall = {
  prompt: 'a kite',
  seconds: null,
  aspectRatio: null,
  resolution: null,
  fps: null,
  seed: null,
  audio: null,
  videos: 1,
  inputs,
};

test('a call sends the fields that the caller set and no others', () => {
  const none = { ...inputs, videoName: null };
  expect(writeVeoRequest(plain, none)).toEqual({ instances: [{ prompt: 'a kite' }], parameters: {} });
  const call = { ...plain, seconds: 8, aspectRatio: '16:9', resolution: '1080p', videos: 2 };
  expect(writeVeoRequest(call, none)).toMatchObject({
    parameters: { durationSeconds: 8, aspectRatio: '16:9', resolution: '1080p', sampleCount: 2 },
  });
});

test.each<[Partial<VideoCall>, string]>([
  [{ fps: 24 }, 'fps'],
  [{ seed: 0 }, 'seed'],
  [{ audio: true }, 'generate_audio'],
  [{ inputs: { ...inputs, audio: 'https://example.test/x' } }, 'audio_url'],
])('a call with %j is rejected, because %s is not supported', (more, param) => {
  expect(() => GoogleVideoProvider.prototype.check({ ...plain, ...more })).toThrow(
    expect.objectContaining({ code: 'invalid_parameter', param }),
  );
});

describe('an operation', () => {
  const name = 'models/veo/operations/1';
  const ended = (generateVideoResponse: object) =>
    readOperation({ name, done: true, response: { generateVideoResponse } }, mask);

  test('runs until it is done', () => {
    expect(readOperation({ name }, mask)).toMatchObject({ id: name, state: 'running', progress: null });
    expect(readOperation({ name, done: false }, mask)).toMatchObject({ state: 'running' });
  });

  test('has the files that were not filtered', () => {
    const generatedSamples = [
      { video: { uri: 'https://x/1' } },
      { video: {} },
      { video: { uri: 'https://x/2' } },
    ];
    const video = ended({ generatedSamples, raiMediaFilteredCount: 1 });
    expect(video).toMatchObject({ state: 'succeeded', seconds: null, charged: false });
    expect(video?.files.map(({ place }) => place)).toEqual(['https://x/1', 'https://x/2']);
  });

  test.each([
    [
      { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['Gemini says no'] },
      'content_blocked',
      /^the provider says no$/,
    ],
    [{ raiMediaFilteredCount: 1 }, 'content_blocked', /./],
    [{}, 'upstream_error', /without a video/],
  ])('without files but with %j has failed: %s', (response, code, detail) => {
    expect(ended(response)).toMatchObject({ state: 'failed', files: [], problem: { code } });
    expect(ended(response)?.problem?.detail).toMatch(detail);
  });

  test.each([
    [3, 'invalid_parameter', 'Bad picture'],
    [8, 'rate_limit_exceeded', 'Quota'],
    [13, 'upstream_error', 'Internal'],
    [14, 'upstream_unavailable', 'Overloaded'],
    [3, 'content_blocked', 'This violates our usage policies.'],
    [99, 'upstream_error', 'New'],
  ])('that failed with %d is %s', (code, ours, message) => {
    const read = readOperation({ name, done: true, error: { code, message } }, mask);
    expect(read).toMatchObject({ state: 'failed', problem: { code: ours } });
  });

  test.each([null, [], 'x', {}, { done: true }])('that is %j is not an operation', (json) => {
    expect(readOperation(json, mask)).toBeNull();
  });
});
