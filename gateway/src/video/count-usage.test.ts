import { expect, test } from 'vitest';
import { countUsage, type MadeVideo } from './count-usage.ts';

const one: MadeVideo = {
  request: { duration_seconds: 8, n: 1 },
  reported: 6,
  made: 1,
  delivered: 1,
  measured: [8.04],
};

test.each<[string, Partial<MadeVideo>, object | null]>([
  ['as its provider counts', {}, { videos: 1, seconds: 6, source: 'provider' }],
  ['as nothing, when its provider counts nothing', { reported: 0 }, { seconds: 0, source: 'provider' }],
  ['as was asked, when its provider does not count', { reported: null }, { seconds: 8, source: 'asked' }],
  ['as was asked, when its provider counts nonsense', { reported: -1 }, { seconds: 8, source: 'asked' }],
  ['as was asked, when its provider counts years', { reported: 1e9 }, { seconds: 8, source: 'asked' }],
  [
    'as was measured, when nothing was asked',
    { reported: null, request: {} },
    { seconds: 8.04, source: 'measured' },
  ],
  ['not at all, when one film does not say', { reported: null, request: {}, measured: [8, null] }, null],
  ['for the files that could be had', { reported: 12, made: 2 }, { videos: 1, seconds: 6 }],
  ['for the files that could be had, as was asked', { reported: null, made: 2 }, { videos: 1, seconds: 8 }],
  ['to the thousandth', { reported: 1 / 3 }, { seconds: 0.333 }],
  [
    'as was asked in all, when it failed and is charged',
    { reported: null, request: { duration_seconds: 8, n: 3 }, made: 0, delivered: 0, measured: [] },
    { videos: 0, seconds: 24 },
  ],
  [
    'not at all, when it failed and nobody knows',
    { reported: null, request: {}, made: 0, delivered: 0, measured: [] },
    null,
  ],
])('a video is counted %s', (_, more, counted) => {
  const usage = countUsage({ ...one, ...more });
  if (counted === null) expect(usage).toBeNull();
  else expect(usage).toMatchObject(counted);
});
