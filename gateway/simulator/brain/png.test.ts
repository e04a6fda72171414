import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { dominantColour } from './colours.ts';
import { decodePng, encodePng } from './png.ts';

/** A file without checksums, which the reader does not look at. */
function png(
  header: { width: number; height: number; depth: number; kind: number },
  rows: number[],
  palette?: number[],
): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(header.width, 0);
  size.writeUInt32BE(header.height, 4);
  const block = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  return Buffer.concat([
    encodePng({ red: 0, green: 0, blue: 0 }, 1).subarray(0, 8),
    block('IHDR', Buffer.concat([size, Buffer.from([header.depth, header.kind, 0, 0, 0])])),
    ...(palette === undefined ? [] : [block('PLTE', Buffer.from(palette))]),
    block('IDAT', deflateSync(Buffer.from(rows))),
  ]);
}

test('what is written can be read', () => {
  const picture = decodePng(encodePng({ red: 1, green: 2, blue: 3 }, 5));
  expect(picture).toMatchObject({ width: 5, height: 5 });
  expect(picture?.colourAt(4, 4)).toEqual({ red: 1, green: 2, blue: 3 });
});

test('the row filters are taken back', () => {
  const rows = [
    [1, 10, 20, 30, 255, 5, 5, 5, 255, 5, 5, 5],
    [2, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1],
    [3, 5, 10, 15, 0, 0, 0, 0, 0, 0, 0, 0],
    [4, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0],
  ].map((row) => [...row, ...Array(13 - row.length).fill(0)]);
  const picture = decodePng(png({ width: 3, height: 4, depth: 8, kind: 6 }, rows.flat()));
  expect(picture?.colourAt(0, 0)).toEqual({ red: 10, green: 20, blue: 30 });
  expect(picture?.colourAt(1, 0)).toEqual({ red: 15, green: 25, blue: 35 });
  expect(picture?.colourAt(1, 1)).toEqual({ red: 16, green: 26, blue: 36 });
  expect(picture?.colourAt(0, 2)).toEqual({ red: 10, green: 20, blue: 30 });
  expect(picture?.colourAt(0, 3)).toEqual({ red: 11, green: 21, blue: 31 });
});

test('palettes, greys and sixteen bits are understood', () => {
  const palette = png({ width: 4, height: 1, depth: 2, kind: 3 }, [0, 0b01_01_01_00], [0, 0, 0, 255, 255, 0]);
  const grey = png({ width: 8, height: 1, depth: 1, kind: 0 }, [0, 0b11111110]);
  const deep = png({ width: 1, height: 1, depth: 16, kind: 2 }, [0, 0, 9, 0, 9, 255, 9]);
  const names = [palette, grey, deep].map((file) =>
    dominantColour(decodePng(file) as NonNullable<ReturnType<typeof decodePng>>),
  );
  expect(names).toEqual(['yellow', 'white', 'blue']);
});

test('what is no picture is null', () => {
  const whole = encodePng({ red: 0, green: 0, blue: 0 }, 5);
  for (const bytes of [Buffer.alloc(0), Buffer.from('GIF89a'), whole.subarray(0, 50)])
    expect(decodePng(bytes)).toBeNull();
});
