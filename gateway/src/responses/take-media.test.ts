import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MEDIA_CHARACTERS_MIN, putMedium, takeMedia } from './take-media.ts';

const LARGE = 'A'.repeat(MEDIA_CHARACTERS_MIN);

test('large media are taken out of any place, and everything else stays unchanged', () => {
  const items = [
    { type: 'message', content: [{ type: 'input_image', image_url: `data:image/png;base64,${LARGE}` }] },
    { type: 'image_generation_call', result: LARGE },
    { type: 'message', content: [{ type: 'input_text', text: LARGE }] },
    { type: 'input_file', file_data: 'short' },
  ];
  const { items: rest, taken } = takeMedia(items);
  expect(taken.map(({ place }) => place)).toEqual(['0/content/0/image_url', '1/result']);
  expect(rest.slice(2)).toEqual(items.slice(2));
  expect(JSON.stringify(rest).length).toBeLessThan(LARGE.length + 1_000);
});

test('media are put back exactly, whatever the names of the fields', () => {
  const text = fc.oneof(fc.string(), fc.constant(`data:${LARGE}`), fc.constant(LARGE));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('result', 'data', 'a/b', 'c~1', 'text', ''), tie('value'), {
        maxKeys: 3,
      }),
    ),
  }));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 4 }), (items) => {
      const before = JSON.stringify(items);
      const { items: rest, taken } = takeMedia(items);
      const stored = JSON.parse(JSON.stringify(rest)) as unknown;
      for (const medium of taken) putMedium(stored, medium);
      expect(JSON.stringify(stored)).toBe(before);
      expect(JSON.stringify(items)).toBe(before);
    }),
  );
});
