import { describe, expect, test } from 'vitest';
import type { HttpVideoSettings } from '../../catalog/dialects/http-video/http-video.ts';
import { ProviderMask } from '../provider-mask.ts';
import { jobsFound, readCreated, readJob, readProblem } from './read-job.ts';

const mask = ProviderMask.knowing('our-own-key');
const settings: HttpVideoSettings = {
  auth: { header: 'authorization', prefix: 'Bearer ' },
  headers: {},
  inputs: 'url',
  job: ['data'],
  create: { path: '/jobs', body: {}, id: ['id'], idempotencyHeader: null },
  status: {
    path: '/jobs/{id}',
    state: ['state'],
    states: new Map([
      ['wait', 'queued'],
      ['go', 'running'],
      ['3', 'succeeded'],
      ['bad', 'failed'],
    ]),
    progress: ['share'],
    progressOf: 1,
    seconds: ['cost', 'seconds'],
    charged: ['cost', 'billed'],
    files: ['out'],
    fileUrl: ['url'],
  },
  lookup: null,
  cancel: null,
  remove: null,
  error: { message: ['why', 'text'], code: ['why', 'code'], blocked: new Set(['nsfw']) },
  fileHosts: [],
};
const read = (data: object) => readJob({ data }, settings, mask);

describe('a job', () => {
  test('has its state, its progress in percent and its length', () => {
    expect(read({ id: 'j', state: 'go', share: 0.428, cost: { seconds: '8' } })).toEqual({
      id: 'j',
      state: 'running',
      progress: 42,
      files: [],
      problem: null,
      seconds: 8,
      charged: false,
    });
    expect(read({ id: 7, state: 'wait', share: 9 })).toMatchObject({ id: '7', progress: 100, seconds: null });
    expect(read({ id: 'j', state: 'wait', share: 'some' })).toMatchObject({ progress: null });
  });

  test.each([
    ['https://x/1', ['https://x/1']],
    [
      ['https://x/1', 'https://x/2'],
      ['https://x/1', 'https://x/2'],
    ],
    [[{ url: 'https://x/1' }, { other: 1 }], ['https://x/1']],
    [{ url: 'https://x/1' }, ['https://x/1']],
    [null, []],
    [undefined, []],
  ])('that succeeded with %j has the files %j', (out, places) => {
    const { files } = read({ id: 'j', state: 3, out });
    expect(files.map(({ place }) => place)).toEqual(places);
  });

  test.each([
    [{ text: 'no for our-own-key', code: 'x' }, 'upstream_error', 'no for [secret]'],
    [{ text: 'naked', code: 'nsfw' }, 'content_blocked', 'naked'],
  ])('that failed because of %j is %s', (why, code, detail) => {
    const job = read({ id: 'j', state: 'bad', why, cost: { billed: true } });
    expect(job).toMatchObject({ state: 'failed', charged: true, problem: { code, detail } });
  });

  test('without an id, or in an unknown state, is an error', () => {
    expect(() => read({ state: 'go' })).toThrow(/no job id/);
    expect(() => read({ id: 'j', state: 'dreaming' })).toThrow(/not in video.status.states: dreaming/);
  });

  test('that was created needs only an id', () => {
    const created = (data: object) => readCreated({ data }, settings, mask);
    expect(created({ id: 'j' })).toMatchObject({ id: 'j', state: 'queued' });
    expect(created({ id: 'j', state: 'dreaming' })).toMatchObject({ state: 'queued' });
    expect(created({ id: 'j', state: 'go' })).toMatchObject({ state: 'running' });
    expect(() => created({})).toThrow(/returned no id/);
  });
});

test.each([
  [{ jobs: [1, 2] }, [1, 2]],
  [{ jobs: { id: 1 } }, [{ id: 1 }]],
  [{ jobs: null }, []],
  [{}, []],
])('a look-up that answers %j found %j', (json, found) => {
  expect(jobsFound(json, ['jobs'])).toEqual(found);
});

test.each([
  [400, { why: { text: 'bad size' } }, 'invalid_parameter', 'bad size'],
  [400, { why: { code: 'nsfw', text: 'naked' } }, 'content_blocked', 'naked'],
  [401, { why: { text: 'the key our-own-key' } }, 'upstream_error', /operator/],
  [429, null, 'rate_limit_exceeded', /limit/],
  [503, null, 'upstream_unavailable', /./],
  [500, { why: 'x' }, 'upstream_error', /./],
])('an answer of %d with %j is %s', (status, json, code, detail) => {
  const problem = readProblem(status, json, { settings, mask });
  expect(problem.code).toBe(code);
  expect(problem.detail).toMatch(detail);
});
