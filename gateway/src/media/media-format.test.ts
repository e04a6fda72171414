import { describe, expect, test } from 'vitest';
import { referenceKinds } from '../contract/reference-kinds.ts';
import {
  allowedMimeTypes,
  extensionOf,
  formatNamed,
  formatOfFilename,
  isSameFamily,
  type MediaFormat,
  sniffFormat,
} from './media-format.ts';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const ftyp = (...brands: string[]): Buffer => {
  const [main = '', ...others] = brands;
  const body = latin(`ftyp${main}\0\0\x02\0${others.join('')}`);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(body.length + 4);
  return Buffer.concat([size, body, latin('\0\0\0\x08free')]);
};
const box = (name: string, size = 8): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(size);
  head.write(name, 4, 'latin1');
  return head;
};
const bmp = (size: number): Buffer => {
  const head = Buffer.alloc(26);
  head.write('BM');
  head.writeUInt32LE(size, 14);
  return head;
};

describe('the format of a file is identified by its first bytes', () => {
  test.each<[string, Buffer, string]>([
    ['PNG', latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), 'image/png'],
    ['JPEG with JFIF', latin('\xff\xd8\xff\xe0\0\x10JFIF'), 'image/jpeg'],
    ['JPEG with Exif', latin('\xff\xd8\xff\xe1\0\x10Exif'), 'image/jpeg'],
    ['WEBP', latin('RIFF\x24\0\0\0WEBPVP8 '), 'image/webp'],
    ['GIF of 1987', latin('GIF87a\x01\0'), 'image/gif'],
    ['GIF of 1989', latin('GIF89a\x01\0'), 'image/gif'],
    ['BMP', bmp(40), 'image/bmp'],
    ['BMP of OS/2', bmp(12), 'image/bmp'],
    ['TIFF, least byte first', latin('II*\0\x08\0\0\0'), 'image/tiff'],
    ['TIFF, greatest byte first', latin('MM\0*\0\0\0\x08'), 'image/tiff'],
    ['HEIC', ftyp('heic', 'mif1', 'heic'), 'image/heic'],
    ['HEIC with more bits', ftyp('heix', 'mif1'), 'image/heic'],
    ['HEIC that calls itself HEIF first', ftyp('mif1', 'heic'), 'image/heic'],
    ['HEIF', ftyp('mif1', 'miaf'), 'image/heif'],
    ['HEIF of many pictures', ftyp('msf1', 'miaf'), 'image/heif'],
    ['MP4', ftyp('isom', 'isom', 'iso2', 'avc1', 'mp41'), 'video/mp4'],
    ['MP4, version 2', ftyp('mp42', 'isom'), 'video/mp4'],
    ['MP4 of a brand that nobody knows', ftyp('zzzz', 'mp42'), 'video/mp4'],
    ['M4V', ftyp('M4V ', 'mp42'), 'video/mp4'],
    ['QuickTime', ftyp('qt  ', 'qt  '), 'video/quicktime'],
    ['old QuickTime, index first', box('moov', 5_000), 'video/quicktime'],
    ['old QuickTime, data first', box('mdat', 1), 'video/quicktime'],
    ['old QuickTime, to the end of the file', box('mdat', 0), 'video/quicktime'],
    ['old QuickTime with room for a long length', box('wide'), 'video/quicktime'],
    ['WAV', latin('RIFF\x24\0\0\0WAVEfmt '), 'audio/wav'],
    ['MP3 with tags', latin('ID3\x03\0\0\0\0'), 'audio/mpeg'],
    ['MP3', Buffer.from([0xff, 0xfb, 0x90, 0x64]), 'audio/mpeg'],
    ['MP3 with a checksum', Buffer.from([0xff, 0xfa, 0x90, 0x64]), 'audio/mpeg'],
    ['MP3, MPEG 2', Buffer.from([0xff, 0xf3, 0x40, 0xc0]), 'audio/mpeg'],
    ['MP3, MPEG 2.5', Buffer.from([0xff, 0xe3, 0x18, 0xc4]), 'audio/mpeg'],
  ])('%s', (_, head, mimeType) => {
    expect(sniffFormat(head)?.mimeType).toBe(mimeType);
  });

  test.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['one byte', latin('\x89')],
    ['half of a beginning', latin('\x89PNG')],
    ['zeros', Buffer.alloc(512)],
    ['text', latin('Hello there, this is a text.')],
    ['text that begins like a bitmap', latin('BMW is a maker of cars in Munich.')],
    ['a page', latin('<!doctype html><script>alert(1)</script>')],
    ['a drawing', latin('<svg xmlns="http://www.w3.org/2000/svg">')],
    ['a document', latin('%PDF-1.7')],
    ['an archive', latin('PK\x03\x04')],
    ['AVI', latin('RIFF\x24\0\0\0AVI LIST')],
    ['WebM', latin('\x1a\x45\xdf\xa3\x01')],
    ['Ogg', latin('OggS\0\x02')],
    ['FLAC', latin('fLaC\0\0\0\x22')],
    ['AAC', Buffer.from([0xff, 0xf1, 0x50, 0x80])],
    ['MPEG audio, layer II', Buffer.from([0xff, 0xfd, 0x90, 0x64])],
    ['a frame of a reserved version', Buffer.from([0xff, 0xeb, 0x90, 0x64])],
    ['a frame of no bitrate', Buffer.from([0xff, 0xfb, 0xf0, 0x64])],
    ['a frame of no sample rate', Buffer.from([0xff, 0xfb, 0x9c, 0x64])],
    ['text in UTF-16', Buffer.from('\ufeffhello', 'utf16le')],
    ['sound in MP4', ftyp('M4A ', 'isom', 'mp42')],
    ['AVIF', ftyp('avif', 'mif1', 'miaf')],
    ['AVIF that calls itself HEIF first', ftyp('mif1', 'avif')],
    ['3GP', ftyp('3gp4', 'isom')],
    ['boxes of a brand that nobody knows', ftyp('zzzz', 'yyyy')],
    ['a first box without a brand', latin('\0\0\0\x08ftyp')],
    ['a box that is smaller than its head', box('moov', 4)],
  ])('%s is none of them', (_, head) => {
    expect(sniffFormat(head)).toBeNull();
  });

  test('any bytes get an answer', () => {
    for (let length = 0; length < 40; length++) {
      for (const first of [0xff, 0x00, 0x42, 0x52, 0x49]) {
        const head = Buffer.alloc(length, first);
        expect(() => sniffFormat(head)).not.toThrow();
      }
      expect(() => sniffFormat(ftyp('isom', 'mp42').subarray(0, length))).not.toThrow();
    }
  });
});

