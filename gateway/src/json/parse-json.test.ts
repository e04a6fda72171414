import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { Problem } from '../kernel/problem.ts';
import { removeFields, replaceFields } from './edit-fields.ts';
import type { JsonLimits } from './json-limits.ts';
import { type JsonObject, locateFields, parseJsonObject } from './parse-json.ts';

const LIMITS: JsonLimits = { depthMax: 64, keysMax: 100_000, valuesMax: 1_000_000 };

const parse = (text: string, limits = LIMITS): JsonObject => parseJsonObject(Buffer.from(text), limits);

function refusal(input: string | Buffer, limits = LIMITS): Problem {
  try {
    parseJsonObject(Buffer.from(input), limits);
  } catch (thrown) {
    if (thrown instanceof Problem) return thrown;
    throw thrown;
  }
  throw new Error('the input was accepted');
}

/** A JSON value together with one of the many texts it can be written as. */
interface Written {
  readonly value: unknown;
  readonly text: string;
}

/** Raised by `npm run test:fuzz`. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 120);
const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 });

/** A string written with a random choice of literal, short and \u escapes. */
const writtenString = fc
  .tuple(
    fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 12 }),
      fc.string({
        unit: fc.constantFrom('\\', '"', '{', '}', '[', ']', ':', ',', '/', '\n', '한', '😀'),
        maxLength: 80,
      }),
      fc.string({ unit: fc.constantFrom('a', '\\', '"'), minLength: 40, maxLength: 120 }),
    ),
    fc.infiniteStream(fc.nat(2)),
  )
  .map(([value, choices]): { value: string; text: string } => {
    let text = '';
    for (const unit of value.split('')) {
      const choice = choices.next().value;
      const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
      const upper = choice === 1 ? hex.toUpperCase() : hex;
      text += choice === 2 ? JSON.stringify(unit).slice(1, -1) : `\\u${upper}`;
      if (choice === 2 && unit === '/') text = `${text.slice(0, -1)}\\/`;
    }
    // Half of the strings are written plainly, so that raw multi-byte text is seen too.
    return { value, text: choices.next().value === 0 ? JSON.stringify(value) : `"${text}"` };
  });

const key = writtenString.filter(({ value }) => value !== '__proto__');

const { object: writtenObject } = fc.letrec<{ value: Written; object: Written }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false', '0', '-0', '1e5', '-1.5E-3', '12345678901234567890').map(scalar),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => scalar(JSON.stringify(number))),
    writtenString,
    fc.array(tie('value'), { maxLength: 4 }).chain((items) =>
      spaced(items.map((item) => [item.text])).map((inside) => ({
        value: items.map((item) => item.value),
        text: `[${inside}]`,
      })),
    ),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(key, tie('value')), { maxLength: 6, selector: ([name]) => name.value })
    .chain((entries) =>
      spaced(entries.map(([name, item]) => [name.text, item.text])).map((inside) => ({
        value: Object.fromEntries(entries.map(([name, item]) => [name.value, item.value])),
        text: `{${inside}}`,
      })),
    ),
}));

const body = fc.tuple(space, writtenObject, space).map(([before, object, after]) => ({
  value: object.value as Record<string, unknown>,
  text: `${before}${object.text}${after}`,
}));

function scalar(text: string): Written {
  return { value: JSON.parse(text), text };
}

/** Joins members (`["value"]` or `["key", "value"]`) with random whitespace around every token. */
function spaced(members: string[][]): fc.Arbitrary<string> {
  return fc.infiniteStream(space).map((spaces) => {
    const gap = (): string => spaces.next().value;
    if (members.length === 0) return gap();
    return members.map((tokens) => tokens.map((token) => `${gap()}${token}${gap()}`).join(':')).join(',');
  });
}

