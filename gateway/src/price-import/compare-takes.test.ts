import { expect, test } from 'vitest';
import { traitsOf } from '../catalog/model-families.ts';
import { unknownTraits } from '../catalog/model-traits.ts';
import { compareTakes } from './compare-takes.ts';

const opus = traitsOf({ dialect: 'anthropic', vendor: null, upstreamModel: 'claude-opus-5-5' });

test('a source that says the same has no notes, nor has one about a model that is not known', () => {
  const same = {
    adaptiveThinking: true,
    sampling: false,
    prefill: false,
    efforts: { xhigh: true, none: false },
  };
  expect(compareTakes(same, opus)).toEqual([]);
  expect(compareTakes(undefined, opus)).toEqual([]);
  expect(compareTakes({ sampling: false }, unknownTraits)).toEqual([]);
});

test('what differs is said', () => {
  expect(compareTakes({ sampling: true, prefill: false, efforts: { max: false } }, opus)).toEqual([
    'the source says that it takes a temperature; here it does not take it (takes)',
    'the source says that it does not take the effort max; here it takes it (takes)',
  ]);
});
