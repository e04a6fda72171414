import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeptBytes } from './kept-bytes.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 100);

test('parts and texts are joined in order, however little memory there is for them', () => {
  const part = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.string({ unit: 'binary-ascii', maxLength: 40 }));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), fc.nat(200), (parts, room) => {
      const kept = new KeptBytes(() => Buffer.alloc(room));
      for (const added of parts) {
        if (typeof added === 'string') kept.addText(added);
        else kept.add(Buffer.from([1, ...added, 2]), 1, added.length + 1);
      }
      const wanted = Buffer.concat(parts.map((added) => Buffer.from(added as string)));
      expect(kept.length).toBe(wanted.length);
      expect(kept.whole().equals(wanted)).toBe(true);
    }),
    { numRuns: RUNS },
  );
});
