import { expect, test } from 'vitest';
import { isSampled } from './sampler.ts';
import { newTraceId, readTraceparent, writeTraceparent } from './traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('a header is read and written', () => {
  const header = `00-${TRACE}-${SPAN}-01`;
  const parent = { traceId: TRACE, spanId: SPAN, sampled: true };
  expect(readTraceparent(header)).toEqual(parent);
  expect(writeTraceparent(parent)).toBe(header);
  expect(readTraceparent(`00-${TRACE}-${SPAN}-02`)?.sampled).toBe(false);
  // A later version may have more fields.
  expect(readTraceparent(`01-${TRACE}-${SPAN}-03-more`)).toEqual(parent);
});

test.each([
  undefined,
  '',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
])('%j is ignored', (header) => expect(readTraceparent(header)).toBeNull());

test('a share of the traces is recorded, the same ones in every process', () => {
  const ids = Array.from({ length: 2_000 }, newTraceId);
  const settings = { name: 'traceidratio', ratio: 0.25 } as const;
  const recorded = ids.filter((id) => isSampled(settings, id, null));
  expect(recorded.length).toBeGreaterThan(400);
  expect(recorded.length).toBeLessThan(600);
  expect(ids.filter((id) => isSampled(settings, id, null))).toEqual(recorded);
});

test.each([
  ['parentbased_always_on', false, false],
  ['parentbased_always_off', true, true],
  ['parentbased_traceidratio', true, true],
  ['always_on', false, true],
  ['always_off', true, false],
  ['traceidratio', true, false],
] as const)('%s with a caller that says %j: %j', (name, sampled, expected) => {
  const parent = { traceId: TRACE, spanId: SPAN, sampled };
  expect(isSampled({ name, ratio: 0 }, TRACE, parent)).toBe(expected);
});
