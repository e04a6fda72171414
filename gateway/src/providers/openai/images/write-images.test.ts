import { expect, test } from 'vitest';
import type { ImageCall } from '../../../images/image-call.ts';
import { parseJsonObject } from '../../../json/parse-json.ts';
import { writeImagesRequest } from './write-images.ts';

const limits = { depthMax: 9, keysMax: 99, valuesMax: 99 };
const png = { mediaType: 'image/png', bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') } as const;

test("a generation is the caller's body with the upstream model, without the fields that only the gateway reads", () => {
  const text =
    '{"response_format":"b64_json", "model":"ours","prompt":"고양이", "style":{"a":1},"stream":false}';
  const body = parseJsonObject(Buffer.from(text), limits);
  const call: ImageCall = { kind: 'generate', fields: { model: 'ours', prompt: '고양이' }, body };
  const sent = writeImagesRequest(call, 'theirs', 'b');
  expect(sent).toMatchObject({ kind: 'generate', contentType: 'application/json' });
  expect((sent.body as Buffer).toString()).toBe('{ "model":"theirs","prompt":"고양이", "style":{"a":1}}');
});

test('an edit is a form with its fields and files, whose bytes are not copied', () => {
  const fields = { model: 'ours', prompt: '고"양이', n: 2, size: null, response_format: 'b64_json' as const };
  const call: ImageCall = { kind: 'edit', fields, images: [png, png], mask: png };
  const { body, contentType } = writeImagesRequest(call, 'theirs', 'b');
  const pieces = body as readonly Buffer[];
  expect(contentType).toBe('multipart/form-data; boundary=b');
  expect(pieces.filter((piece) => piece === png.bytes)).toHaveLength(3);
  const field = (name: string, value: string): string =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const file = (name: string, filename: string): string =>
    `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n` +
    `Content-Type: image/png\r\n\r\n${png.bytes.toString('latin1')}\r\n`;
  const expected = [
    field('model', 'theirs'),
    Buffer.from(field('prompt', '고"양이')).toString('latin1'),
    field('n', '2'),
    file('image[]', 'image-1.png'),
    file('image[]', 'image-2.png'),
    file('mask', 'mask.png'),
    '--b--\r\n',
  ];
  expect(Buffer.concat(pieces).toString('latin1')).toBe(expected.join(''));
});
