import { describe, expect, test } from 'vitest';
import type { ImageCall } from '../../../images/image-call.ts';
import { parseUnits } from '../../../kernel/units.ts';
import { Body } from '../../../net/collect-body.ts';
import { readGoogleImages } from './read-images.ts';
import { writeGoogleImages } from './write-images.ts';

const fields = { model: 'ours', prompt: 'a cat' };
const body = { value: {}, bytes: Buffer.alloc(0), fields: new Map() };
const generate = (more: object = {}): ImageCall => ({
  kind: 'generate',
  fields: { ...fields, ...more },
  body,
});
const write = (call: ImageCall): unknown => JSON.parse(String(writeGoogleImages(call, 'theirs').body));

describe('a call', () => {
  test('is a prompt for an image with the aspect ratio of its size', () => {
    const auto = { quality: 'auto', background: 'auto', n: 1, response_format: 'b64_json', user: null };
    expect(write(generate({ ...auto, size: '1536x1024' }))).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'a cat' }] }],
      generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '3:2' } },
    });
    expect(write(generate({ size: 'auto' }))).toMatchObject({
      generationConfig: { responseModalities: ['TEXT', 'IMAGE'] },
    });
  });

  test('to edit sends its images before the prompt', () => {
    const image = { mediaType: 'image/webp', bytes: Buffer.from('hi') } as const;
    expect(write({ kind: 'edit', fields, images: [image], mask: null })).toMatchObject({
      contents: [{ parts: [{ inlineData: { mimeType: 'image/webp', data: 'aGk=' } }, { text: 'a cat' }] }],
    });
    expect(() => write({ kind: 'edit', fields, images: [image], mask: { ...image } })).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', param: 'mask' }),
    );
  });

  test.each([
    ['n', { n: 2 }],
    ['size', { size: '640x480' }],
    ['quality', { quality: 'high' }],
    ['background', { background: 'opaque' }],
    ['user', { user: 'me' }],
    ['output_format', { output_format: 'jpeg' }],
    ['style', { style: 'vivid' }],
  ])('with an unsupported %s is rejected', (param, more) => {
    expect(() => write(generate(more))).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', param }),
    );
  });
});

describe('an answer', () => {
  const context = {
    callId: 'req_1',
    model: 'ours',
    createdSeconds: 7,
    asked: { size: '1024x1024', quality: null },
  };
  const read = (value: object) => readGoogleImages(new Body([Buffer.from(JSON.stringify(value))]), context);
  const candidate = (parts: object[], finishReason = 'STOP') => ({
    candidates: [{ content: { role: 'model', parts }, finishReason, index: 0 }],
  });
  const image = { inlineData: { mimeType: 'image/png', data: 'aGk=' } };

  test('has its images, the usage and the cost', () => {
    const promptTokensDetails = [
      { modality: 'TEXT', tokenCount: 2 },
      { modality: 'IMAGE', tokenCount: 3 },
    ];
    const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 1_290, promptTokensDetails };
    const answer = read({ ...candidate([{ text: 'Here:' }, image]), usageMetadata });
    expect(answer).toMatchObject({
      images: 1,
      imageKind: { size: '1024x1024', quality: null },
      usage: {
        inputTokens: 5,
        outputTokens: 1_290,
        details: { imageInputTokens: 3, imageOutputTokens: 1_290 },
      },
      finishReason: 'STOP',
    });
    const shown =
      answer !== null && 'body' in answer && answer.body({ usage: null, cost: parseUnits('0.5') });
    expect(JSON.parse(String(shown))).toMatchObject({
      created: 7,
      data: [{ b64_json: 'aGk=' }],
      usage: {
        input_tokens: 5,
        input_tokens_details: { text_tokens: 2, image_tokens: 3 },
        output_tokens: 1_290,
        total_tokens: 1_295,
      },
      estimated_cost: { amount: '0.5' },
    });
  });

  test('without usage has no token counts', () => {
    const answer = read(candidate([image]));
    expect(answer).toMatchObject({ images: 1, usage: { inputTokens: 0, outputTokens: 0 } });
    const shown = answer !== null && 'body' in answer && answer.body({ usage: null, cost: null });
    expect(JSON.parse(String(shown))).not.toHaveProperty('usage');
  });

  test.each([
    ['content_blocked', candidate([], 'IMAGE_SAFETY')],
    ['content_blocked', { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }],
    ['upstream_error', candidate([{ text: 'I would rather talk.' }])],
  ])('without an image is %s', (code, value) => {
    expect(read(value)).toMatchObject({ code });
  });

  test('that is not an image answer is null', () => {
    expect(read({ error: { code: 500 } })).toBeNull();
    expect(read({})).toBeNull();
  });
});
