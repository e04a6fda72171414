import { expect, test } from 'vitest';
import { InlineMedia, writeInlineBody } from './inline-media.ts';
import type { MediaInput } from './media-input.ts';

const none = (): Promise<null> => Promise.resolve(null);

function media(bytes: Buffer, step: number): MediaInput {
  return {
    mimeType: 'image/png',
    bytes: bytes.length,
    url: none,
    asset: none,
    async *pieces() {
      for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
    },
  };
}

async function whole(body: ReturnType<typeof writeInlineBody>, beforeLast = async () => {}): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of body.pieces(beforeLast)) pieces.push(piece);
  const text = Buffer.concat(pieces);
  expect(text.length).toBe(body.length);
  return text.toString();
}

test.each([1, 2, 3, 4, 7, 100])('bytes in pieces of %d become one base64 text', async (step) => {
  for (const size of [0, 1, 2, 3, 50, 100]) {
    const bytes = Buffer.from(Array.from({ length: size }, (_, i) => (i * 7) % 256));
    const value = {
      prompt: 'an "ü"',
      a: new InlineMedia(media(bytes, step)),
      b: [InlineMedia.dataUrl(media(bytes, step)), 1],
    };
    const base64 = bytes.toString('base64');
    expect(JSON.parse(await whole(writeInlineBody(value, 'MARKER')))).toEqual({
      prompt: 'an "ü"',
      a: base64,
      b: [`data:image/png;base64,${base64}`, 1],
    });
  }
});

test('a body is not valid JSON before its last bytes, and they are sent only after a check', async () => {
  const bytes = Buffer.from('abc');
  for (const value of [{ prompt: 'x' }, { a: new InlineMedia(media(bytes, 2)) }]) {
    const sent: Buffer[] = [];
    const refused = (async () => {
      const body = writeInlineBody(value, 'MARKER');
      for await (const piece of body.pieces(() => Promise.reject(new Error('no')))) sent.push(piece);
    })();
    await expect(refused).rejects.toThrow('no');
    expect(() => JSON.parse(Buffer.concat(sent).toString())).toThrow();
  }
});

test('an input with another length than announced is not sent completely', async () => {
  const wrong = { ...media(Buffer.from('abcd'), 2), bytes: 5 };
  const body = writeInlineBody({ a: new InlineMedia(wrong) }, 'MARKER');
  await expect(whole(body)).rejects.toThrow('4 bytes instead of 5');
});
