import { expect, test } from 'vitest';
import { imageTypeOf } from './image-type.ts';

test.each([
  ['image/png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
  ['image/jpeg', '\xff\xd8\xff\xe0\0\x10JFIF'],
  ['image/webp', 'RIFF\x24\0\0\0WEBPVP8 '],
  [null, 'GIF89a\x01\0\x01\0'],
  [null, '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  [null, '<!doctype html><script>'],
  [null, 'RIFF\x24\0\0\0WAVEfmt '],
  [null, '\x89PNG'],
  [null, ''],
])('is %s: %j', (type, head) => {
  expect(imageTypeOf(Buffer.from(head, 'latin1'))).toBe(type);
});
