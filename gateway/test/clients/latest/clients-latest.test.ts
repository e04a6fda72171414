/** What `npm run clients:latest` says about two runs, and what it records of a request. */
import { describe, expect, test } from 'vitest';
import { compareRuns, readReport, writeSummary, writeVersions } from './compare-runs.ts';
import { requestFields } from './request-fields.ts';

const file = (name: string, results: ReadonlyArray<readonly [string, string | null]>): object => ({
  name: `/home/gateway/test/clients/${name}`,
  assertionResults: results.map(([fullName, error]) => ({
    fullName,
    status: error === null ? 'passed' : 'failed',
    failureMessages: error === null ? [] : [error],
  })),
});
const report = (...testResults: object[]): ReturnType<typeof readReport> =>
  readReport(JSON.stringify({ testResults }));

describe('two runs', () => {
  const newest = {
    tests: report(
      file('a.test.ts', [
        ['runs tools', 'BadRequestError: 400 thread\n    at line 1'],
        ['streams', null],
        ['counts', 'AssertionError: 1 is not 2'],
      ]),
      { name: '/home/gateway/test/clients/b.test.ts', message: 'No export "Runner"', assertionResults: [] },
    ),
    sent: new Set(['Anthropic/JS POST /v1/messages model', 'Anthropic/JS POST /v1/messages thread']),
  };
  const pinned = {
    tests: report(
      file('a.test.ts', [
        ['runs tools', null],
        ['streams', null],
        ['counts', 'AssertionError: 1 is not 2'],
      ]),
      file('b.test.ts', [['fills', null]]),
    ),
    sent: new Set(['Anthropic/JS POST /v1/messages model', 'Anthropic/JS POST /v1/messages top_k']),
  };

  test('the summary names new fields, fields that are gone, and what broke', () => {
    expect(writeSummary(compareRuns(newest, pinned)).split('\n')).toEqual([
      'Requests of Anthropic/JS were compared.',
      '1 headers and fields are sent by the newest versions only:',
      '  Anthropic/JS POST /v1/messages thread',
      '1 headers and fields are sent by the pinned versions only:',
      '  Anthropic/JS POST /v1/messages top_k',
      '1 tests pass with the newest versions.',
      '2 tests fail with the newest versions and pass with the pinned ones:',
      '  test/clients/a.test.ts: runs tools',
      '      BadRequestError: 400 thread',
      '  test/clients/b.test.ts',
      '      No export "Runner"',
      '1 tests fail with both:',
      '  test/clients/a.test.ts: counts',
    ]);
  });

  test('a run that equals the other is said to break nothing', () => {
    expect(
      writeSummary(compareRuns({ ...pinned, tests: new Map([['a', null]]) }, pinned)).split('\n'),
    ).toEqual([
      'Requests of Anthropic/JS were compared.',
      'Both versions send the same fields.',
      '1 tests pass with the newest versions.',
      'The newest versions break nothing.',
    ]);
  });

  test('versions that differ are shown with both', () => {
    const before = new Map([
      ['openai', '7.41.0'],
      ['ai', '7.0.1'],
    ]);
    const after = new Map([
      ['openai', '7.55.0'],
      ['ai', '7.0.1'],
    ]);
    expect(writeVersions(before, after).split('\n').slice(1)).toEqual([
      '  openai  7.41.0 -> 7.55.0',
      '  ai      7.0.1 (pinned)',
    ]);
  });
});

describe('a request', () => {
  test('is recorded by its fields, kinds of objects and betas', () => {
    const lines = requestFields({
      method: 'POST',
      url: 'http://127.0.0.1:9/v1/messages?beta=true',
      headers: new Headers({ 'user-agent': 'Anthropic/JS 1.9.0', 'anthropic-beta': 'a-1,b-2' }),
      body: { thread: { type: 'create' }, messages: [{ role: 'user', content: 'Hi' }] },
    });
    expect(lines.map((line) => line.replace('Anthropic/JS POST /v1/messages ', ''))).toEqual([
      'anthropic-beta: a-1',
      'anthropic-beta: b-2',
      'user-agent:',
      'thread',
      'thread.type = create',
      'messages',
      'messages[].role = user',
      'messages[].content',
    ]);
  });

  test('has no id in its path, and is skipped if no library sent it', () => {
    const get = (url: string, agent: string): string[] =>
      requestFields({ method: 'GET', url, headers: new Headers({ 'user-agent': agent }), body: null });
    const agent = 'ai/7.0.170 ai-sdk-provider-utils/5.0.79 node.js/26';
    expect(get('http://127.0.0.1:9/v1/responses/resp_1aB', agent)).toEqual([
      'ai GET /v1/responses/{id} user-agent:',
    ]);
    expect(get('http://127.0.0.1:9/v1/models', 'node')).toEqual([]);
  });
});
