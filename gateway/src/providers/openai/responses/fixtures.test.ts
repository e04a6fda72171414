import { describe } from 'vitest';
import { testFixtures } from '../../../../test/support/provider-fixtures.ts';
import { ProviderMask } from '../../provider-mask.ts';
import { mapOpenaiError } from '../map-error.ts';
import { readResponsesAnswer } from './read-answer.ts';
import { ResponsesStreamReader } from './read-stream.ts';

const proofs = ['openai-responses rs_68f0c1b0:gAAAAABo8MGi-q2_sealed=='];

describe('a response', () => {
  testFixtures(
    new URL('fixtures/', import.meta.url),
    {
      readAnswer: readResponsesAnswer,
      readStream: (_, emit) => new ResponsesStreamReader(emit),
      problem: (status, body) => mapOpenaiError(status, body, new ProviderMask()),
    },
    {
      'text.sse': {
        answers: [{ text: 'Hello, 안녕 👋', finish: 'stop completed' }],
        usage: { input: 12, cached: 4, output: 7 },
      },
      'cached.json': {
        answers: [{ text: '안녕하세요!', finish: 'stop completed' }],
        usage: { input: 3_072, cached: 2_944, output: 6 },
      },
      'tools.sse': {
        answers: [
          {
            calls: ['call_A1 get_weather({"city":"Seoul"})', 'call_B2 get_time({"zone":"KST"})'],
            text: 'Let me look.',
            finish: 'tool_calls completed',
          },
        ],
        usage: { input: 88, output: 41 },
      },
      'tools-parallel.json': {
        answers: [
          {
            proofs,
            calls: ['call_A1 get_weather({"city":"Seoul"})', 'call_B2 get_time({})'],
            finish: 'tool_calls completed',
          },
        ],
        usage: { input: 88, output: 70, reasoning: 32 },
      },
      'reasoning.sse': {
        answers: [
          {
            text: 'Forty-two.',
            reasoning: '**Weighing**\n\nTwo ways.\n\n**Choosing**',
            proofs,
            finish: 'stop completed',
          },
        ],
        usage: { input: 30, output: 200, reasoning: 192 },
      },
      'image.sse': {
        answers: [{ images: ['image/png iVBORw0KGgoAAAANSUhEUg=='], finish: 'stop completed' }],
        usage: { input: 20, output: 60 },
      },
      'refusal.sse': {
        answers: [{ refusal: 'I cannot help with that.', finish: 'stop completed' }],
        usage: { input: 9, output: 8 },
      },
      'refusal.json': {
        answers: [{ refusal: "I'm sorry, I can't help with that.", finish: 'stop completed' }],
        usage: { input: 21, output: 10 },
      },
      'incomplete.sse': {
        answers: [{ text: 'It was a darkand', finish: 'length max_output_tokens' }],
        usage: { input: 10, output: 16 },
      },
      'content-filter.json': {
        answers: [{ text: 'The knight ', finish: 'content_filter content_filter' }],
        usage: { input: 18, output: 4 },
      },
      'empty.json': { answers: [{ finish: 'stop completed' }], usage: { input: 12 } },
      'failed.json': 'not an answer',
      'failed.sse': { answers: [{ text: 'So f' }], problem: 'rate_limit_exceeded' },
      'error.sse': { answers: [{ text: 'Half an' }], problem: 'rate_limit_exceeded' },
      'error-400-unsupported.json': { problem: 'unsupported_parameter', param: 'temperature' },
      'error-500.json': { problem: 'upstream_error' },
    },
  );
});
