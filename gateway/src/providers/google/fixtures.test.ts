import { describe } from 'vitest';
import { testFixtures } from '../../../test/support/provider-fixtures.ts';
import { ProviderMask } from '../provider-mask.ts';
import { mapGoogleError } from './map-error.ts';
import { readGoogleAnswer } from './read-answer.ts';
import { GoogleStreamReader } from './read-stream.ts';

describe('a Gemini answer', () => {
  testFixtures(
    new URL('fixtures/', import.meta.url),
    {
      readAnswer: readGoogleAnswer,
      readStream: ({ callId }, emit) => new GoogleStreamReader(callId, emit),
      problem: (status, body) => mapGoogleError(status, body, new ProviderMask()),
    },
    {
      'text.json': {
        answers: [{ text: '안녕하세요!', finish: 'stop STOP' }],
        usage: { input: 9, output: 5 },
      },
      'text.sse': {
        answers: [
          {
            text: '안녕하세요!',
            reasoning: '**Weighing the words**\n\nThe user greets me.',
            proofs: ['google EqQECqEEAdHtim9kdGV4dA=='],
            finish: 'stop STOP',
          },
        ],
        usage: { input: 9, output: 35, reasoning: 30 },
      },
      'answer.json': {
        answers: [
          {
            text: 'Here is your picture.',
            reasoning: 'A red square, then.',
            proofs: ['google EqQECqEEAdHtim9kdGhvdWdodA=='],
            images: ['image/png iVBORw0KGgo='],
            finish: 'stop STOP',
          },
          { finish: 'length MAX_TOKENS' },
        ],
        usage: { input: 127, cached: 100, output: 52, reasoning: 12 },
      },
      'tools.sse': {
        answers: [
          {
            calls: ['fc_91 get_weather({"city":"Seoul"})', 'call_AbC_1 get_time({"city":"Seoul"})'],
            finish: 'tool_calls STOP',
          },
        ],
        usage: { input: 84, output: 99, reasoning: 68 },
      },
      // Calls without an id get one of ours; a proof of a call stays with the call.
      'tools-parallel.json': {
        answers: [
          {
            calls: ['call_AbC_0 get_weather({"city":"Seoul"})', 'call_AbC_1 get_time({})'],
            finish: 'tool_calls STOP',
          },
        ],
        usage: { input: 84, output: 99, reasoning: 68 },
      },
      'cached.json': {
        answers: [{ text: 'Done.', finish: 'stop STOP' }],
        usage: { input: 2_130, cached: 2_048, output: 2 },
      },
      'usage-last.sse': {
        answers: [{ text: 'Yes.', finish: 'stop STOP' }],
        usage: { input: 7, output: 2 },
      },
      'max-tokens-without-text.json': {
        answers: [{ finish: 'length MAX_TOKENS' }],
        usage: { input: 12, output: 61, reasoning: 61 },
      },
      'empty.json': { answers: [{ finish: 'stop STOP' }], usage: { input: 12 } },
      'safety.sse': {
        answers: [{ text: 'The knight ', finish: 'content_filter SAFETY' }],
        usage: { input: 18, output: 3 },
      },
      'recitation.json': { answers: [{ finish: 'content_filter RECITATION' }], usage: { input: 10 } },
      'blocked.json': { answers: [{ finish: 'content_filter PROHIBITED_CONTENT' }], usage: { input: 11 } },
      'malformed-call.json': { answers: [{ finish: 'stop MALFORMED_FUNCTION_CALL' }], usage: { input: 84 } },
      'error.sse': { answers: [{ text: 'Half an' }], problem: 'upstream_unavailable' },
      'error-400-key.json': { problem: 'upstream_error' },
      'error-400-too-long.json': { problem: 'context_length_exceeded' },
      'error-429-quota.json': { problem: 'rate_limit_exceeded', retryAfterMs: 34_075 },
    },
  );
});
