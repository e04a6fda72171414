import { afterAll, describe, expect, test } from 'vitest';
import { dominantColour } from './brain/colours.ts';
import { decodePng, encodePng, type Picture } from './brain/png.ts';
import type { Form } from './multipart.ts';
import { startSimulator } from './simulator.ts';
import type { Wire } from './testing/call-simulator.ts';
import { readWords } from './testing/read-words.ts';

const simulator = await startSimulator();
afterAll(() => simulator.stop());

interface Drawn {
  readonly status: number;
  readonly data: Array<{ b64_json: string }>;
  readonly size: string;
  readonly quality: string;
  readonly background: string;
  readonly usage?: { input_tokens: number; output_tokens: number };
  readonly error: Wire;
}

async function send(path: string, init: RequestInit): Promise<Drawn> {
  const answer = await fetch(simulator.origin + path, { method: 'POST', ...init });
  return { ...((await answer.json()) as Drawn), status: answer.status };
}

function draw(prompt: unknown, more: Wire = {}, path = '/v1/images/generations'): Promise<Drawn> {
  return send(path, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim-image', prompt, ...more }),
  });
}

type Field = string | Blob;

function edit(fields: ReadonlyArray<readonly [string, Field]>): Promise<Drawn> {
  const form = new FormData();
  for (const [name, value] of [['model', 'sim-image'], ...fields] as ReadonlyArray<
    readonly [string, Field]
  >) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, 'picture');
  }
  return send('/v1/images/edits', { body: form });
}

function file(bytes: Buffer, type = 'image/png'): Blob {
  return new Blob([new Uint8Array(bytes)], { type });
}

function pngOf(drawn: Drawn, index = 0): Buffer {
  return Buffer.from(drawn.data[index]?.b64_json ?? '', 'base64');
}

function pictureOf(drawn: Drawn, index = 0): Picture {
  return decodePng(pngOf(drawn, index)) as Picture;
}

const green = file(encodePng({ red: 0, green: 255, blue: 0 }, 20));
const PROMPT = 'A purple cat, with "one" hat & 2 (two) shoes; isn\'t it nice?';

describe("OpenAI's images", () => {
  test('show the words of the prompt on the colour that it names', async () => {
    const drawn = await draw(PROMPT);
    expect(readWords(pngOf(drawn), PROMPT)).toBe(PROMPT);
    expect(dominantColour(pictureOf(drawn))).toBe('purple');
  });

  test('show as many words as fit, and none of the cues', async () => {
    const long = 'word '.repeat(6_000).trim();
    expect(readWords(pngOf(await draw(long)), long)).toMatch(/^(?:word )+[wor]*\.\.\.$/);
    expect(readWords(pngOf(await draw('[[chunks 3]] A red fox')), 'A red fox')).toBe('A red fox');
  });

  test.each([
    ['1024x1024', 'low', 272],
    ['1024x1024', 'medium', 1_056],
    ['1024x1024', 'high', 4_160],
    ['1536x1024', 'low', 408],
    ['1024x1536', 'medium', 1_584],
    ['1024x1536', 'high', 6_240],
  ])('of %s in %s quality are of that size and cost %i tokens', async (size, quality, tokens) => {
    const drawn = await draw('A red fox', { size, quality });
    const { width, height } = pictureOf(drawn);
    expect(drawn).toEqual({
      status: 200,
      created: expect.any(Number),
      data: [{ b64_json: expect.any(String) }],
      background: 'opaque',
      output_format: 'png',
      quality,
      size: `${width}x${height}`,
      usage: {
        total_tokens: tokens + 3,
        input_tokens: 3,
        input_tokens_details: { text_tokens: 3, image_tokens: 0 },
        output_tokens: tokens,
      },
    });
    expect(drawn.size).toBe(size);
  });

  test('are square and of high quality where that is left to the model, and differ where there are several', async () => {
    const drawn = await draw('A red fox', {
      n: 3,
      size: 'auto',
      quality: 'auto',
      moderation: 'low',
      user: 'u',
    });
    expect(drawn).toMatchObject({ size: '1024x1024', quality: 'high', usage: { output_tokens: 3 * 4_160 } });
    expect(new Set(drawn.data.map((image) => image.b64_json)).size).toBe(3);
  });

  test('are clear behind the words where that is asked for', async () => {
    const drawn = await draw('A red fox', { background: 'transparent' });
    expect(drawn.background).toBe('transparent');
    expect(pngOf(drawn).includes('tRNS')).toBe(true);
    expect(pngOf(await draw('A red fox')).includes('tRNS')).toBe(false);
  });

  test('are as long as the prompt says, and still files that can be read', async () => {
    const drawn = await draw('[[bytes 10000000]] A red fox');
    expect(pngOf(drawn)).toHaveLength(10_000_000);
    expect(readWords(pngOf(drawn), 'A red fox')).toBe('A red fox');
    expect(pngOf(await draw('A red fox')).length).toBeLessThan(20_000);
  });

  test.each([
    [
      'response_format',
      { response_format: 'b64_json' },
      { code: 'unknown_parameter', param: 'response_format' },
    ],
    ['no prompt', { prompt: undefined }, { code: 'missing_required_parameter', param: 'prompt' }],
    ['an empty prompt', { prompt: '' }, { code: 'empty_string' }],
    ['a prompt that is too long', { prompt: 'x'.repeat(32_001) }, { code: 'string_above_max_length' }],
    ['eleven images', { n: 11 }, { code: 'integer_above_max_value', param: 'n' }],
    ['no images', { n: 0 }, { code: 'integer_below_min_value', param: 'n' }],
    ['another size', { size: '512x512' }, { code: 'invalid_value', param: 'size' }],
    ['another quality', { quality: 'hd' }, { code: 'invalid_value', param: 'quality' }],
    ['another kind of file', { output_format: 'webp' }, { param: 'output_format' }],
    ['a compressed PNG file', { output_compression: 50 }, { code: 'invalid_png_output_compression' }],
    ['a model that draws nothing', { model: 'sim-chat' }, { code: 'invalid_value', param: 'model' }],
    [
      'a prompt that is filtered',
      { prompt: '[[filter]] A fox' },
      { code: 'moderation_blocked', type: 'image_generation_user_error' },
    ],
  ])('are refused for %s', async (_, more, error) => {
    expect(await draw('A red fox', more)).toMatchObject({ status: 400, error });
  });

  test('come from Azure, and fail on cue', async () => {
    expect((await draw('A fox', {}, '/openai/v1/images/generations')).data).toHaveLength(1);
    expect((await draw('A fox', { model: 'sim-fault-error-503' })).status).toBe(503);
    expect((await draw('[[fault error-429]] A fox')).status).toBe(429);
    expect((await draw('[[fault missing-usage]] A fox')).usage).toBeUndefined();
    expect((await draw('[[fault zero-usage]] A fox')).usage).toMatchObject({ output_tokens: 0 });
  });
});

