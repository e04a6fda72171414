import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Problem } from '../kernel/problem.ts';
import { LongStringCutter } from './cut-long-strings.ts';
import type { JsonLimits } from './json-limits.ts';
import { SlicedParser } from './parse-in-slices.ts';
import { parseJsonObject } from './parse-json.ts';
import { parseCutJson, parseLongJson } from './parse-large-json.ts';
import { expandInline, putInline } from './placeholders.ts';

const MARK = 'MarkMarkMarkMarkMarkMarkMarkMark';
const LIMITS: JsonLimits = { depthMax: 64, keysMax: 1_000, valuesMax: 100_000, containersMax: 1_000 };
const LONG = 40_000;

function cut(bytes: Buffer, sizes: readonly number[] = [bytes.length]): LongStringCutter {
  const cutter = new LongStringCutter(LIMITS, MARK);
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? bytes.length;
    cutter.push(bytes.subarray(at, at + size));
    at += size;
  }
  return cutter;
}

/** Repeats it until it is long. */
const long = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .map((text) => text.repeat(LONG / text.length + 1));
/** As long as the texts of most messages. */
const spoken = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .map((text) => text.repeat(1_500 / text.length + 1));
const media = fc
  .base64String({ minLength: 4 })
  .map((text) => `data:image/png;base64,${text.repeat(LONG / text.length + 1)}`);
/** `__proto__` is a key that is rejected, so no body that has to be accepted carries it. */
const accepted = fc
  .jsonValue({ maxDepth: 4 })
  .filter((value) => !JSON.stringify(value).includes('"__proto__":'));
const body = fc.record({
  model: fc.string(),
  messages: fc.array(fc.record({ content: fc.oneof(fc.string(), spoken), output: spoken }), { maxLength: 4 }),
  text: fc.oneof(fc.string(), long, media),
  data: fc.oneof(fc.string(), media),
  rest: accepted,
});
const sizes = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 5 });

async function outcome(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'well';
  } catch (error) {
    return `${(error as Problem).code}: ${(error as Problem).detail}`.replace(/ The first error.*/, '');
  }
}

describe('the fields of a body', () => {
  const spaces = fc.constantFrom('', ' ', '\n\t');
  const name = fc
    .oneof(fc.string({ maxLength: 80 }), fc.constantFrom('model', 'a"b', '', '한국어'))
    .filter((text) => text !== '__proto__');

  test('are found where the parser finds them, wherever it was cut into chunks', () => {
    fc.assert(
      fc.property(fc.dictionary(name, accepted), spaces, sizes, (fields, space, parts) => {
        const written = Object.entries(fields).map(
          ([key, value]) => `${space}${JSON.stringify(key)}${space}:${space}${JSON.stringify(value)}${space}`,
        );
        const bytes = Buffer.from(`${space}{${written.join(',')}}${space}`);
        const { bytes: kept, fields: found, keys } = cut(bytes, parts).end();
        expect(kept.equals(bytes)).toBe(true);
        const parsed = parseJsonObject(bytes, LIMITS);
        if (found !== null) expect([...found]).toEqual([...parsed.fields]);
        expect(keys).toBe(JSON.stringify(fields).length === 2 ? 0 : keysOf(fields));
      }),
    );
  });

  test('are known unless a name has escapes, is long or is cut in two', () => {
    const long = Buffer.from(
      JSON.stringify({ max_completion_tokens: 1, messages: [{ content: 'x'.repeat(2_000) }] }),
    );
    expect([...(cut(long).end().fields?.keys() ?? [])]).toEqual(['max_completion_tokens', 'messages']);
    expect(cut(long, [8]).end().fields).toBeNull();
    expect(cut(Buffer.from('{"\\u0061":1}')).end().fields).toBeNull();
    expect(cut(Buffer.from(`{"${'a'.repeat(65)}":1}`)).end().fields).toBeNull();
  });
});

function keysOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce<number>((sum, item) => sum + keysOf(item), 0);
  return Array.isArray(value) ? inner : inner + Object.keys(value).length;
}

describe('a body whose long strings are cut out', () => {
  test('is put together again byte for byte, and means the same, wherever it was cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(body, sizes, fc.constantFrom(0, 1), async (value, pieces, indent) => {
        const bytes = Buffer.from(JSON.stringify(value, null, indent));
        const object = await parseCutJson(cut(bytes, pieces).end(), LIMITS);
        expect(Buffer.concat([putInline(object.bytes, object.inline)].flat()).equals(bytes)).toBe(true);
        const meant =
          object.inline === undefined ? object.value : expandInline(object.value, object.inline, 'all');
        expect(meant).toEqual(JSON.parse(bytes.toString()));
        expect(object.bytes.length).toBeLessThan(LONG * 2);
      }),
      { numRuns: 60 },
    );
  });

  test('keeps images out of what is parsed, and texts apart from them', async () => {
    const value = { content: 'word '.repeat(10_000), url: `data:image/png;base64,${'A'.repeat(1_000_000)}` };
    const object = await parseCutJson(cut(Buffer.from(JSON.stringify(value)), [65_536]).end(), LIMITS);
    expect(object.bytes.length).toBeLessThan(1_000);
    expect(String(object.value.url).startsWith('data:image/png;base64,AAAA')).toBe(true);
    const readable = expandInline(object.value, object.inline as NonNullable<typeof object.inline>, 'texts');
    expect(readable.content).toBe(value.content);
    expect(readable.url).toBe(object.value.url);
  });

  test('keeps the texts of a conversation out of what is parsed, and every other field in it', async () => {
    const text = 'a line \n "quoted" é '.repeat(60);
    const value = {
      user: text,
      messages: [{ role: 'user', content: text }, { content: [{ type: 'text', text }] }],
      tools: [{ description: text }],
    };
    const object = await parseCutJson(cut(Buffer.from(JSON.stringify(value)), [500]).end(), LIMITS);
    expect(object.inline?.pieces).toHaveLength(2);
    expect(object.value).toMatchObject({ user: text, tools: [{ description: text }] });
    expect(expandInline(object.value, object.inline as NonNullable<typeof object.inline>, 'texts')).toEqual(
      value,
    );
  });

  test('is sent from the bytes in which it came, not in pieces of single strings', async () => {
    const messages = Array.from({ length: 200 }, () => ({ role: 'user', content: 'word '.repeat(300) }));
    const bytes = Buffer.from(JSON.stringify({ model: 'a', messages, stop: 'b' }));
    const { bytes: rest, inline } = cut(bytes, [65_536]).end();
    const sent = putInline(Buffer.from(rest.toString().replace('"a"', '"other"')), inline);
    expect(sent.length).toBeLessThan(20);
    const wanted = bytes.toString().replace('"a"', '"other"');
    expect(Buffer.concat(sent as Buffer[]).toString()).toBe(wanted);
  });

  test('is sent as it was changed, also between two strings that stay', async () => {
    const bytes = Buffer.from(
      JSON.stringify({ a: { text: 'x'.repeat(2_000) }, b: 1, c: { text: 'y'.repeat(2_000) } }),
    );
    const { bytes: rest, inline } = cut(bytes).end();
    for (const b of ['2', '34']) {
      const sent = putInline(Buffer.from(rest.toString().replace('"b":1', `"b":${b}`)), inline);
      const wanted = bytes.toString().replace('"b":1', `"b":${b}`);
      expect(Buffer.concat(sent as Buffer[]).toString()).toBe(wanted);
    }
  });

  test.each([
    ['lists', `{"a":[${'[],'.repeat(1_000)}[]]}`, 'The body has more than 1000 lists and objects.'],
    ['values', `{"a":[${'1,'.repeat(100_000)}1]}`, 'The body has more than 100000 values.'],
    [
      'keys',
      `{${Array.from({ length: 1_001 }, (_, i) => `"k${i}":1`).join()}}`,
      'The body has more than 1000 keys.',
    ],
    ['depth', `${'[{"a":'.repeat(33)}1`, 'The body is nested deeper than 64 levels.'],
    ['a raw line break in a string', `{"a":"${'x'.repeat(LONG)}\n"}`, 'The body is not well-formed JSON.'],
    ['a wrong escape', `{"a":"${'x'.repeat(LONG)}\\q"}`, 'The body is not well-formed JSON.'],
    ['a wrong unicode escape', `{"a":"${'x'.repeat(LONG)}\\u12g4"}`, 'The body is not well-formed JSON.'],
  ])('is refused while it arrives for its %s', (_, text, detail) => {
    expect(() => cut(Buffer.from(text), [1_000])).toThrow(detail);
  });

  test('is refused for bytes that are no UTF-8, also where a chunk ends within a character', async () => {
    const bad = Buffer.concat([
      Buffer.from(`{"a":"${'x'.repeat(LONG)}`),
      Buffer.from([0xe2, 0x82]),
      Buffer.from('"}'),
    ]);
    for (const size of [7, LONG + 7, 1_000_000]) {
      expect(await outcome(() => cut(bad, [size]).end())).toBe('invalid_json: The body is not valid UTF-8.');
    }
    const good = Buffer.from(JSON.stringify({ a: '€😀'.repeat(LONG) }));
    expect(await outcome(() => cut(good, [1, 4_097]).end())).toBe('well');
  });

  test('is taken or refused exactly as a small one with the same bytes', async () => {
    const spoil = fc.tuple(fc.nat(), fc.constantFrom(...Buffer.from('"\\,:[]{}0-.etn \x00\xff', 'latin1')));
    await fc.assert(
      fc.asyncProperty(body, fc.array(spoil, { maxLength: 3 }), sizes, async (value, changes, pieces) => {
        const bytes = Buffer.from(JSON.stringify({ ...value, text: value.text.slice(0, 100), data: 'x' }));
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        const small = await outcome(() => parseJsonObject(bytes, LIMITS));
        const large = await outcome(async () => await parseCutJson(cut(bytes, pieces).end(), LIMITS));
        const sliced = await outcome(() => {
          const parser = new SlicedParser(bytes, LIMITS);
          while (!parser.run(3));
          parser.object();
        });
        expect(large === 'well').toBe(small === 'well');
        if (!small.includes('UTF-8')) expect(sliced === 'well').toBe(small === 'well');
      }),
      { numRuns: 300 },
    );
  });
});

