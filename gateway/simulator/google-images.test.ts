import { describe, expect, test } from 'vitest';
import { dominantColour } from './brain/colours.ts';
import { decodePng, encodePng, type Picture } from './brain/png.ts';
import type { Wire } from './testing/call-simulator.ts';
import { generate, partsOf, say, user } from './testing/gemini-stage.ts';
import { readWords } from './testing/read-words.ts';

describe("Google's pictures", () => {
  const dataOf = (part: Wire = {}): Buffer =>
    Buffer.from((part.inlineData as { data: string }).data, 'base64');

  test('come alone or with words, in the shape that is asked for, at one price', async () => {
    const imageConfig = { aspectRatio: '16:9' };
    const alone = await say(
      'A cyan sky',
      { generationConfig: { responseModalities: ['IMAGE'], imageConfig } },
      'sim-image',
    );
    const [part, ...more] = partsOf(alone);
    expect(more).toEqual([]);
    expect(decodePng(dataOf(part))).toMatchObject({ width: 1_344, height: 768 });
    expect(readWords(dataOf(part), 'A cyan sky')).toBe('A cyan sky');
    expect(alone.usageMetadata.candidatesTokenCount).toBe(1_290);
    const both = await say(
      'A cyan sky',
      { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
      'sim-image',
    );
    expect(partsOf(both)).toMatchObject([
      { text: 'Here is a cyan image.' },
      { inlineData: { mimeType: 'image/png' } },
    ]);
    expect(decodePng(dataOf(partsOf(both)[1]))).toMatchObject({ width: 1_024, height: 1_024 });
    expect(both.usageMetadata.candidatesTokenCount).toBe(1_296);
  });

  test('are withheld on cue, and refused in a shape that is unknown', async () => {
    expect((await say('[[filter]] A sky', {}, 'sim-image')).candidates).toEqual([
      { content: { role: 'model' }, index: 0, finishReason: 'IMAGE_SAFETY' },
    ]);
    const odd = await say('x', { generationConfig: { imageConfig: { aspectRatio: '7:5' } } }, 'sim-image');
    expect(odd.error).toMatchObject({ code: 400, message: expect.stringContaining('aspect_ratio') });
    const chat = await say('x', { generationConfig: { imageConfig: { aspectRatio: '1:1' } } });
    expect(chat.error.message).toBe('Aspect ratio is not enabled for this model');
  });

  test('are drawn over the picture that comes with the prompt', async () => {
    const data = encodePng({ red: 0, green: 255, blue: 0 }, 20).toString('base64');
    const parts = [{ text: 'Add a red hat' }, { inlineData: { mimeType: 'image/png', data } }];
    const edited = await generate({ contents: [user(...parts)] }, 'sim-image');
    expect(dominantColour(decodePng(dataOf(partsOf(edited)[1])) as Picture)).toBe('green');
  });

  test('come from sim-image-chat too, with the shape that the request names', async () => {
    const generationConfig = { imageConfig: { aspectRatio: '2:3' } };
    const drawn = await say('A red fox', { generationConfig }, 'sim-image-chat');
    expect(decodePng(dataOf(partsOf(drawn)[1]))).toMatchObject({ width: 832, height: 1_248 });
  });
});