describe('edited images', () => {
  test('show the prompt over the first image', async () => {
    const drawn = await edit([
      ['image[]', green],
      ['image[]', file(encodePng({ red: 255, green: 0, blue: 0 }, 8))],
      ['mask', green],
      ['prompt', 'Add a hat'],
      ['n', '2'],
      ['size', '1024x1536'],
      ['quality', 'low'],
    ]);
    expect(dominantColour(pictureOf(drawn))).toBe('green');
    expect(readWords(pngOf(drawn), 'Add a hat')).toBe('Add a hat');
    expect(drawn).toMatchObject({ size: '1024x1536', data: [{}, {}], usage: { output_tokens: 816 } });
    expect(drawn.usage).toMatchObject({ input_tokens_details: { text_tokens: 3, image_tokens: 170 } });
  });

  test('are taken from JPEG and WebP files too', async () => {
    for (const [type, bytes] of [
      ['image/jpeg', Buffer.from('ffd8ffe000104a464946', 'hex')],
      ['image/webp', Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1')],
    ] as const) {
      expect(
        (
          await edit([
            ['image', file(bytes, type)],
            ['prompt', 'A hat'],
          ])
        ).status,
      ).toBe(200);
    }
  });

  test('are in the journal with the form and its bytes', async () => {
    await edit([
      ['image', green],
      ['prompt', 'Ein Hut für 고양이'],
    ]);
    const call = simulator.calls.at(-1);
    expect(call).toMatchObject({ model: 'sim-image', text: '', path: '/v1/images/edits' });
    const form = call?.body as Form;
    expect(form.text('prompt')).toBe('Ein Hut für 고양이');
    expect(form.files('image')[0]?.data).toEqual(Buffer.from(await green.arrayBuffer()));
    expect(call?.bytes.includes('form-data; name="prompt"')).toBe(true);
  });

  test.each<[string, ReadonlyArray<readonly [string, Field]>, Wire]>([
    ['no image', [['prompt', 'x']], { code: 'missing_required_parameter', param: 'image' }],
    ['no prompt', [['image', green]], { code: 'missing_required_parameter', param: 'prompt' }],
    [
      'a file of another type',
      [
        ['image', file(Buffer.from('GIF89a'), 'image/gif')],
        ['prompt', 'x'],
      ],
      { code: 'unsupported_file_mimetype', param: 'image' },
    ],
    [
      'a file that is not what it is said to be',
      [
        ['image', file(Buffer.from('GIF89a'), 'image/png')],
        ['prompt', 'x'],
      ],
      { code: 'invalid_image_file' },
    ],
    [
      'seventeen images',
      [...Array.from({ length: 17 }, () => ['image[]', green] as const), ['prompt', 'x']],
      { code: 'array_above_max_length' },
    ],
    [
      'a mask that is no PNG file',
      [
        ['image', green],
        ['mask', file(Buffer.from('ffd8ff', 'hex'), 'image/jpeg')],
        ['prompt', 'x'],
      ],
      { code: 'unsupported_file_mimetype', param: 'mask' },
    ],
    [
      'an image that is a text',
      [
        ['image', 'abc'],
        ['prompt', 'x'],
      ],
      { code: 'invalid_type', param: 'image' },
    ],
    [
      'a count that is none',
      [
        ['image', green],
        ['prompt', 'x'],
        ['n', 'two'],
      ],
      { code: 'invalid_type' },
    ],
    [
      'an unknown field',
      [
        ['image', green],
        ['prompt', 'x'],
        ['style', 'vivid'],
      ],
      { code: 'unknown_parameter' },
    ],
  ])('are refused for %s', async (_, fields, error) => {
    expect(await edit(fields)).toMatchObject({ status: 400, error });
  });

  test('are refused where the body is no form', async () => {
    expect(await draw('A hat', {}, '/v1/images/edits')).toMatchObject({
      status: 400,
      error: { code: 'unsupported_content_type' },
    });
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await send('/v1/images/edits', { headers, body: '--x\r\nnot a form' })).error).toMatchObject({
      message: 'Could not parse multipart form',
    });
  });
});
