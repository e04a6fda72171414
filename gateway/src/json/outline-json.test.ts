import { expect, test } from 'vitest';
import { outlineJson } from './outline-json.ts';

const long = 'A'.repeat(5_000);
const cutAt = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
};

test.each([
  ['a long string', { a: 1, long, b: 'x' }],
  ['quotes and backslashes at every place', { a: `\\"${long}\\\\"`, b: '\\', c: '"', d: '\\"' }],
  ['several, and characters of several bytes', { list: [{ x: long }, { x: `가${long}` }], name: '가나다' }],
  ['none', { a: 1 }],
])('%s: whatever the pieces, the structure stays and the places are those of the body', (_, value) => {
  const text = JSON.stringify(value);
  for (const size of [1, 2, 3, 7, 64, 4_999, 100_000]) {
    const outline = outlineJson(cutAt(text, size));
    const cut = JSON.parse(JSON.stringify(value), (_key, item) =>
      typeof item === 'string' && JSON.stringify(item).length > 1_026 ? '*' : item,
    );
    expect(JSON.parse(outline?.bytes.toString('utf8') ?? '')).toEqual(cut);
    const end = outline?.bytes.lastIndexOf('}') ?? 0;
    expect(outline?.bodyPosition(end)).toBe(Buffer.byteLength(text) - 1);
    expect(outline?.bodyPosition(0)).toBe(0);
  }
});

test('a body that ends within a string is none', () => {
  expect(outlineJson([Buffer.from('{"a":"never ends')])).toBeNull();
  expect(outlineJson([Buffer.from('{"a":"escaped \\"')])).toBeNull();
});

test('a body that is large without long strings, or has no end of quotes, is given up', () => {
  expect(outlineJson([Buffer.from(`[${'1,'.repeat(200_000)}1]`)])).toBeNull();
  expect(outlineJson([Buffer.from(`{"a":"${'\\"'.repeat(200_000)}"}`)])).toBeNull();
});
