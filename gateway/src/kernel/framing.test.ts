import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { FrameTooLong, LineFramer, SseFramer } from './framing.ts';

/** The long form is `npm run test:fuzz`. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 150);

const UNCAPPED = 1_000_000;

interface SseRun {
  readonly frames: Array<{ data: string; event: string }>;
  readonly unfinished: boolean;
  readonly tooLong: boolean;
}

interface LineRun {
  readonly lines: string[];
  readonly unfinished: boolean;
  readonly tooLong: boolean;
}

function readSse(pieces: string[], charactersMax = UNCAPPED): SseRun {
  const frames: SseRun['frames'] = [];
  const framer = new SseFramer({ charactersMax, onFrame: (data, event) => frames.push({ data, event }) });
  const tooLong = !pieces.every((piece) => fits(() => framer.push(piece)));
  return { frames, unfinished: framer.unfinished, tooLong };
}

function readLines(
  pieces: string[],
  options: { charactersMax?: number; loneCarriageReturns?: boolean } = {},
): LineRun {
  const lines: string[] = [];
  const framer = new LineFramer({
    charactersMax: UNCAPPED,
    ...options,
    onLine: (line) => lines.push(line),
  });
  const tooLong = !pieces.every((piece) => fits(() => framer.push(piece)));
  const { unfinished } = framer;
  if (!tooLong) framer.end();
  return { lines, unfinished, tooLong };
}

function fits(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (thrown) {
    if (thrown instanceof FrameTooLong) return false;
    throw thrown;
  }
}

/** The rules of server-sent events over the whole text at once, by regular expression. */
function sseByTheBook(text: string): Pick<SseRun, 'frames' | 'unfinished'> {
  const lines = text.replace(/^(?:\uFEFF|\u00EF\u00BB\u00BF)/, '').split(/\r\n|\n|\r/);
  lines.pop();
  const frames: SseRun['frames'] = [];
  let data: string[] = [];
  let event = '';
  for (const line of lines) {
    if (line === '') {
      if (data.length > 0) frames.push({ data: data.join('\n'), event });
      data = [];
      event = '';
      continue;
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    if (field === 'event') event = value;
  }
  const midLine = /[^\r\n]$/.test(text);
  return { frames, unfinished: data.length > 0 || event !== '' || midLine };
}

const ending = fc.constantFrom('\n', '\n', '\r\n', '\r');
const words = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', ' ', ':', '{', '"', '[DONE]', 'data', 'é', '한', '😀', '\uFEFF'),
    maxLength: 6,
  }),
  fc.string({ unit: 'binary-ascii', maxLength: 8 }).map((text) => text.replace(/[\r\n]/g, '')),
);
const line = fc
  .tuple(
    fc.constantFrom(
      'data: ',
      'data: ',
      'data: ',
      'data:',
      'data',
      'data:  ',
      'event: ',
      'event:',
      'event',
      'id: ',
      'retry:',
      ': ',
      ':',
      'x: ',
      'Data: ',
      ' data: ',
      '',
    ),
    words,
  )
  .map(([field, value]) => field + value);
const wholeFrame = words.map((value) => `data: ${value.replace(/[\r\n]/g, '')}\n\n`);
const block = fc.oneof(
  fc.tuple(line, ending).map(([text, end]) => text + end),
  fc.tuple(line, ending, ending).map(([text, end, blank]) => text + end + blank),
  ending,
  wholeFrame,
);
const stream = fc
  .tuple(
    fc.constantFrom('', '', '\uFEFF', '\uFEFF\uFEFF'),
    fc.array(block, { maxLength: 12 }),
    fc.oneof(fc.constant(''), line),
  )
  .map(([mark, blocks, rest]) => mark + blocks.join('') + rest);
/** The same, one character per byte, as the relay reads it. */
const byteStream = stream.map((text) => Buffer.from(text).toString('latin1'));
const anyStream = fc.oneof(stream, byteStream);

/** Cut points that favour what is delicate: beside line ends. Some cuts make empty pieces. */
function cuts(text: string): fc.Arbitrary<string[]> {
  const delicate = [...text.matchAll(/[\r\n]/g)].flatMap(({ index }) => [index, index + 1]);
  const place =
    delicate.length === 0 ? fc.nat(text.length) : fc.oneof(fc.nat(text.length), fc.constantFrom(...delicate));
  return fc.array(place, { maxLength: 20 }).map((places) => {
    const sorted = [0, ...places.toSorted((a, b) => a - b), text.length];
    return sorted.slice(1).map((end, i) => text.slice(sorted[i], end));
  });
}

const cutStream = anyStream.chain((text) => cuts(text).map((pieces) => ({ text, pieces })));

