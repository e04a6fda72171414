/** Images: made and edited through the clients people use, passed on as they came, priced and recorded. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateImage } from 'ai';
import type OpenAI from 'openai';
import { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Form } from '../../simulator/multipart.ts';
import { Shape } from '../../src/contract/check-shape.ts';
import { ImagesResponse } from '../../src/contract/images.ts';
import { aiSdkOpenai, openaiClient } from '../support/clients.ts';
import { pointAt } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { callRow, imagesConfig, png, pngSize } from '../support/images-stage.ts';
import { checkImages } from '../support/openai-schemas.ts';

interface Costed {
  readonly estimated_cost: { amount: string } | null;
}

describe.each(oneEngine('postgres', 'client libraries'))('images on %s', (engine) => {
  let gateway: TestGateway;
  let openai: OpenAI;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: pointAt(imagesConfig, { fake: 'http://127.0.0.1:9' }) });
    openai = openaiClient(gateway);
  });
  afterAll(() => gateway.stop());

  /** Asks the simulator itself, which always draws the same for the same request. */
  async function drawnByProvider(body: object): Promise<string[]> {
    const reply = await fetch(`${gateway.simulator.url}/images/generations`, {
      method: 'POST',
      headers: { authorization: 'Bearer simulator-key', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { data } = (await reply.json()) as OpenAI.ImagesResponse;
    return (data ?? []).map((item) => item.b64_json ?? '');
  }

  const imagesOf = ({ data }: OpenAI.ImagesResponse): string[] =>
    (data ?? []).map((item) => item.b64_json ?? '');

  test('a picture arrives as the provider sent it, in the published shape, and costs what the record says', async () => {
    const asked = { prompt: 'A red door', size: '1536x1024', quality: 'low' } as const;
    const { data, response } = await openai.images
      .generate({ model: 'sim-image', response_format: 'b64_json', ...asked })
      .withResponse();
    const images = imagesOf(data);
    expect(images).toEqual(await drawnByProvider({ model: 'sim-image', ...asked }));
    expect(pngSize(Buffer.from(images[0] ?? '', 'base64'))).toEqual([1536, 1024]);
    checkImages(data);
    expect(new Shape(ImagesResponse).error(data)).toBeNull();
    expect((data as typeof data & Costed).estimated_cost?.amount).toBe('0.3');
    expect(response.headers.get('x-tollgate-cost-units')).toBe('0.3');
    expect(response.headers.get('x-tollgate-simulated')).toBe('true');
    const row = await callRow(gateway, response.headers.get('x-request-id'));
    expect(row).toMatchObject({
      endpoint: 'images',
      outcome: 'completed',
      usage_source: 'provider',
      images: '1',
      charge_lines: [{ component: 'image', count: 1, price: '0.3', amount: '0.3' }],
    });
    expect(Number(row.cost)).toBe(0.3);
    const seen = gateway.simulator.calls.findLast(({ headers }) => headers['user-agent'] === 'tollgate');
    expect(seen?.body).toEqual({ model: 'sim-image', ...asked });
  });

  test.each([
    ['its size and quality', { size: '1024x1024', quality: 'low' }, '0.011'],
    ['what "auto" was made of', { size: 'auto', quality: 'auto' }, '0.167'],
    ['its quality, where the two together have none', { size: '1024x1536', quality: 'medium' }, '0.05'],
    ['the default, where nothing fits', { size: '1024x1536', quality: 'low' }, '0.042'],
  ] as const)('an image is priced by %s', async (_, asked, amount) => {
    const reply = await openai.images.generate({ model: 'sim-image', prompt: 'A cat', ...asked });
    expect((reply as typeof reply & Costed).estimated_cost?.amount).toBe(amount);
  });

  test('two images cost twice as much, and are two', async () => {
    const { data, response } = await openai.images
      .generate({ model: 'sim-image', prompt: 'A cat', n: 2, quality: 'low', size: '1024x1024' })
      .withResponse();
    expect(new Set(imagesOf(data)).size).toBe(2);
    expect((data as typeof data & Costed).estimated_cost?.amount).toBe('0.022');
    const row = await callRow(gateway, response.headers.get('x-request-id'));
    expect([row.images, Number(row.cost)]).toEqual(['2', 0.022]);
  });

  test('where the sheet prices tokens an image costs its tokens, those of images apart', async () => {
    const { data, response } = await openai.images
      .edit({
        model: 'by-tokens',
        prompt: 'Make it blue',
        image: [await toFile(png, 'a.png'), await toFile(png, 'b.png')],
        mask: await toFile(png, 'mask.png', { type: 'image/png' }),
        quality: 'low',
      })
      .withResponse();
    const { usage } = data;
    const { text_tokens: texts = 0, image_tokens: images = 0 } = usage?.input_tokens_details ?? {};
    expect(images).toBeGreaterThan(0);
    const row = await callRow(gateway, response.headers.get('x-request-id'));
    expect(row).toMatchObject({
      usage_source: 'provider',
      images: '1',
      input_tokens: String(texts + images),
      image_input_tokens: String(images),
      output_tokens: String(usage?.output_tokens),
    });
    const expected = (5 * texts + 10 * images + 40 * (usage?.output_tokens ?? 0)) / 1e6;
    expect(Number(row.cost)).toBeCloseTo(expected, 12);
    expect(Number((data as typeof data & Costed).estimated_cost?.amount)).toBe(Number(row.cost));
    expect(row.charge_lines?.map(({ component }) => component)).toEqual(['input', 'image_input', 'output']);
  });

  test('without a price the cost is null, never zero', async () => {
    const reply = await gateway.post('/v1/images/generations', { model: 'unpriced', prompt: 'A cat' });
    expect(await reply.json()).toMatchObject({ estimated_cost: null });
    const row = await callRow(gateway, reply.headers.get('x-request-id'));
    expect(row).toMatchObject({ outcome: 'completed', cost: null, images: '1' });
  });

  test('files reach the provider byte for byte, with their types', async () => {
    await openai.images.edit({
      model: 'sim-image',
      prompt: '문을 파랗게',
      image: await toFile(png, 'door.png', { type: 'text/html' }),
      n: 1,
      size: '1024x1024',
      response_format: 'b64_json',
    });
    const seen = gateway.simulator.calls.at(-1)?.body as Form;
    expect(seen).toBeInstanceOf(Form);
    expect(seen.files('image')[0]).toMatchObject({ mediaType: 'image/png', data: png });
    const texts = seen.parts.filter(({ filename }) => filename === null);
    expect(Object.fromEntries(texts.map(({ name, data }) => [name, data.toString()]))).toEqual({
      model: 'sim-image',
      prompt: '문을 파랗게',
      n: '1',
      size: '1024x1024',
    });
  });

  test('an edit as JSON is the same edit', async () => {
    const fields = { model: 'sim-image', prompt: 'Paint it', size: '1024x1024', quality: 'low' } as const;
    const image_url = `data:image/png;base64,${png.toString('base64')}`;
    const reply = await gateway.post('/v1/images/edits', { ...fields, images: [{ image_url }] });
    const json = (await reply.json()) as OpenAI.ImagesResponse & Costed;
    const form = await openai.images.edit({ ...fields, image: await toFile(png, 'a.png') });
    expect(imagesOf(json)).toEqual(imagesOf(form));
    expect(json.estimated_cost?.amount).toBe('0.011');
  });

  test('the AI SDK makes and edits images', async () => {
    const model = aiSdkOpenai(gateway).image('sim-image');
    const size = '1024x1536';
    const made = await generateImage({ model, prompt: 'A boat', size, maxRetries: 0 });
    expect(pngSize(Buffer.from(made.image.uint8Array))).toEqual([1024, 1536]);
    const edited = await generateImage({
      model,
      prompt: { text: 'Make it blue', images: [png] },
      size,
      maxRetries: 0,
    });
    expect(pngSize(Buffer.from(edited.image.uint8Array))).toEqual([1024, 1536]);
    expect(gateway.simulator.calls.at(-1)?.path).toBe('/v1/images/edits');
  });

  test('Gemini makes and edits images, and is paid by its tokens', async () => {
    const made = await openai.images
      .generate({ model: 'drawn-by-gemini', prompt: 'A boat', size: '1536x1024', quality: 'auto' })
      .withResponse();
    const [width, height] = pngSize(Buffer.from(imagesOf(made.data)[0] ?? '', 'base64'));
    expect(width / height).toBeCloseTo(3 / 2, 2);
    checkImages(made.data);
    const { input_tokens: input = 0, output_tokens: output = 0 } = made.data.usage ?? {};
    const row = await callRow(gateway, made.response.headers.get('x-request-id'));
    expect(row).toMatchObject({ usage_source: 'provider', images: '1', output_tokens: String(output) });
    expect(Number(row.cost)).toBeCloseTo((0.3 * input + 30 * output) / 1e6, 12);
    const edited = await openai.images.edit({
      model: 'drawn-by-gemini',
      prompt: 'Make it blue',
      image: await toFile(png, 'a.png'),
    });
    expect(pngSize(Buffer.from(imagesOf(edited)[0] ?? '', 'base64'))).toEqual([1024, 1024]);
    const seen = gateway.simulator.calls.at(-1);
    expect(seen?.path).toBe('/v1beta/models/sim-image:generateContent');
    const data = png.toString('base64');
    expect(seen?.body).toMatchObject({
      contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data } }, { text: 'Make it blue' }] }],
    });
  });

  test.each([
    ['n', { n: 2 }],
    ['quality', { quality: 'high' }],
    ['background', { background: 'opaque' }],
    ['size', { size: '512x512' }],
  ])('Gemini is not asked for %s it has no word for', async (param, more) => {
    const body = { model: 'drawn-by-gemini', prompt: 'A boat', ...more };
    const reply = await gateway.post('/v1/images/generations', body);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ type: 'invalid_parameter', error: { param } });
  });

  test('a prompt the provider will not draw is content_blocked, in its words but not by its name', async () => {
    for (const model of ['sim-image', 'drawn-by-gemini']) {
      const reply = await gateway.post('/v1/images/generations', { model, prompt: '[[filter]] A fight' });
      expect(reply.status).toBe(400);
      const body = (await reply.json()) as { type: string; detail: string };
      expect(body.type).toBe('content_blocked');
      expect(body.detail).not.toMatch(/openai|google|5d0f4c1e/i);
      const row = await callRow(gateway, reply.headers.get('x-request-id'));
      expect(row).toMatchObject({ outcome: 'failed', problem: 'content_blocked', cost: null });
    }
  });

  test('the image model is in the list of every space, with its paths and its price', async () => {
    await gateway.admin('spaces.create', { name: `other-${engine}`, overage: true });
    const { key } = await gateway.admin('keys.create', {
      name: 'k',
      kind: 'shared',
      space: `other-${engine}`,
    });
    const reply = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    const { data } = (await reply.json()) as { data: Array<{ id: string }> };
    expect(data.find(({ id }) => id === 'sim-image')).toMatchObject({
      endpoints: ['/v1/images/generations', '/v1/images/edits'],
      pricing: {
        per: 'image',
        image_prices: expect.arrayContaining([
          { size: '1024x1024', quality: 'high', price: '0.167', default: false },
          { size: '1536x1024', quality: null, price: '0.3', default: false },
          { size: null, quality: 'medium', price: '0.05', default: false },
          { size: null, quality: null, price: '0.042', default: false },
        ]),
      },
    });
  });

  test('nothing of a picture is left on disk or in the log', async () => {
    const before = process.env.TMPDIR;
    const folder = mkdtempSync(join(tmpdir(), 'images-'));
    process.env.TMPDIR = folder;
    try {
      const large = Buffer.concat([png, Buffer.alloc(5_000_000, 'x')]);
      const files = readdirSync(gateway.folder);
      await openai.images.edit({ model: 'sim-image', prompt: 'Hide', image: await toFile(large, 'a.png') });
      expect(readdirSync(folder)).toEqual([]);
      expect(readdirSync(gateway.folder)).toEqual(files);
      expect(gateway.logged.join('\n')).not.toContain(png.toString('base64').slice(0, 40));
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      rmSync(folder, { recursive: true });
    }
  });
});
