import { expect, test } from 'vitest';
import { boundaryOf, MultipartParser } from './multipart-parser.ts';
import { readMultipart } from './read-multipart.ts';

const part = (head: string, body: string): string => `--b\r\n${head}\r\n\r\n${body}\r\n`;
const named = (name: string, body: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, body);
const read = (text: string) =>
  readMultipart(Buffer.from(text, 'latin1'), 'b').map(({ name, bytes }) => [name, bytes.toString('latin1')]);

test('parts are read unchanged, even with bytes that look like line ends and boundaries', () => {
  const odd = '\r\n--a\r\n--\r\n\r\n\0\xff--b';
  const file = 'Content-Disposition: form-data; filename="a; name=no"; name=image\r\nContent-Type: image/png';
  expect(read(`${named('prompt', '')}${part(file, odd)}--b--\r\n`)).toEqual([
    ['prompt', ''],
    ['image', odd],
  ]);
});

test('parts are views of the body, not copies', () => {
  const body = Buffer.from(`${named('image', 'x'.repeat(100_000))}--b--`);
  const [only] = readMultipart(body, 'b');
  expect(only?.bytes.buffer).toBe(body.buffer);
});

test('a form is read the same wherever its chunks are cut, and no bytes are held back', () => {
  const odd = '\r\n--\r\n--b\x00\r\r\n-\r\n--bb\r\n';
  const file =
    'Content-Disposition: form-data; name="file"; filename="a\\"b.jsonl"\r\nContent-Type: text/x; a=b';
  const form = Buffer.from(
    `${named('purpose', 'batch')}${part(file, odd.replaceAll('--b', '--a'))}--b--\r\n`,
  );
  const parse = (cuts: readonly number[]): unknown => {
    const parser = new MultipartParser('b');
    const parts: Array<{ head: unknown; bytes: Buffer[] }> = [];
    const at = [0, ...cuts, form.length];
    for (const [i, start] of at.slice(0, -1).entries()) {
      for (const event of parser.push(Buffer.from(form.subarray(start, at[i + 1])))) {
        if ('head' in event) parts.push({ head: event.head, bytes: [] });
        else parts.at(-1)?.bytes.push(event.bytes);
      }
    }
    parser.end();
    return parts.map(({ head, bytes }) => [head, Buffer.concat(bytes).toString('latin1')]);
  };
  const whole = parse([]);
  expect(whole).toEqual([
    [{ name: 'purpose', filename: null, contentType: null }, 'batch'],
    [{ name: 'file', filename: 'a"b.jsonl', contentType: 'text/x; a=b' }, odd.replaceAll('--b', '--a')],
  ]);
  expect(parse(Array.from({ length: form.length - 1 }, (_, i) => i + 1))).toEqual(whole);
  for (let cut = 1; cut < form.length; cut++) expect(parse([cut])).toEqual(whole);
});

test.each([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['multipart/form-data; charset=utf-8; boundary="a b"; x=y', 'a b'],
])('the boundary of %s is %s', (type, boundary) => {
  expect(boundaryOf(type)).toBe(boundary);
});

test.each([
  ['no boundary', () => boundaryOf('multipart/form-data'), /no boundary/],
  ['an empty boundary', () => boundaryOf('multipart/form-data; boundary='), /no boundary/],
  ['nothing', () => read(''), /does not begin/],
  ['text before the boundary', () => read(`hello\r\n${named('a', '')}--b--`), /does not begin/],
  ['no closing boundary', () => read(named('a', 'x')), /cut off in part 1/],
  ['a part that is cut off', () => read(named('a', 'x').slice(0, -4)), /cut off in part 1/],
  ['a part without a name', () => read(`${part('Content-Type: image/png', 'x')}--b--`), /Part 1 .* no name/],
  ['an empty name', () => read(`${named('', 'x')}--b--`), /Part 1 .* no name/],
  [
    'a head without end',
    () => read('--b\r\nContent-Disposition: x\r\n--b--'),
    /headers of part 1 .* incomplete/,
  ],
  ['a head that is too long', () => read(`${part(`X: ${'a'.repeat(9_000)}`, '')}--b--`), /too long/],
  ['a header twice', () => read(`${part('A: 1\r\na: 2', '')}--b--`), /headers of part 1 .* invalid/],
  ['a line that is not a header', () => read(`${part('what', '')}--b--`), /headers of part 1 .* invalid/],
  ['an encoded part', () => read(`${encoded}--b--`), /"image" must not have a Content-Transfer-Encoding/],
  ['too many parts', () => read(`${named('a', '').repeat(65)}--b--`), /more than 64 parts/],
])('%s is refused', (_, work, detail) => {
  expect(work).toThrow(
    expect.objectContaining({ code: 'invalid_parameter', detail: expect.stringMatching(detail) }),
  );
});

test('any mutation of a form is read or rejected with a Problem, in bounded time', () => {
  const good = Buffer.from(
    `${named('prompt', 'a cat')}${named('image', '\x89PNG\r\n--b')}--b--\r\n`,
    'latin1',
  );
  // Always the same numbers, so that what fails once fails again.
  let seed = 7;
  const dice = (sides: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % sides;
  };
  let refusedForms = 0;
  for (let i = 0; i < 5_000; i++) {
    const bytes = Buffer.from(good.subarray(0, dice(3) === 0 ? dice(good.length) : good.length));
    for (let change = dice(4); change > 0 && bytes.length > 0; change--) {
      bytes[dice(bytes.length)] = dice(2) === 0 ? (ODD[dice(ODD.length)] as number) : dice(256);
    }
    try {
      readMultipart(bytes, 'b');
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid_parameter' });
      refusedForms++;
    }
  }
  expect(refusedForms).toBeGreaterThan(1_000);
});

const ODD = Buffer.from('\r\n-b:;="\\');
const encoded = part(
  'Content-Disposition: form-data; name="image"\r\nContent-Transfer-Encoding: base64',
  'aGk=',
);