describe('the names of formats', () => {
  const named = (mimeType: string): MediaFormat => formatNamed(mimeType) as MediaFormat;

  test('are exactly those that the contract lists, each of its kind', () => {
    for (const [kind, { mimeTypes }] of Object.entries(referenceKinds))
      for (const mimeType of mimeTypes) expect(formatNamed(mimeType)?.kind, mimeType).toBe(kind);
    for (const other of [
      '',
      'image/svg+xml',
      'image/avif',
      'video/webm',
      'application/octet-stream',
      'IMAGE/PNG',
    ])
      expect(formatNamed(other)).toBeNull();
    expect(allowedMimeTypes).toHaveLength(16);
  });

  test('of the same family are interchangeable, and no others', () => {
    const same = [
      ['image/jpeg', 'image/jpg'],
      ['image/heic', 'image/heif'],
      ['audio/wav', 'audio/x-wav', 'audio/wave'],
      ['audio/mpeg', 'audio/mp3'],
    ];
    for (const one of allowedMimeTypes) {
      for (const other of allowedMimeTypes) {
        const together = one === other || same.some((row) => row.includes(one) && row.includes(other));
        expect(isSameFamily(named(one), named(other)), `${one} ${other}`).toBe(together);
      }
    }
  });

  test('map to file extensions and back', () => {
    expect(formatOfFilename('Holiday.JPEG')?.mimeType).toBe('image/jpeg');
    expect(formatOfFilename('film.mov')?.mimeType).toBe('video/quicktime');
    expect(formatOfFilename('mp4')).toBeNull();
    expect([extensionOf('video/mp4'), extensionOf('audio/wave'), extensionOf('text/html')]).toEqual([
      '.mp4',
      '.wav',
      '',
    ]);
  });
});
