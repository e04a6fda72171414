import { describe } from 'vitest';
import { testFixtures } from '../../../test/support/provider-fixtures.ts';
import { ProviderMask } from '../provider-mask.ts';
import { mapAnthropicError } from './map-error.ts';
import { readAnthropicAnswer } from './read-answer.ts';
import { AnthropicStreamReader } from './read-stream.ts';

const proofs = ['anthropic EqQBCgIYAhIM1gbcDa9GJwZA2b3h', 'anthropic-sealed EmwKAhgBEgy3va3pzix/LafPsn4a'];

describe('a message', () => {
  testFixtures(
    new URL('fixtures/', import.meta.url),
    {
      readAnswer: readAnthropicAnswer,
      readStream: (_, emit) => new AnthropicStreamReader(emit),
      problem: (status, body) => mapAnthropicError(status, body, new ProviderMask()),
    },
    {
      'text.json': {
        answers: [{ text: '안녕하세요!', finish: 'stop end_turn' }],
        usage: { input: 25, output: 15 },
      },
      'text.sse': {
        answers: [{ text: '안녕하세요! "stop_reason"', finish: 'stop end_turn' }],
        usage: { input: 25, output: 15 },
      },
      'tool-use.sse': {
        answers: [
          {
            text: "I'll check.",
            calls: [
              'toolu_01T1x1fJ34qAmk2tNTrN7Up6 get_weather({"city": "Seoul {\\"한\\"}"})',
              'toolu_01A09q90qw90lq917835lq9 get_time({})',
            ],
            finish: 'tool_calls tool_use',
          },
        ],
        usage: { input: 472, output: 89 },
      },
      'tool-use-parallel.json': {
        answers: [
          {
            text: "I'll check both.",
            calls: ['toolu_01A get_weather({"city":"Seoul"})', 'toolu_01B get_time({})'],
            finish: 'tool_calls tool_use',
          },
        ],
        usage: { input: 412, output: 96 },
      },
      'thinking.json': {
        answers: [{ text: '4', reasoning: 'Two and two.', proofs, finish: 'stop end_turn' }],
        usage: { input: 40, output: 120, reasoning: 100 },
      },
      'thinking.sse': {
        answers: [{ text: '27', reasoning: 'Let me think.', proofs, finish: 'stop end_turn' }],
        usage: { input: 40, output: 120, reasoning: 100 },
      },
      'cached.json': {
        answers: [{ text: 'Yes.', finish: 'stop_sequence stop_sequence END' }],
        usage: { input: 1_205, cached: 1_000, written: 200, output: 3 },
      },
      'cached.sse': {
        answers: [{ text: 'Yes.', finish: 'stop_sequence stop_sequence END' }],
        usage: { input: 1_205, cached: 1_000, written: 200, output: 3 },
      },
      'server-tool.json': {
        answers: [{ text: 'It is 21 degrees.', finish: 'stop pause_turn' }],
        usage: { input: 2_679, output: 61 },
      },
      'refusal.json': {
        answers: [{ finish: 'content_filter refusal' }],
        usage: { input: 52, output: 2 },
      },
      'refusal.sse': {
        answers: [{ text: 'I can', finish: 'content_filter refusal' }],
        usage: { input: 30, output: 4 },
      },
      'max-tokens.sse': {
        answers: [{ calls: ['toolu_01cut write_file({"text":"half)'], finish: 'length max_tokens' }],
        usage: { input: 12, output: 64 },
      },
      'context-window.json': {
        answers: [{ text: 'And so on', finish: 'length model_context_window_exceeded' }],
        usage: { input: 199_900, output: 100 },
      },
      'empty.sse': { answers: [{ finish: 'stop end_turn' }], usage: { input: 19, output: 2 } },
      'error.sse': { answers: [{ text: 'Half an' }], problem: 'upstream_unavailable' },
      'error-400-too-long.json': { problem: 'context_length_exceeded' },
      'error-400-credit.json': { problem: 'upstream_error' },
      'error-400-field.json': {
        problem: 'invalid_parameter',
        param: 'messages[0].content[1].image.source.base64.data',
      },
      'error-529-overloaded.json': { problem: 'upstream_unavailable' },
    },
  );
});
