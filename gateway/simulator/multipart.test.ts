import { describe, expect, test } from 'vitest';
import { type Form, isMultipart, readForm } from './multipart.ts';

const TYPE = 'multipart/form-data; boundary=edge';

function part(name: string, data: string, more = ''): string {
  return `--edge\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${data}\r\n`;
}

function read(text: string, type = TYPE): Form | null {
  return readForm(Buffer.from(text, 'latin1'), type);
}

describe('a form with files', () => {
  test('as fetch writes it is read byte by byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
    const body = new FormData();
    body.append('text', 'two\r\nlines, ü');
    body.append('file', new Blob([bytes], { type: 'image/png' }), 'a "b".png');
    const request = new Request('http://127.0.0.1', { method: 'POST', body });
    const form = readForm(
      Buffer.from(await request.arrayBuffer()),
      request.headers.get('content-type') ?? '',
    );
    expect(form?.parts).toHaveLength(2);
    expect(form?.text('text')).toBe('two\r\nlines, ü');
    expect(form?.files('file')).toEqual([
      { name: 'file', filename: 'a "b".png', mediaType: 'image/png', data: bytes },
    ]);
  });

  test('may have a quoted boundary, empty fields and names that come twice', () => {
    const form = read(
      `${part('a', '')}${part('a', 'x')}--edge--\r\n`,
      'Multipart/Form-Data; Boundary="edge"',
    );
    expect(form?.parts.map(({ data }) => data.toString())).toEqual(['', 'x']);
  });

  test.each([
    ['is not closed', part('a', 'x')],
    ['goes on after its end', `${part('a', 'x')}--edge--\r\nmore`],
    ['begins with something else', `hello\r\n${part('a', 'x')}--edge--`],
    ['has no parts', '--edge--\r\n'],
    ['has a part without a name', '--edge\r\nContent-Type: text/plain\r\n\r\nx\r\n--edge--'],
    [
      'has a part without an end of its head',
      '--edge\r\nContent-Disposition: form-data; name="a"\r\n--edge--',
    ],
    ['has a head that is too long', `${part('a', 'x', `; filename="${'f'.repeat(9_000)}"`)}--edge--`],
    ['has too many parts', `${part('a', 'x').repeat(201)}--edge--`],
    ['ends its lines with LF alone', `${part('a', 'x')}--edge--`.replaceAll('\r\n', '\n')],
  ])('that %s is none', (_, text) => {
    expect(read(text)).toBeNull();
  });

  test('without a boundary is none, and other types are no forms', () => {
    expect(read(`${part('a', 'x')}--edge--`, 'multipart/form-data')).toBeNull();
    expect(isMultipart('multipart/form-data')).toBe(true);
    expect(['multipart/mixed; boundary=a', 'application/json', undefined].some(isMultipart)).toBe(false);
  });
});
