import { describe, expect, test } from 'vitest';
import { parseUnits } from '../../../kernel/units.ts';
import { Body } from '../../../net/collect-body.ts';
import type { ImageAnswerContext } from '../../provider.ts';
import { readImagesAnswer } from './read-images.ts';

const context: ImageAnswerContext = {
  callId: 'req_1',
  model: 'our-model',
  createdSeconds: 7,
  asked: { size: 'auto', quality: 'low' },
};
const b64 = 'iVBORw0KGgo'.repeat(20_000);
const usage = {
  input_tokens: 120,
  output_tokens: 4_000,
  input_tokens_details: { text_tokens: 20, image_tokens: 100 },
};
const cut = (text: string, size = 4_096): Body => {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
  return new Body(pieces);
};
const read = (value: unknown, size?: number) =>
  readImagesAnswer(cut(typeof value === 'string' ? value : JSON.stringify(value), size), context);
const show = (value: unknown, size?: number): Record<string, unknown> => {
  const shown = read(value, size)?.body({ usage: null, cost: parseUnits('0.5') }) as readonly Buffer[];
  return JSON.parse(Buffer.concat(shown).toString('utf8'));
};
const cost = expect.objectContaining({ amount: '0.5', currency: 'unit' });

describe('an answer', () => {
  test.each([
    ['small', 'aGk='],
    ['large', b64],
  ])('that is %s is relayed with the cost, wherever its usage is', (_, image) => {
    const data = [{ b64_json: image }, { b64_json: image, revised_prompt: 'a "b64_json": cat', url: null }];
    for (const value of [
      { created: 1, data, usage },
      { usage, data, created: 1 },
      { created: 1, usage, data, size: '1024x1024' },
    ]) {
      for (const size of [3, 10, 4_096, 10_000_000].slice(image === b64 ? 1 : 0)) {
        expect(show(value, size)).toEqual({ ...value, estimated_cost: cost });
        expect(read(value, size)).toMatchObject({
          images: 2,
          usage: {
            inputTokens: 120,
            outputTokens: 4_000,
            details: { imageInputTokens: 100, imageOutputTokens: 4_000 },
          },
        });
      }
    }
  });

  test('is not joined: the pieces of its images are the received ones', () => {
    const body = cut(JSON.stringify({ created: 1, data: [{ b64_json: b64 }], usage }), 65_536);
    const shown = readImagesAnswer(body, context)?.body({ usage: null, cost: null }) as readonly Buffer[];
    for (let i = 0; i < 3; i++) expect(shown[i]).toBe(body.pieces[i]);
  });

  test("has our model and our cost instead of the provider's", () => {
    const told = { created: 1, model: 'theirs', estimated_cost: { amount: '9' }, data: [{ b64_json: b64 }] };
    expect(show(told)).toEqual({ ...told, model: 'our-model', estimated_cost: cost });
    expect(show({ data: [{ b64_json: b64 }] })).toMatchObject({ created: 7 });
  });

  test('has its own size and quality, or else the requested ones', () => {
    const data = [{ b64_json: b64 }];
    expect(read({ data, size: '1024x1536', quality: 'high' })?.imageKind).toEqual({
      size: '1024x1536',
      quality: 'high',
    });
    expect(read({ data })?.imageKind).toEqual({ size: 'auto', quality: 'low' });
  });

  test.each([
    ['none', undefined],
    ['null', null],
    ['more images than there is input', { ...usage, input_tokens: 5 }],
    ['a text', { input_tokens: '5', output_tokens: 5 }],
    ['less than nothing', { input_tokens: -1, output_tokens: 5 }],
  ])('whose usage is %s has images and no token counts', (_, told) => {
    expect(read({ data: [{ b64_json: b64 }], usage: told })).toMatchObject({
      images: 1,
      usage: { inputTokens: 0, outputTokens: 0 },
    });
  });
});

test.each([
  ['an address', { data: [{ url: 'https://provider.example/1.png' }] }],
  ['an address beside an image', { data: [{ b64_json: b64, url: 'https://provider.example/1.png' }] }],
  ['an image and an address', { data: [{ b64_json: b64 }, { url: 'https://provider.example/1.png' }] }],
  ['no images', { data: [] }],
  ['an empty image', { data: [{ b64_json: '' }] }],
  ['no data', { created: 1 }],
  ['an error', { error: { message: 'no' } }],
  ['half an answer', JSON.stringify({ data: [{ b64_json: b64 }] }).slice(0, -2)],
  ['half an image', JSON.stringify({ data: [{ b64_json: b64 }] }).slice(0, 1_000)],
  ['a page', '<html>no</html>'],
  ['nothing', ''],
])('%s is not an answer', (_, value) => {
  expect(read(value)).toBeNull();
});