describe('server-sent events', () => {
  it('any cut of a stream gives the frames that the rules give for the whole', () => {
    fc.assert(
      fc.property(cutStream, ({ text, pieces }) => {
        const expected = { ...sseByTheBook(text), tooLong: false };
        expect(readSse([text])).toEqual(expected);
        expect(readSse(pieces)).toEqual(expected);
        expect(readSse(text.split(''))).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
  });

  it('pieces that are whole frames are read as the rules say, whatever came before', () => {
    const pieces = fc.array(fc.oneof(block, wholeFrame, line, words), { maxLength: 10 });
    fc.assert(
      fc.property(pieces, (list) => {
        expect(readSse(list)).toEqual({ ...sseByTheBook(list.join('')), tooLong: false });
      }),
      { numRuns: RUNS },
    );
  });

  it('frames are the same whether the text was decoded before or after', () => {
    fc.assert(
      fc.property(stream, (text) => {
        const bytes = Buffer.from(text).toString('latin1');
        const decode = (value: string): string => Buffer.from(value, 'latin1').toString();
        const { frames } = readSse([bytes]);
        expect(frames.map(({ data, event }) => ({ data: decode(data), event: decode(event) }))).toEqual(
          readSse([text.toWellFormed()]).frames,
        );
      }),
    );
  });

  it('a byte order mark is dropped at the very start only, however the stream was cut', () => {
    const pieces = ['data: a\n\n', '\uFEFFdata: b\n\n', 'data: c\n\n'];
    for (const way of [pieces, [pieces.join('')], pieces.join('').split('')]) {
      expect(readSse(way).frames.map(({ data }) => data)).toEqual(['a', 'c']);
    }
  });

  it('a frame is delivered as soon as its blank line is there, in the same push', () => {
    const frames: string[] = [];
    const framer = new SseFramer({ charactersMax: 100, onFrame: (data) => frames.push(data) });
    framer.push('data: a\n');
    expect(frames).toEqual([]);
    framer.push('\n');
    expect(frames).toEqual(['a']);
    framer.push('data: b\r\n\r');
    expect(frames).toEqual(['a', 'b']);
    framer.push('\ndata: c\n\n');
    expect(frames).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['data: a\n\n', [['a', '']]],
    ['data:a\n\n', [['a', '']]],
    ['data:  a\n\n', [[' a', '']]],
    ['data\n\n', [['', '']]],
    ['data: \n\n', [['', '']]],
    ['data: a\ndata: b\n\n', [['a\nb', '']]],
    ['data\ndata\n\n', [['\n', '']]],
    [
      'event: x\ndata: a\n\ndata: b\n\n',
      [
        ['a', 'x'],
        ['b', ''],
      ],
    ],
    ['event: x\n\ndata: b\n\n', [['b', '']]],
    ['event: x\nevent: y\ndata: a\n\n', [['a', 'y']]],
    [': hello\n\n:\n\ndata: a\n: between\ndata: b\n\n', [['a\nb', '']]],
    ['id: 1\nretry: 5\nfoo\ndata: a\n\n', [['a', '']]],
    ['\uFEFFdata: a\n\n', [['a', '']]],
    ['\u00EF\u00BB\u00BFdata: a\n\n', [['a', '']]],
    ['data: a\n\n\uFEFFdata: b\n\n', [['a', '']]],
    [
      'data: a\r\n\r\ndata: b\r\rdata: c\n\n',
      [
        ['a', ''],
        ['b', ''],
        ['c', ''],
      ],
    ],
    [
      'data: a\r\n\ndata: b\n\r\n',
      [
        ['a', ''],
        ['b', ''],
      ],
    ],
    ['data: a:b: c\n\n', [['a:b: c', '']]],
    ['data: a', []],
    ['data: a\n', []],
    ['data: [DONE]\n\n', [['[DONE]', '']]],
  ])('%j gives %j', (text, expected) => {
    expect(readSse([text]).frames.map(({ data, event }) => [data, event])).toEqual(expected);
  });

  it.each([
    ['', false],
    ['data: a\n\n', false],
    [': comment\n', false],
    ['id: 1\n', false],
    ['data: a\r\n\r', false],
    ['d', true],
    ['data: a', true],
    ['data: a\n', true],
    ['data\n', true],
    ['event: x\n', true],
    ['data: a\n\ndata: b\n', true],
  ])('after %j a frame is unfinished: %j', (text, unfinished) => {
    expect(readSse([text]).unfinished).toBe(unfinished);
  });
});

describe('lines', () => {
  const lineText = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', '\r', '\n', '\r\n', '한', ' '), maxLength: 30 }),
    fc.string({ unit: anyCharacter, maxLength: 20 }),
  );
  const cutText = lineText.chain((text) => cuts(text).map((pieces) => ({ text, pieces })));

  it('any cut gives the lines of the whole text, ended by LF or CRLF', () => {
    fc.assert(
      fc.property(cutText, ({ text, pieces }) => {
        const lines = text.split(/\r?\n/);
        const last = lines.pop() ?? '';
        if (text !== '' && !text.endsWith('\n')) lines.push(last.replace(/\r$/, ''));
        const expected = { lines, unfinished: last !== '', tooLong: false };
        expect(readLines([text])).toEqual(expected);
        expect(readLines(pieces)).toEqual(expected);
        expect(readLines(text.split(''))).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
  });

  it('any cut gives the lines of the whole text, ended by a lone CR too where that is asked', () => {
    fc.assert(
      fc.property(cutText, ({ text, pieces }) => {
        const lines = text.split(/\r\n|\r|\n/);
        const last = lines.pop() ?? '';
        const expected = {
          lines: last === '' ? lines : [...lines, last],
          unfinished: last !== '',
          tooLong: false,
        };
        for (const way of [[text], pieces, text.split('')]) {
          expect(readLines(way, { loneCarriageReturns: true })).toEqual(expected);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('an empty line is a line, and the end gives no line that was not there', () => {
    expect(readLines(['a\n\nb\n']).lines).toEqual(['a', '', 'b']);
    expect(readLines(['\n']).lines).toEqual(['']);
    expect(readLines(['']).lines).toEqual([]);
  });
});

describe('caps', () => {
  it.each([1, 8, 100])(
    'a line of exactly %i characters passes and one more is refused, at any cut',
    (max) => {
      for (const end of ['\n', '\r\n']) {
        const [fitting, above] = [`${'x'.repeat(max)}${end}`, `${'x'.repeat(max + 1)}${end}`];
        for (let at = 0; at <= fitting.length; at++) {
          const run = readLines([fitting.slice(0, at), fitting.slice(at)], { charactersMax: max });
          expect([at, run.lines, run.tooLong]).toEqual([at, ['x'.repeat(max)], false]);
          expect(readLines([above.slice(0, at), above.slice(at)], { charactersMax: max }).tooLong).toBe(true);
        }
      }
    },
  );

  it('whether a cap is passed does not depend on the cuts, nor do the frames before it', () => {
    const capped = cutStream.chain((cut) => fc.integer({ min: 1, max: 30 }).map((max) => ({ ...cut, max })));
    fc.assert(
      fc.property(capped, ({ text, pieces, max }) => {
        const whole = readSse([text], max);
        for (const way of [pieces, text.split('')]) {
          const run = readSse(way, max);
          expect([run.frames, run.tooLong]).toEqual([whole.frames, whole.tooLong]);
        }
        const { lines, tooLong } = readLines([text], { charactersMax: max });
        for (const way of [pieces, text.split('')]) {
          expect(readLines(way, { charactersMax: max })).toMatchObject({ lines, tooLong });
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('a line without an end is refused as soon as it is too long, not when it ends', () => {
    let pushed = 0;
    const framer = new SseFramer({ charactersMax: 1000, onFrame: () => undefined });
    expect(() => {
      for (; pushed < 100; pushed++) framer.push('x'.repeat(100));
    }).toThrow(FrameTooLong);
    expect(pushed).toBe(10);
  });

  it('many short data lines of one frame count together', () => {
    const fitting = `${'data: x\n'.repeat(500)}`;
    expect(readSse([fitting, '\n'], 999).frames[0]?.data).toHaveLength(999);
    expect(readSse([fitting, '\n'], 998).tooLong).toBe(true);
    expect(readSse(['data\n'.repeat(1002), '\n'], 1000).tooLong).toBe(true);
  });

  it('comments and unknown fields are capped as well', () => {
    expect(readSse([`: ${'x'.repeat(100)}\n`], 50).tooLong).toBe(true);
    expect(readSse([`id: ${'x'.repeat(100)}`], 50).tooLong).toBe(true);
  });
});

describe('hostile streams are read in time that grows with their size only', () => {
  // Work that grew with the square of the size would run into the time limit of the test.
  const size = 2_000_000;
  it.each([
    ['carriage returns', '\r'.repeat(size)],
    ['line feeds', '\n'.repeat(size)],
    ['carriage returns, then a line feed', `${'\r'.repeat(size)}\n`],
    ['line feeds, then a carriage return', `${'\n'.repeat(size)}\r`],
    ['both ends', '\r\n'.repeat(size / 2)],
    ['short data lines', 'data:\n'.repeat(size / 6)],
    ['one long line', `data: ${'x'.repeat(size)}\n\n`],
    ['colons', `${':'.repeat(size)}\n`],
  ])('%s', (_name, text) => {
    for (const pieces of [[text], text.match(/.{1,4096}/gs) ?? []]) {
      expect(readSse([...pieces], 10_000_000).tooLong).toBe(false);
      expect(readLines([...pieces], { charactersMax: 10_000_000 }).tooLong).toBe(false);
    }
  });

  it('a frame that arrives one character at a time', () => {
    const run = readSse([...'data: ', ...'x'.repeat(1_000_000), '\n', '\n'], 2_000_000);
    expect(run.frames[0]?.data).toHaveLength(1_000_000);
  });
});
