import { describe } from 'vitest';
import { testFixtures } from '../../../../test/support/provider-fixtures.ts';
import { ProviderMask } from '../../provider-mask.ts';
import { mapOpenaiError } from '../map-error.ts';
import { readChatAnswer } from './read-answer.ts';
import { ChatStreamReader } from './read-stream.ts';

const calls = ['call_A1 get_weather({"city":"Seoul"})', 'call_B2 get_time({})'];

describe('a chat completion', () => {
  testFixtures(
    new URL('fixtures/', import.meta.url),
    {
      readAnswer: readChatAnswer,
      readStream: (_, emit) => new ChatStreamReader(emit),
      problem: (status, body) => mapOpenaiError(status, body, new ProviderMask()),
    },
    {
      'text.json': {
        answers: [{ text: '안녕하세요!', finish: 'stop stop' }],
        usage: { input: 14, output: 5 },
      },
      'text.sse': {
        answers: [{ text: '안녕하세요!', finish: 'stop stop' }],
        usage: { input: 14, output: 5 },
      },
      'no-usage.sse': { answers: [{ text: 'Yes.', finish: 'stop stop' }], usage: null },
      'comments.sse': { answers: [{ text: 'Hi', finish: 'stop stop' }], usage: { input: 7, output: 1 } },
      'tool-calls.json': {
        answers: [{ calls, finish: 'tool_calls tool_calls' }],
        usage: { input: 92, output: 34 },
      },
      'tool-calls-parallel.sse': {
        answers: [{ calls, finish: 'tool_calls tool_calls' }],
        usage: { input: 92, output: 34 },
      },
      'reasoning.sse': {
        answers: [{ text: '4', reasoning: 'Two and two.', finish: 'stop stop' }],
        usage: { input: 11, cached: 8, output: 21, reasoning: 17 },
      },
      'cached.json': {
        answers: [{ text: 'Done.', finish: 'stop stop' }],
        usage: { input: 2_048, cached: 1_920, output: 3 },
      },
      'refusal.json': {
        answers: [{ refusal: "I'm sorry, I can't help with that.", finish: 'stop stop' }],
        usage: { input: 31, output: 11 },
      },
      'refusal.sse': {
        answers: [{ refusal: "I'm sorry, I can't help.", finish: 'stop stop' }],
        usage: { input: 31, output: 9 },
      },
      'length-without-text.json': {
        answers: [{ finish: 'length length' }],
        usage: { input: 25, output: 64, reasoning: 64 },
      },
      'empty.json': { answers: [{ finish: 'stop stop' }], usage: { input: 9, output: 1 } },
      'azure-content-filter.sse': {
        answers: [{ text: 'The knight ', finish: 'content_filter content_filter' }],
        usage: { input: 18, output: 3 },
      },
      'two-answers.json': {
        answers: [
          { text: 'Heads', finish: 'stop stop' },
          { text: 'Tails', finish: 'length length' },
        ],
        usage: { input: 8, output: 4 },
      },
      'stop-sequence.json': {
        answers: [{ text: 'one, two, ', finish: 'stop_sequence stop three' }],
        usage: { input: 12, output: 6 },
      },
      'error.sse': { answers: [{ text: 'Half an' }], problem: 'upstream_error' },
      'error-400-context-length.json': { problem: 'context_length_exceeded', param: 'messages' },
      'error-401-key.json': { problem: 'upstream_error' },
      'error-429-quota.json': { problem: 'rate_limit_exceeded' },
    },
  );
});
