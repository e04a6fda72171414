import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonEndFinder } from './find-json-end.ts';

test('an object ends with the first beginning that the engine can parse, however it is cut into pieces', () => {
  const strings = fc.string({ unit: fc.constantFrom('"', '\\', '{', ']', 'é', 'a') });
  const objects = fc.dictionary(strings, fc.oneof(strings, fc.jsonValue({ maxDepth: 2 })), { maxKeys: 4 });
  fc.assert(
    fc.property(objects, fc.integer({ min: 1, max: 9 }), (object, size) => {
      const text = JSON.stringify(object);
      const finder = new JsonEndFinder();
      for (let at = 0; at < text.length; at += size) {
        expect(finder.reached).toBe(false);
        finder.push(text.slice(at, at + size));
      }
      expect(finder.reached).toBe(true);
      finder.push(' \n{');
      expect(finder.reached).toBe(true);
    }),
    { numRuns: 300 },
  );
});
