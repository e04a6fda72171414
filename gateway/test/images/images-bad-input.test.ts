/** Requests for images that cannot be served are refused by name, before anybody is asked. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pointAt } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { imagesConfig, png } from '../support/images-stage.ts';

describe.each(oneEngine('embedded', 'rejected requests'))('refused images on %s', (engine) => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: pointAt(imagesConfig, { fake: 'http://127.0.0.1:9' }) });
  });
  afterAll(() => gateway.stop());

  async function refusal(
    reply: Response,
  ): Promise<{ status: number; type: string; param: string | null; detail: string }> {
    const { type, detail, error } = (await reply.json()) as {
      type: string;
      detail: string;
      error: { param: string | null };
    };
    expect(reply.headers.get('x-request-id')).not.toBeNull();
    return { status: reply.status, type, detail, param: error.param };
  }

  const generate = async (more: object) =>
    await refusal(
      await gateway.post('/v1/images/generations', { model: 'sim-image', prompt: 'A cat', ...more }),
    );

  test.each([
    ['size', { size: '640x480' }, /size must be one of 1024x1024, 1536x1024, 1024x1536, auto for sim-image/],
    ['quality', { quality: 'hd' }, /quality must be one of low, medium, high, auto/],
    ['background', { background: 'plaid' }, /background must be one of transparent, opaque, auto/],
    ['n', { n: 5 }, /n must be at most 4 for sim-image/],
    ['n', { n: 11 }, /n must be <= 10/],
    ['n', { n: 0 }, /n must be >= 1/],
    ['n', { n: 'two' }, /n must be an integer/],
    ['prompt', { prompt: '' }, /prompt must not have fewer than 1 char/],
    ['prompt', { prompt: 'x'.repeat(32_001) }, /prompt must not have more than 32000 char/],
    ['prompt', { prompt: null }, /prompt must be a string/],
    ['response_format', { response_format: 'url' }, /response_format must be "b64_json"/],
    ['stream', { stream: true }, /stream must be false/],
  ])('a bad %s in %j', async (param, more, detail) => {
    expect(await generate(more)).toEqual({
      status: 400,
      type: 'invalid_parameter',
      param,
      detail: expect.stringMatching(detail),
    });
  });

  test.each([
    ['sim-chat', /sim-chat does not support \/v1\/images\/generations or \/v1\/images\/edits/],
    ['drawn-by-claude', /drawn-by-claude does not support/],
    ['sim-imgae', /Did you mean sim-image\?/],
  ])('the model %s', async (model, detail) => {
    expect(await generate({ model })).toMatchObject({
      status: 404,
      type: 'model_not_found',
      detail: expect.stringMatching(detail),
    });
  });

  function form(change: (form: FormData) => void): FormData {
    const data = new FormData();
    data.set('model', 'sim-image');
    data.set('prompt', 'Make it blue');
    data.set('image', new Blob([png]), 'a.png');
    change(data);
    return data;
  }
  const edit = async (body: RequestInit['body'], headers: Record<string, string> = {}) =>
    await refusal(
      await fetch(`${gateway.url}/v1/images/edits`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.key}`, ...headers },
        body: body as string,
      }),
    );

  test.each<[string, string | null, (form: FormData) => void, RegExp]>([
    [
      'an SVG',
      'image',
      (it) => it.set('image', new Blob(['<svg/>'], { type: 'image/png' }), 'a.png'),
      /PNG or JPEG or WEBP/,
    ],
    [
      'a page',
      'image',
      (it) => it.set('image', new Blob(['<!doctype html>']), 'a.png'),
      /PNG or JPEG or WEBP/,
    ],
    ['an empty file', 'image', (it) => it.set('image', new Blob([]), 'a.png'), /is empty/],
    ['a GIF', 'image', (it) => it.set('image', new Blob(['GIF89a......']), 'a.gif'), /PNG or JPEG or WEBP/],
    ['a text', 'image', (it) => it.set('image', 'https://example.com/a.png'), /PNG or JPEG or WEBP/],
    ['no image', 'image', (it) => it.delete('image'), /image is required/],
    ['17 images', 'image', (it) => addImages(it, 16), /more than 16/],
    [
      'a mask that is none',
      'mask',
      (it) => it.set('mask', new Blob(['mask']), 'm.png'),
      /mask must be .* PNG/,
    ],
    ['an unknown field', 'colour', (it) => it.set('colour', 'red'), /"colour" is not a known field/],
    ['a field twice', 'prompt', (it) => it.append('prompt', 'again'), /twice/],
    ['no prompt', 'prompt', (it) => it.delete('prompt'), /prompt is required/],
    ['a bad size', 'size', (it) => it.set('size', '1x1'), /size must be one of/],
    ['a bad number', 'n', (it) => it.set('n', 'two'), /n must be an integer/],
    ['too many at once', 'n', (it) => it.set('n', '5'), /n must be at most 4/],
  ])('a form with %s', async (_, param, change, detail) => {
    const asked = gateway.simulator.calls.length;
    expect(await edit(form(change))).toEqual({
      status: 400,
      type: 'invalid_parameter',
      param,
      detail: expect.stringMatching(detail),
    });
    expect(gateway.simulator.calls.length).toBe(asked);
  });

  const multipart = { 'content-type': 'multipart/form-data; boundary=b' };
  const field = (name: string, text: string): string =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;

  test.each<[string, RequestInit['body'], Record<string, string>, RegExp]>([
    ['no boundary', 'x', { 'content-type': 'multipart/form-data' }, /no boundary/],
    [
      'a part without a name',
      '--b\r\nContent-Type: image/png\r\n\r\nx\r\n--b--',
      multipart,
      /Part 1 .* no name/,
    ],
    ['its end missing', field('model', 'sim-image'), multipart, /cut off in part 1/],
    [
      'half a part',
      field('model', 'm') + field('prompt', 'half').slice(0, -4),
      multipart,
      /cut off in part 2/,
    ],
    [
      'bad UTF-8',
      Buffer.from(`${field('prompt', '\xff')}--b--`, 'latin1'),
      multipart,
      /prompt is not valid UTF-8/,
    ],
    ['nothing in it', '', multipart, /does not begin with its boundary/],
  ])('a form with %s', async (_, body, headers, detail) => {
    expect(await edit(body, headers)).toMatchObject({
      status: 400,
      type: 'invalid_parameter',
      detail: expect.stringMatching(detail),
    });
  });

  test('a form above the cap is request_too_large, whether its length is announced or not', async () => {
    const large = Buffer.alloc(60_000_000, 'x');
    expect(await edit(form((it) => it.set('image', new Blob([large]), 'a.png')))).toMatchObject({
      status: 413,
      type: 'request_too_large',
      detail: expect.stringContaining('52428800'),
    });
    const chunks = new ReadableStream({
      start(controller) {
        for (let at = 0; at < large.length; at += 1_000_000)
          controller.enqueue(large.subarray(at, at + 1_000_000));
        controller.close();
      },
    });
    const reply = await fetch(`${gateway.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, ...multipart },
      body: chunks,
      duplex: 'half',
    } as RequestInit);
    expect(await refusal(reply)).toMatchObject({ status: 413, type: 'request_too_large' });
  });

  test.each([
    ['text/plain', 'prompt=cat'],
    ['application/x-www-form-urlencoded', 'prompt=cat'],
    ['multipart/mixed; boundary=b', '--b--'],
  ])('a body of the type %s is unsupported_media_type, with those that are read', async (type, body) => {
    expect(await edit(body, { 'content-type': type })).toMatchObject({
      status: 415,
      type: 'unsupported_media_type',
      detail: expect.stringContaining('application/json or multipart/form-data'),
    });
  });

  const url = `data:image/png;base64,${png.toString('base64')}`;
  test.each<[string, object, RegExp]>([
    ['images', { images: [] }, /fewer than 1 item/],
    ['images', { images: Array(17).fill({ image_url: url }) }, /more than 16 item/],
    [
      'images[0].image_url',
      { images: [{ image_url: 'https://10.0.0.1/a.png' }] },
      /not on the public internet/,
    ],
    [
      'images[1].image_url',
      { images: [{ image_url: url }, { image_url: 'svc-file://abc' }] },
      /no reference of this space/,
    ],
    [
      'images[0].image_url',
      { images: [{ image_url: 'data:image/png;base64,PHN2Zy8+' }] },
      /PNG or JPEG or WEBP/,
    ],
    ['images[0].file_id', { images: [{ file_id: 'x', image_url: url }] }, /not a known field/],
    ['mask.image_url', { images: [{ image_url: url }], mask: { image_url: 'data:;base64,aGk=' } }, /PNG/],
    ['colour', { images: [{ image_url: url }], colour: 'red' }, /not a known field/],
  ])('JSON with a bad %s', async (param, more, detail) => {
    const body = JSON.stringify({ model: 'sim-image', prompt: 'Make it blue', ...more });
    expect(await edit(body, { 'content-type': 'application/json' })).toMatchObject({
      status: 400,
      type: 'invalid_parameter',
      param,
      detail: expect.stringMatching(detail),
    });
  });

  test('a form that breaks off leaves nothing behind: the next one is served', async () => {
    const good = await fetch(`${gateway.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}` },
      body: form(() => undefined),
    });
    expect(good.status).toBe(200);
  });
});

function addImages(form: FormData, count: number): void {
  for (let i = 0; i < count; i++) form.append('image[]', new Blob([png]), `${i}.png`);
}
