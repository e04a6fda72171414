/** Videos in OpenAI's words, both ways. */
import { describe, expect, test } from 'vitest';
import { ProviderMask } from '../../provider-mask.ts';
import type { SentVideo, VideoCall } from '../../video-provider.ts';
import { OpenaiVideoProvider } from './openai-video-provider.ts';
import { type ListedVideo, matchesSentVideo, readVideo } from './read-video.ts';
import { videoSize } from './video-size.ts';
import { writeVideoForm } from './write-video.ts';

const mask = ProviderMask.knowing('sk-our-own-key');
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

describe('a size', () => {
  test.each([
    [null, null, null],
    ['720p', null, '720x1280'],
    ['720p', '16:9', '1280x720'],
    ['1024p', '7:4', '1792x1024'],
    ['1080p', '9:16', '1080x1920'],
    [null, '16:9', '1280x720'],
    [null, '4:7', '1024x1792'],
    ['640x640', null, '640x640'],
  ])('of %s and %s is %s', (resolution, aspectRatio, size) => {
    expect(videoSize({ resolution, aspectRatio })).toBe(size);
  });

  test.each([
    ['4k', null, 'resolution'],
    ['constructor', null, 'resolution'],
    ['720p', '1:1', 'aspect_ratio'],
    ['1024p', '16:9', 'aspect_ratio'],
    [null, '21:9', 'aspect_ratio'],
    ['640x640', '1:1', 'aspect_ratio'],
  ])('of %s and %s is refused, naming %3$s', (resolution, aspectRatio, param) => {
    expect(() => videoSize({ resolution, aspectRatio })).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', param }),
    );
  });
});

describe('a call', () => {
  const some = 'https://example.test/x';
  test.each<[Partial<VideoCall>, string]>([
    [{ fps: 24 }, 'fps'],
    [{ seed: 0 }, 'seed'],
    [{ audio: false }, 'generate_audio'],
    [{ videos: 2 }, 'n'],
    [{ inputs: { ...inputs, lastFrame: some } }, 'last_frame_url'],
    [{ inputs: { ...inputs, references: [some] } }, 'reference_urls'],
    [{ inputs: { ...inputs, video: some } }, 'video_url'],
    [{ inputs: { ...inputs, audio: some } }, 'audio_url'],
  ])('with %j is rejected, because %s is not supported', (more, param) => {
    const { check } = OpenaiVideoProvider.prototype;
    expect(() => check({ ...plain, ...more })).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', param }),
    );
    const image = { ...inputs, image: some };
    check({ ...plain, seconds: 8, aspectRatio: '16:9', resolution: '720p', inputs: image });
  });

  test('is a form with the fields that the caller set and no others', () => {
    const form = writeVideoForm({ call: plain, upstreamModel: 'm', picture: null }, 'B');
    expect(form.contentType).toBe('multipart/form-data; boundary=B');
    const part = 'content-disposition: form-data; name=';
    expect(Buffer.concat([form.head, form.tail]).toString()).toBe(
      `--B\r\n${part}"model"\r\n\r\nm\r\n--B\r\n${part}"prompt"\r\n\r\na kite\r\n--B--\r\n`,
    );
    const call = { ...plain, seconds: 8, resolution: '720p', aspectRatio: '16:9' };
    const more = writeVideoForm({ call, upstreamModel: 'm', picture: { mimeType: 'image/png' } }, 'B');
    expect(more.head.toString()).toContain('name="seconds"\r\n\r\n8\r\n');
    expect(more.head.toString()).toContain('name="size"\r\n\r\n1280x720\r\n');
    expect(more.head.toString()).toMatch(
      /name="input_reference"; filename="picture\.png"\r\ncontent-type: image\/png\r\n\r\n$/,
    );
    expect(more.tail.toString()).toBe('\r\n--B--\r\n');
  });
});

const reported = { id: 'video_1', status: 'in_progress', progress: 33.7, created_at: 1_700_000_000 };
const asked = { model: 'm', size: '1280x720', seconds: '8', prompt: 'a kite' };

describe('an answer', () => {
  test.each([
    ['queued', 'queued'],
    ['in_progress', 'running'],
    ['completed', 'succeeded'],
    ['failed', 'failed'],
    ['cancelled', 'cancelled'],
  ])('of status %s is %s', (status, state) => {
    expect(readVideo({ ...reported, status }, mask)?.video.state).toBe(state);
  });

  test('has its progress in percent, its length, and its file once there is one', () => {
    const read = readVideo({ ...reported, ...asked }, mask);
    expect(read).toMatchObject({ createdAt: 1_700_000_000_000, size: '1280x720', prompt: 'a kite' });
    expect(read?.video).toMatchObject({ progress: 33, seconds: 8, files: [], problem: null, charged: false });
    const done = readVideo({ ...reported, status: 'completed', progress: undefined }, mask)?.video;
    expect(done).toMatchObject({ progress: null, seconds: null });
    expect(done?.files).toEqual([{ videoId: 'video_1', place: 'content', mimeType: 'video/mp4' }]);
  });

  test.each([null, [], 'x', {}, { id: 'v' }, { id: 'v', status: 'dreaming' }, { status: 'queued' }])(
    'that is %j is not an operation',
    (json) => {
      expect(readVideo(json, mask)).toBeNull();
    },
  );

  test.each([
    ['moderation_blocked', 'content_blocked'],
    ['sentinel_block', 'content_blocked'],
    ['invalid_image', 'invalid_parameter'],
    ['rate_limit_exceeded', 'rate_limit_exceeded'],
    ['whatever', 'upstream_error'],
  ])('that failed with %s is %s, without our key', (code, ours) => {
    const error = { code, message: 'OpenAI says no to sk-our-own-key' };
    const { problem } = readVideo({ ...reported, status: 'failed', error }, mask)?.video ?? {};
    expect(problem).toMatchObject({ code: ours });
    expect(problem?.detail).not.toMatch(/sk-our|OpenAI/);
  });
});

describe('a listed video', () => {
  const call = { ...plain, seconds: 8, resolution: '720p', aspectRatio: '16:9' };
  const sent: SentVideo = {
    jobId: 'job_1',
    upstreamModel: 'm',
    call,
    sentAt: 0,
    isOther: () => Promise.resolve(false),
  };
  const listed = (more: object): ListedVideo =>
    readVideo({ ...reported, ...asked, ...more }, mask) as ListedVideo;
  test.each([
    [{}, 'yes'],
    [{ model: 'm-2025-10-06' }, 'yes'],
    [{ model: 'm-pro' }, 'no'],
    [{ size: '720x1280' }, 'no'],
    [{ seconds: '4' }, 'no'],
    [{ prompt: 'a kit' }, 'no'],
    [{ prompt: null }, 'maybe'],
    [{ prompt: null, size: null, seconds: null, model: null }, 'maybe'],
    [{ prompt: null, seconds: '4' }, 'no'],
  ])('with %j is ours: %s', (more, answer) => {
    expect(matchesSentVideo(listed(more), sent)).toBe(answer);
  });
});
