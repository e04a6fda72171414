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
  ['as the provider reports', {}, { videos: 1, seconds: 6, source: 'provider' }],
  ['as zero, when the provider reports zero', { reported: 0 }, { seconds: 0, source: 'provider' }],
  ['as requested, when the provider reports nothing', { reported: null }, { seconds: 8, source: 'asked' }],
  [
    'as requested, when the provider reports a negative number',
    { reported: -1 },
    { seconds: 8, source: 'asked' },
  ],
  ['as requested, when the provider reports years', { reported: 1e9 }, { seconds: 8, source: 'asked' }],
  [
    'as requested, when the provider reports many times that and what the files have',
    { reported: 99_999 },
    { seconds: 8, source: 'asked' },
  ],
  [
    'as measured, when the provider reports many times that and no length was requested',
    { reported: 99_999, request: {} },
    { seconds: 8.04, source: 'measured' },
  ],
  [
    'as the provider reports, when it counts all videos or what it extended',
    { reported: 24, request: { duration_seconds: 8, n: 3 }, made: 3, delivered: 3, measured: [8, 8, 8] },
    { seconds: 24, source: 'provider' },
  ],
  [
    'as the provider reports, when nothing else is known',
    { reported: 400, request: {}, measured: [] },
    { seconds: 400 },
  ],
  [
    'as measured, when no length was requested',
    { reported: null, request: {} },
    { seconds: 8.04, source: 'measured' },
  ],
  [
    'not at all, when the length of one file is unknown',
    { reported: null, request: {}, measured: [8, null] },
    null,
  ],
  ['for the copied files only', { reported: 12, made: 2 }, { videos: 1, seconds: 6 }],
  ['for the copied files only, as requested', { reported: null, made: 2 }, { videos: 1, seconds: 8 }],
  ['to the thousandth', { reported: 1 / 3 }, { seconds: 0.333 }],
  [
    'as requested in total, when it failed and is charged',
    { reported: null, request: { duration_seconds: 8, n: 3 }, made: 0, delivered: 0, measured: [] },
    { videos: 0, seconds: 24 },
  ],
  [
    'not at all, when it failed and nothing is known',
    { reported: null, request: {}, made: 0, delivered: 0, measured: [] },
    null,
  ],
])('a video is counted %s', (_, more, counted) => {
  const usage = countUsage({ ...one, ...more });
  if (counted === null) expect(usage).toBeNull();
  else expect(usage).toMatchObject(counted);
});
