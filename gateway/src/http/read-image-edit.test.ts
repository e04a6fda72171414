import { describe, expect, test } from 'vitest';
import { readEditForm, readEditJson } from './read-image-edit.ts';

const png = Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1');
const jpeg = Buffer.from('\xff\xd8\xff....', 'latin1');
const field = (name: string, text: string | Buffer) => ({ name, bytes: Buffer.from(text) });
const needed = [field('model', 'm'), field('prompt', '고양이'), field('image', png)];
const refused = (param: string, detail: RegExp) =>
  expect.objectContaining({ code: 'invalid_parameter', param, detail: expect.stringMatching(detail) });

describe('a form', () => {
  test('is read with typed fields, and with files by their actual format', () => {
    const more = [field('image[]', jpeg), field('mask', png), field('n', '2'), field('stream', 'false')];
    expect(readEditForm([...needed, ...more])).toEqual({
      kind: 'edit',
      fields: { model: 'm', prompt: '고양이', n: 2, stream: false },
      images: [
        { mediaType: 'image/png', bytes: png },
        { mediaType: 'image/jpeg', bytes: jpeg },
      ],
      mask: { mediaType: 'image/png', bytes: png },
    });
  });

  test.each([
    ['an unknown field', [...needed, field('colour', 'red')], 'colour', /"colour" is not a known field/],
    ['a field twice', [...needed, field('model', 'm')], 'model', /must not be sent twice/],
    ['two masks', [...needed, field('mask', png), field('mask', png)], 'mask', /twice/],
    ['bad UTF-8', [...needed, field('user', Buffer.from([0xff]))], 'user', /not valid UTF-8/],
    ['a number that is none', [...needed, field('n', 'two')], 'n', /must be an integer/],
    ['n of 0', [...needed, field('n', '0')], 'n', /must be >= 1/],
    ['an empty prompt', [field('model', 'm'), field('prompt', ''), field('image', png)], 'prompt', /fewer/],
    ['no model', needed.slice(1), 'model', /is required/],
    ['no image', needed.slice(0, 2), 'image', /is required/],
    ['17 images', [...needed, ...Array(16).fill(field('image[]', png))], 'image', /more than 16/],
    ['an SVG', [...needed, field('image', '<svg/>')], 'image', /must be a PNG or JPEG or WEBP image/],
    ['an empty file', [...needed, field('image', '')], 'image', /is empty/],
    ['a mask in JPEG', [...needed, field('mask', jpeg)], 'mask', /must be a PNG image/],
    ['a stream', [...needed, field('stream', 'true')], 'stream', /must be false/],
    ['addresses', [...needed, field('response_format', 'url')], 'response_format', /must be "b64_json"/],
  ])('with %s is refused by name', (_, parts, param, detail) => {
    expect(() => readEditForm(parts)).toThrow(refused(param, detail));
  });
});

describe('JSON', () => {
  const url = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`;
  const edit = (image_url: string, mask?: string) =>
    readEditJson({
      model: 'm',
      prompt: 'p',
      images: [{ image_url }],
      ...(mask !== undefined && { mask: { image_url: mask } }),
    });

  test('has files in data URLs, whose bytes decide the format', () => {
    expect(edit(url(jpeg), url(png))).toEqual({
      kind: 'edit',
      fields: { model: 'm', prompt: 'p' },
      images: [{ mediaType: 'image/jpeg', bytes: jpeg }],
      mask: { mediaType: 'image/png', bytes: png },
    });
  });

  test.each([
    ['ftp://example.com', /must be an http\(s\) URL, data:.* or a reference/],
    ['svc-other://abc', /must be an http\(s\) URL, data:.* or a reference/],
    ['data:image/png;base64,!!!!', /not valid base64/],
    [url(Buffer.from('<html>')), /must be a PNG or JPEG or WEBP image/],
    ['data:image/png;base64,', /is empty/],
  ])('with %s as an image is refused', (address, detail) => {
    expect(() => edit(address)).toThrow(refused('images[0].image_url', detail));
  });

  test.each(['https://example.com/cat.png', 'svc-file://abc', 'svc-asset://abc'])(
    'may have its files elsewhere: %s',
    (address) => {
      expect(edit(address).images).toEqual([
        { url: address, param: 'images[0].image_url', types: ['image/png', 'image/jpeg', 'image/webp'] },
      ]);
    },
  );

  test('with a mask that is not a PNG is rejected', () => {
    expect(() => edit(url(png), url(jpeg))).toThrow(refused('mask.image_url', /must be a PNG image/));
  });
});
