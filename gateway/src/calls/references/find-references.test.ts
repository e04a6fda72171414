import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Blobs } from '../../blobs/blobs.ts';
import type { Database } from '../../database/database.ts';
import { placeholder, putInline } from '../../json/placeholders.ts';
import { DAY_MS } from '../../kernel/durations.ts';
import { systemClock } from '../../kernel/time.ts';
import { base64Pieces } from '../../media/resolve-media.ts';
import { AddressGuard } from '../../net/address-guard.ts';
import type { Provider, TextProvider } from '../../providers/provider.ts';
import type { MediaAddress } from '../../text/media-address.ts';
import { type CallMediaTools, findCallReferences } from './find-references.ts';

const REFERENCE = `svc-file://ref_${'0'.repeat(26)}`;

/** A reference of ten bytes. */
function toolsWith(more: Partial<CallMediaTools> = {}): CallMediaTools {
  const row = {
    id: REFERENCE.slice(11),
    spaceId: 'spc',
    track: 'file',
    kind: 'image',
    mimeType: 'image/jpg',
  };
  const dates = { createdAt: systemClock.now(), expiresAt: systemClock.now() + 30 * DAY_MS };
  return {
    db: { query: async () => [{ ...row, ...dates, bytes: 10 }] } as unknown as Database,
    blobs: {
      open: async () => Readable.from([Buffer.from('0123'), Buffer.from('456789')]),
    } as unknown as Blobs,
    clock: systemClock,
    guard: new AddressGuard({ allowed: [], resolve: async () => ['93.184.215.14'] }),
    ...more,
  };
}

const provider = { name: 'p', simulated: false, texts: [] } as unknown as Provider;
const textWith = (bytesMax: number, fetches: boolean): TextProvider =>
  ({
    media: { oneBytesMax: bytesMax, allBytesMax: bytesMax, fetches, names: [] },
  }) as unknown as TextProvider;

const alone = { lease: null, signal: new AbortController().signal };

const addressAt = (url: string, i = 0): MediaAddress => ({
  ...{ url, of: 'image', param: `at[${i}]`, path: ['at', i] },
  put: (source) => source,
});

describe('a reference', () => {
  test('is sent in the body if it fits, with the MIME type that providers accept', async () => {
    const media = await findCallReferences([addressAt(REFERENCE)], 'spc', toolsWith());
    const { sources, inline } = await media.place(provider, textWith(10, true), alone);
    expect(sources.get(REFERENCE)).toMatchObject({ kind: 'data', mediaType: 'image/jpeg' });
    expect(Buffer.concat(inline.pieces.flat()).toString()).toBe(Buffer.from('0123456789').toString('base64'));
  });

  test('that is too large for the body is sent as a signed URL, if the provider fetches URLs', async () => {
    const tools = toolsWith({
      signUrl: async ({ id }, seconds) => `https://gate.example/${id}?s=${seconds}`,
    });
    const media = await findCallReferences([addressAt(REFERENCE)], 'spc', tools);
    const { sources } = await media.place(provider, textWith(9, true), alone);
    const url = `https://gate.example/${REFERENCE.slice(11)}?s=3600`;
    expect(sources.get(REFERENCE)).toEqual({ kind: 'url', url, mediaType: 'image/jpeg' });
    await expect(media.place(provider, textWith(9, false), alone)).rejects.toThrow(
      'at[0] is too large for this model',
    );
  });

  test('that is named several times counts several times', async () => {
    const media = await findCallReferences(
      [0, 1, 2].map((i) => addressAt(REFERENCE, i)),
      'spc',
      toolsWith(),
    );
    await expect(media.place(provider, textWith(29, true), alone)).rejects.toThrow('too large');
    expect((await media.place(provider, textWith(30, true), alone)).inline.pieces).toHaveLength(1);
  });

  test('that is too large is rejected if the gateway has no public URL', async () => {
    for (const tools of [toolsWith(), toolsWith({ signUrl: async () => null })]) {
      const media = await findCallReferences([addressAt(REFERENCE)], 'spc', tools);
      await expect(media.place(provider, textWith(9, true), alone)).rejects.toMatchObject({ param: 'at[0]' });
    }
  });
});

test('a call with more than 50 hosts or 100 references is rejected before any lookup, and a host is resolved once', async () => {
  let asked = 0;
  const resolve = async (): Promise<string[]> => {
    asked++;
    return ['93.184.215.14'];
  };
  const tools = toolsWith({ guard: new AddressGuard({ allowed: [], resolve }) });
  const same = Array.from({ length: 500 }, (_, i) => addressAt(`https://one.example.com/${i}`, i));
  await findCallReferences(same, 'spc', tools);
  expect(asked).toBe(1);
  const many = Array.from({ length: 51 }, (_, i) => addressAt(`https://h${i}.example.com/`, i));
  await expect(findCallReferences(many, 'spc', tools)).rejects.toThrow('must not name more than 50 hosts');
  const named = Array.from({ length: 101 }, (_, i) => addressAt(`svc-file://ref_${i}`, i));
  await expect(findCallReferences(named, 'spc', tools)).rejects.toThrow(
    'must not name more than 100 references',
  );
  expect(asked).toBe(1);
});

test.each([[[1]], [[2, 3]], [[3, 3, 3]], [[5, 1, 1, 7, 64]], [[0, 4, 0]], [[]]])(
  'pieces of %j bytes make the base64 of the whole',
  async (sizes) => {
    const pieces = sizes.map((size, i) => Buffer.alloc(size, 200 + i));
    const encoded = await base64Pieces({ pieces: () => Readable.from(pieces) as AsyncIterable<Buffer> });
    expect(Buffer.concat(encoded).toString()).toBe(Buffer.concat(pieces).toString('base64'));
  },
);

test('bytes replace every placeholder, even if one is repeated', () => {
  const mark = 'M'.repeat(32);
  const body = Buffer.from(`a${placeholder(mark, 1)}b${placeholder(mark, 0)}${placeholder(mark, 1)}`);
  const put = putInline(body, {
    mark,
    pieces: [[Buffer.from('zero')], [Buffer.from('o'), Buffer.from('ne')]],
  });
  expect(Buffer.concat(put as Buffer[]).toString()).toBe('aonebzeroone');
  expect(putInline(body, { mark, pieces: [] })).toBe(body);
});