describe('parsing a body', () => {
  it('gives exactly what JSON.parse gives, for every object in every spelling', () => {
    fc.assert(
      fc.property(body, ({ value, text }) => {
        const parsed = parse(text);
        expect(parsed.value).toEqual(JSON.parse(text));
        expect(Object.keys(parsed.value).toSorted()).toEqual(Object.keys(value).toSorted());
        expect(parsed.bytes.toString()).toBe(text.toWellFormed());
      }),
      { numRuns: RUNS },
    );
  });

  it('accepts every object that JSON.stringify writes', () => {
    const objects = fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue(), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(objects, fc.constantFrom(undefined, 2, '\t'), (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        fc.pre(!text.includes('__proto__'));
        expect(parse(text).value).toEqual(JSON.parse(text));
      }),
      { numRuns: RUNS },
    );
  });

  it('knows where each value of the outermost object lies, to the byte', () => {
    fc.assert(
      fc.property(body, ({ text }) => {
        const { value, fields, bytes } = parse(text);
        expect([...fields.keys()].toSorted()).toEqual(Object.keys(value).toSorted());
        for (const [name, { start, end }] of fields) {
          const slice = bytes.toString('utf8', start, end);
          expect(slice).toBe(slice.trim());
          expect(JSON.parse(slice)).toEqual(value[name]);
        }
        expect(locateFields(bytes)).toEqual(fields);
      }),
      { numRuns: RUNS },
    );
  });

  it('arbitrary bytes are either accepted as JSON.parse accepts them or refused as invalid_json', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]":,\\u0a 1-.etrue\n'), maxLength: 40 });
    const mangled = fc.tuple(body, fc.nat(), fc.nat(3), noise).map(([{ text }, at, cut, extra]) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + extra.slice(0, 3) + text.slice(from + cut);
    });
    fc.assert(
      fc.property(fc.oneof(noise, mangled), (text) => {
        let parsed: JsonObject;
        try {
          parsed = parse(text);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(Problem);
          expect((thrown as Problem).code).toBe('invalid_json');
          return;
        }
        expect(parsed.value).toEqual(JSON.parse(text.toWellFormed()));
      }),
      { numRuns: 3 * RUNS },
    );
  });
});

