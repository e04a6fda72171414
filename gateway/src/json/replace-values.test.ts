import { expect, test } from 'vitest';
import { parseJsonObject } from './parse-json.ts';
import { type JsonPath, replaceValues } from './replace-values.ts';

const limits = { depthMax: 64, keysMax: 10_000, valuesMax: 10_000 };

function replaced(text: string, ...edits: Array<[JsonPath, unknown]>): string {
  const object = parseJsonObject(Buffer.from(text), limits);
  const after = replaceValues(
    object,
    edits.map(([path, value]) => ({ path, value })),
  );
  // The three tell of the same thing.
  expect(after).toEqual(parseJsonObject(after.bytes, limits));
  return after.bytes.toString();
}

test('replaces values by their paths and leaves every other byte as it was', () => {
  const text = `{ "a" : [1 , {"u" :"svc-file:\\/\\/x","k":"svc-file://x"} ,"]}\\"" ] ,"é":{"b":null , "c":-1.5e3}\t}`;
  expect(replaced(text, [['a', 1, 'u'], 'data'], [['é', 'c'], { n: 1 }])).toBe(
    `{ "a" : [1 , {"u" :"data","k":"svc-file://x"} ,"]}\\"" ] ,"é":{"b":null , "c":{"n":1}}\t}`,
  );
});

test.each<[string, JsonPath, string]>([
  ['{"a":1}', ['a'], '{"a":"X"}'],
  ['{"a":{"b":[[],{}]},"c":true}', ['c'], '{"a":{"b":[[],{}]},"c":"X"}'],
  ['{"a":[[1,2],[3,4]]}', ['a', 1, 0], '{"a":[[1,2],["X",4]]}'],
  ['{"a":{"b":{"c":"d"}}}', ['a', 'b'], '{"a":{"b":"X"}}'],
  ['{"a":[ ]}', ['a', 0], '{"a":[ ]}'],
  ['{"a":"b"}', ['a', 'b'], '{"a":"b"}'],
  ['{"\\u0061":"b"}', ['a'], '{"\\u0061":"X"}'],
  ['{"a":[{"x":"\\\\"},{"x":"y"}]}', ['a', 1, 'x'], '{"a":[{"x":"\\\\"},{"x":"X"}]}'],
])('%s at %j', (text, path, wanted) => {
  expect(replaced(text, [path, 'X'])).toBe(wanted);
});
