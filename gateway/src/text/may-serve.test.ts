import { expect, test } from 'vitest';
import { SERVED_ANYWHERE } from '../pricing/price-at-most.ts';
import { mayServe } from './may-serve.ts';

test.each<[object, object]>([
  [{}, {}],
  [{ service_tier: 'auto' }, {}],
  [{ service_tier: 'default', inference_geo: 'global' }, {}],
  [{ service_tier: 'standard_only' }, {}],
  [{ service_tier: 'Flex' }, { tiers: ['flex'], anyTier: false }],
  [{ inference_geo: 'us' }, { geos: ['us'], anyGeo: false }],
  [{ speed: 'fast' }, { tiers: ['fast'], fast: true }],
  [
    { service_tier: 'priority', speed: 'fast' },
    { tiers: ['priority', 'fast', 'priority_fast'], anyTier: false, fast: true },
  ],
])('%o may be served in %o', (request, expected) => {
  expect(mayServe(request)).toEqual({ ...SERVED_ANYWHERE, ...expected });
});