describe('JSON that is parsed a slice at a time', () => {
  test('means the same as parsed at once, and its fields lie in the same places', async () => {
    await fc.assert(
      fc.asyncProperty(
        body,
        fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })),
        async (value, numbers) => {
          const bytes = Buffer.from(JSON.stringify({ ...value, numbers, pad: 'x'.repeat(70_000) }, null, 1));
          const sliced = await parseLongJson(bytes, LIMITS);
          const whole = parseJsonObject(bytes, LIMITS);
          expect(sliced.value).toEqual(whole.value);
          expect([...sliced.fields]).toEqual([...whole.fields]);
        },
      ),
      { numRuns: 40 },
    );
  });

  test.each([
    ['{"a":1,"a":2}', 'The key "a" appears twice in one object.'],
    ['{"__proto__":1}', 'The key "__proto__" is not allowed.'],
    ['[1]', 'The body is JSON, but not an object ({…}).'],
    ['{"a":01}', 'The body is not well-formed JSON. The first error is at character 5.'],
    ['{"a":1}x', 'The body is not well-formed JSON. The first error is at character 7.'],
  ])('is refused in the same words: %s', (text, detail) => {
    const parser = new SlicedParser(Buffer.from(text), LIMITS);
    expect(() => {
      while (!parser.run(1));
      parser.object();
    }).toThrow(detail);
  });
});