describe('replacing fields', () => {
  const changes = fc.dictionary(
    fc.string({ minLength: 1, maxLength: 5 }).filter((name) => name !== '__proto__'),
    // A key that is refused wherever it stands would make the changed body unreadable.
    fc
      .jsonValue()
      .map((value) => JSON.stringify(value))
      .filter((json) => !json.includes('__proto__')),
    { maxKeys: 3, noNullPrototype: true },
  );

  it('puts a field that was not there at the end, and leaves all the bytes before it as they were', () => {
    fc.assert(
      fc.property(body, ({ text }) => {
        const object = parse(text);
        fc.pre(!object.fields.has('model'));
        const brace = text.lastIndexOf('}');
        const comma = object.fields.size === 0 ? '' : ',';
        expect(replaceFields(object, { model: '"b"' }).toString()).toBe(
          `${text.slice(0, brace)}${comma}"model":"b"${text.slice(brace)}`.toWellFormed(),
        );
      }),
    );
  });

  it('changes the named fields to exactly the new values and keeps the value of all others', () => {
    fc.assert(
      fc.property(body, changes, fc.infiniteStream(fc.boolean()), ({ text }, added, choices) => {
        const object = parse(text);
        const present = Object.keys(object.value).filter(() => choices.next().value);
        const wanted = { ...added, ...Object.fromEntries(present.map((name) => [name, '"new"'])) };
        const after = parseJsonObject(replaceFields(object, wanted), LIMITS);
        const news = Object.fromEntries(
          Object.entries(wanted).map(([name, json]) => [name, JSON.parse(json)]),
        );
        expect(after.value).toEqual({ ...object.value, ...news });
      }),
      { numRuns: RUNS },
    );
  });

  it('takes fields out, wherever they stand, and keeps the value of all others', () => {
    fc.assert(
      fc.property(body, fc.infiniteStream(fc.boolean()), ({ text }, choices) => {
        const object = parse(text);
        const names = Object.keys(object.value).filter(() => choices.next().value);
        const left = removeFields(object, names);
        const after = parseJsonObject(left.bytes, LIMITS);
        expect(new Map(left.fields)).toEqual(new Map(after.fields));
        const kept = Object.entries(object.value).filter(([name]) => !names.includes(name));
        expect(after.value).toEqual(Object.fromEntries(kept));
      }),
      { numRuns: RUNS },
    );
  });

  it('leaves every other byte as it was', () => {
    fc.assert(
      fc.property(body, fc.nat(), ({ text }, pick) => {
        const object = parse(text);
        const names = [...object.fields.keys()];
        const name = names[pick % Math.max(1, names.length)];
        fc.pre(name !== undefined);
        const range = object.fields.get(name as string) ?? { start: 0, end: 0 };
        const result = replaceFields(object, { [name as string]: '"sim-chat"' });
        const tail = object.bytes.length - range.end;
        expect(result.subarray(0, range.start).equals(object.bytes.subarray(0, range.start))).toBe(true);
        expect(result.subarray(range.start, result.length - tail).toString()).toBe('"sim-chat"');
        expect(result.subarray(result.length - tail).equals(object.bytes.subarray(range.end))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it('changes nothing when nothing is asked', () => {
    fc.assert(
      fc.property(body, ({ text }) => {
        const object = parse(text);
        expect(replaceFields(object, {}).equals(object.bytes)).toBe(true);
      }),
    );
  });

  it.each([
    ['{"model":"a","n":1}', { model: '"b"' }, '{"model":"b","n":1}'],
    ['{"n":1,"model" : "a" }', { model: '"b"' }, '{"n":1,"model" : "b" }'],
    [
      '{"n": 1.0e0,\n"x":12345678901234567890}',
      { model: '"b"' },
      '{"n": 1.0e0,\n"x":12345678901234567890,"model":"b"}',
    ],
    ['{}', { model: '"b"' }, '{"model":"b"}'],
    [' \n{ }\t', { model: '"b"', n: '2' }, ' \n{ "model":"b","n":2}\t'],
    ['\n  {"model":null}', { model: '{"a":[]}' }, '\n  {"model":{"a":[]}}'],
    ['{"a":{"model":"in"},"model":"out"}', { model: '1' }, '{"a":{"model":"in"},"model":1}'],
    ['{"a":"\\"model\\":1","mo\\u0064el":"x"}', { model: '1' }, '{"a":"\\"model\\":1","mo\\u0064el":1}'],
    ['{"a":[{"b":1},2],"b":"}{"}', { b: '0', a: '[]', c: 'true' }, '{"a":[],"b":0,"c":true}'],
    ['{"a":1}', { 'q"\n': '2' }, '{"a":1,"q\\"\\n":2}'],
  ])('%j with %j becomes %j', (before, wanted, after) => {
    expect(replaceFields(parse(before), wanted as unknown as Record<string, string>).toString()).toBe(after);
  });
});

describe('refusals', () => {
  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['only spaces', '  \n'],
    ['null', 'null'],
    ['an array', '[]'],
    ['an array of objects', '[{"a":1}]'],
    ['a string', '"x"'],
    ['a number', '1'],
    ['a byte order mark', '\ufeff{"a":1}'],
    ['NaN', '{"a":NaN}'],
    ['Infinity', '{"a":-Infinity}'],
    ['undefined', '{"a":undefined}'],
    ['two values', '{}{}'],
    ['two values on two lines', '{"a":1}\n{"a":1}'],
    ['text after the object', '{"a":1} x'],
    ['a NUL after the object', '{"a":1}\u0000'],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
    ['UTF-16 with its mark', Buffer.from('\ufeff{"a":1}', 'utf16le')],
    ['an invalid byte', Buffer.from('{"a":"\xff"}', 'latin1')],
    ['latin-1 text', Buffer.from('{"a":"é"}', 'latin1')],
    ['a cut character', Buffer.from('{"a":"한').subarray(0, -1)],
    ['an overlong encoding', Buffer.from('{"a":"\xc0\xaf"}', 'latin1')],
    ['a surrogate in UTF-8', Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1')],
    ['a code point beyond Unicode', Buffer.from('{"a":"\xf4\x90\x80\x80"}', 'latin1')],
    ['a trailing comma', '{"a":1,}'],
    ['a trailing comma in an array', '{"a":[1,]}'],
    ['single quotes', "{'a':1}"],
    ['a bare key', '{a:1}'],
    ['a key that is a number', '{1:1}'],
    ['a comment', '{"a":1 /* x */}'],
    ['a missing value', '{"a":}'],
    ['a missing colon', '{"a" 1}'],
    ['two colons', '{"a"::1}'],
    ['a stray closing brace', '{"a":1}}'],
    ['a wrong closing bracket', '{"a":[1}'],
    ['nothing but closing brackets', ']]]]'],
    ['a string cut in the middle', '{"a":"hel'],
    ['a string cut in an escape', '{"a":"hel\\'],
    ['a key cut in the middle', '{"a":1,"mod'],
    ['a string whose last quote is escaped', '{"a":"hel\\"}'],
    ['a body cut after a value', '{"a":1'],
    ['a line feed in a string', '{"a":"x\ny"}'],
    ['a control character in a string', '{"a":"x\u0001y"}'],
    ['an unknown escape', '{"a":"\\x41"}'],
    ['an unknown escape in a key', '{"\\x41":1}'],
    ['a short \\u escape', '{"a":"\\u12"}'],
    ['a leading zero', '{"a":01}'],
    ['a leading plus', '{"a":+1}'],
    ['a hexadecimal number', '{"a":0x1}'],
  ])('%s is refused as invalid_json', (_name, input) => {
    const problem = refusal(input);
    expect(problem.code).toBe('invalid_json');
    expect(problem.status).toBe(400);
    expect(problem.detail).not.toBe('');
  });

  it('a body is taken at the greatest depth and refused one level deeper', () => {
    const arrays = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const late = (depth: number): string => `{"a":[[],{}],"s":"[[[[{{{{","b":${arrays(depth - 1)}}`;
    for (const write of [arrays, objects, late]) {
      expect(parse(write(64)).value).toEqual(JSON.parse(write(64)));
      expect(refusal(write(65)).code).toBe('invalid_json');
      expect(refusal(write(65)).detail).toContain('64 levels');
    }
  });

  it('100,000 keys are taken and 100,001 are refused, flat or nested', () => {
    const flat = (count: number): string =>
      `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')}}`;
    const nested = (count: number): string =>
      `{"a":[${Array.from({ length: count - 1 }, () => '{"k":0}').join(',')}]}`;
    for (const write of [flat, nested]) {
      expect(Object.keys(parse(write(100_000)).value).length).toBeGreaterThan(0);
      expect(refusal(write(100_001)).code).toBe('invalid_json');
      expect(refusal(write(100_001)).detail).toContain('100000 keys');
    }
  });

  it.each([
    '{"__proto__":{}}',
    '{"__proto__":1}',
    '{"a":1,"__proto__":null}',
    '{"a":{"__proto__":{"admin":true}}}',
    '{"a":[[{"__proto__":1}]]}',
    '{"\\u005f_proto__":{}}',
    '{"\\u005F\\u005f\\u0070roto__":{}}',
    '{"a":{"b":[{"__prot\\u006f__":1}]}}',
    '{"__proto__":1,"__proto__":2}',
  ])('the key __proto__ is refused: %s', (text) => {
    const problem = refusal(text);
    expect(problem).toMatchObject({ code: 'invalid_json', param: '__proto__' });
  });

  it('the word __proto__ as a value, and other keys of Object.prototype, are ordinary', () => {
    const text = '{"a":"__proto__","constructor":1,"toString":2,"hasOwnProperty":3}';
    expect(parse(text).value).toEqual(JSON.parse(text));
    expect([...parse(text).fields.keys()]).toEqual(['a', 'constructor', 'toString', 'hasOwnProperty']);
  });

  it.each([
    ['{"model":"a","model":"b"}', 'model'],
    ['{"model":"a","model":"a"}', 'model'],
    ['{"model":"a","mo\\u0064el":"b"}', 'model'],
    ['{"mo\\u0064el":"a","mod\\u0065l":"b"}', 'model'],
    ['{"a":{"b":1,"c":[],"b":2}}', 'b'],
    ['{"a":[{"x":0},{"b":1,"b":{}}]}', 'b'],
    ['{"a":1,"b":{"a":1},"a":{"a":1}}', 'a'],
    ['{"":1,"":2}', ''],
    ['{"1":1,"1":2}', '1'],
    ['{"😀":1,"\\ud83d\\ude00":2}', '😀'],
    ['{"a\\/b":1,"a/b":2}', 'a/b'],
    ['{"a":":","b":"\\":","a":0}', 'a'],
    ['{ "a" : 1 , "a"\n:\t2 }', 'a'],
  ])('a key that stands twice in one object is refused and named: %s', (text, name) => {
    const problem = refusal(text);
    expect(problem).toMatchObject({ code: 'invalid_json', param: name });
    expect(problem.detail).toContain('twice');
  });

  it('an object with any key written twice is refused, whatever else it holds', () => {
    fc.assert(
      fc.property(body, fc.nat(), fc.nat(), ({ text }, pick, spelling) => {
        const object = parse(text);
        const names = [...object.fields.keys()];
        const name = names[pick % Math.max(1, names.length)];
        fc.pre(name !== undefined);
        const plain = JSON.stringify(name);
        const escaped = `"${[...(name as string).split('')].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
        const twice = text.replace('{', () => `{${spelling % 2 === 0 ? plain : escaped}:0,`);
        expect(refusal(twice)).toMatchObject({ code: 'invalid_json' });
      }),
    );
  });

  it('the same key in different objects is not a duplicate', () => {
    const text = '{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":3}}';
    expect(parse(text).value).toEqual(JSON.parse(text));
  });

  it('a key named in a refusal is cut, so that no long text is sent back', () => {
    const long = 'k'.repeat(100_000);
    const problem = refusal(`{"${long}":1,"${long}":2}`);
    expect(problem.detail.length).toBeLessThan(200);
    expect(problem.param?.length).toBeLessThanOrEqual(100);
  });

  it('no piece of a malformed body is kept in the refusal, where a log would show it', () => {
    for (const text of [
      '{"prompt": canary}',
      '{"prompt":"canary" canary',
      'canary',
      '{"canary\\x":1}',
      '{"a":"canary',
    ]) {
      const problem = refusal(text);
      const { message, stack, cause, detail, param } = problem;
      expect(
        [message, stack, detail, param, String((cause as Error | undefined)?.message)].join(),
      ).not.toContain('canary');
    }
  });

  it('the place named in a refusal counts from the start of the body', () => {
    expect(refusal('{"a":1,"b":2,}').detail).toContain('character 13');
    expect(refusal('{"aaaa":1,"b\\x":2}').detail).toContain('character 13');
  });
});

describe('values', () => {
  it('as many as allowed are taken, and one more is refused', () => {
    const list = (items: number): Buffer => Buffer.from(`{"a":[${'1,'.repeat(items - 1)}1]}`);
    const limits = { ...LIMITS, valuesMax: 1_000 };
    expect(parseJsonObject(list(1_000), limits).value.a).toHaveLength(1_000);
    expect(() => parseJsonObject(list(1_001), limits)).toThrow(/more than 1000 values/);
  });
});

describe('hostile bodies are judged in time that grows with their size only', () => {
  const size = 5_000_000;
  const half = size / 2;
  it.each<[string, string]>([
    ['a bomb of brackets', '['.repeat(size)],
    ['a bomb of braces', '{"a":'.repeat(size / 5)],
    ['a bomb behind a string', `{"a":"${'x'.repeat(half)}","b":${'['.repeat(half)}`],
    ['a bomb behind closing brackets', `${']'.repeat(half)}${'['.repeat(half)}`],
    ['only colons', ':'.repeat(size)],
    ['only quotes', '"'.repeat(size)],
    ['only backslashes', '\\'.repeat(size)],
    ['an open string of backslashes', `{"a":"${'\\'.repeat(size)}`],
    ['an open string of escaped quotes', `{"a":"${'\\"'.repeat(half)}`],
    ['backslashes, then quotes', `{"a":"${'\\'.repeat(half)}${'"'.repeat(half)}`],
    ['quotes that stand alone', '" '.repeat(half)],
    ['escaped quotes far apart', `{"a":"${`${'x'.repeat(60)}\\"`.repeat(size / 62)}`],
    ['one long key before many colons', `{"${'k'.repeat(half)}"${':'.repeat(90_000)}`],
    ['one long key before many colons and commas', `{"${'k'.repeat(half)}"${':,'.repeat(90_000)}`],
    ['one long escaped key before many colons', `{"\\n${'k'.repeat(half)}"${':,'.repeat(90_000)}`],
    ['spaces between many colons', `{"a"${`:${' '.repeat(50)}`.repeat(90_000)}`],
    ['spaces before many commas', `{${`"a":${' '.repeat(40)},`.repeat(90_000)}`],
    ['only spaces', ' '.repeat(size)],
    ['a comma too many at the end', `{"a":[${'1,'.repeat(half)}]}`],
    ['keys that stand twice', `{${Array.from({ length: 90_000 }, () => '"a":0').join(',')}}`],
  ])('%s', (_name, text) => {
    // Work that grew with the square of the size would run into the time limit of the test.
    expect(refusal(Buffer.from(text)).code).toBe('invalid_json');
  });

  it('a bomb is refused for its depth, by the scan, before the engine parses or the rest is looked at', () => {
    const bomb = `{"a":${'['.repeat(100)}`;
    // Each tail would be a different refusal, had it been reached first.
    for (const tail of ['', '"cut', ':'.repeat(100_001), '}', ' x', '['.repeat(size)]) {
      expect(refusal(bomb + tail).detail).toContain('deeper than 64 levels');
    }
  });
});
