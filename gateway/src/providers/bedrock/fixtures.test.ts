import { describe } from 'vitest';
import { eventFrame, exceptionFrame } from '../../../simulator/bedrock/event-message.ts';
import { Refusal } from '../../../simulator/refusal.ts';
import { testFixtures } from '../../../test/support/provider-fixtures.ts';
import type { OnSseFrame } from '../../kernel/framing.ts';
import { ProviderMask } from '../provider-mask.ts';
import { EventStreamFramer, EXCEPTION } from './event-stream.ts';
import { mapBedrockError } from './map-error.ts';
import { readBedrockAnswer } from './read-answer.ts';
import { BedrockStreamReader } from './read-stream.ts';

interface Line {
  readonly event: string;
  readonly payload: { readonly message?: string };
}

/** A transcript has one event on each line; on the wire each is a binary message. */
function framing(onFrame: OnSseFrame, bytesMax: number): { push(chunk: Buffer): void } {
  const framer = new EventStreamFramer({ bytesMax, onFrame });
  return {
    push: (chunk) => {
      for (const line of chunk.toString('utf8').trim().split('\n')) {
        framer.push(Buffer.from(toFrame(JSON.parse(line) as Line), 'latin1'));
      }
    },
  };
}

function toFrame({ event, payload }: Line): string {
  if (!event.startsWith(EXCEPTION)) return eventFrame(event, payload);
  const type = event.slice(EXCEPTION.length);
  return exceptionFrame(new Refusal(500, payload.message ?? '', { type }));
}

const proof = 'bedrock EqQBCkYIARgCKkAsaW1h';

describe('a Converse answer', () => {
  testFixtures(
    new URL('fixtures/', import.meta.url),
    {
      framing,
      readAnswer: readBedrockAnswer,
      readStream: (reading, emit) => new BedrockStreamReader(reading, emit),
      problem: (status, body) => mapBedrockError(status, body, new ProviderMask()),
    },
    {
      'text.json': {
        answers: [{ text: '안녕하세요!', finish: 'stop end_turn' }],
        usage: { input: 14, output: 7 },
      },
      'text.jsonl': {
        answers: [
          {
            text: '안녕하세요!',
            reasoning: 'The user greets me.',
            proofs: [proof],
            finish: 'stop end_turn',
          },
        ],
        usage: { input: 1_214, cached: 1_000, written: 200, output: 41 },
      },
      'answer.json': {
        answers: [
          {
            text: 'Let me look.',
            reasoning: 'Weather, then.',
            proofs: [proof, 'bedrock sealed:c2VhbGVk'],
            calls: ['tooluse_kZJMlvQmRJ6e get_weather({"city":"Seoul"})'],
            finish: 'tool_calls tool_use',
          },
        ],
        usage: { input: 1_214, cached: 1_000, written: 200, output: 41 },
      },
      'tools.jsonl': {
        answers: [
          {
            text: 'Let me look.',
            calls: [
              'tooluse_kZJMlvQmRJ6e get_weather({"city": "Seoul"})',
              'tooluse_b81xVw3TQ0yN get_time({})',
            ],
            finish: 'tool_calls tool_use',
          },
        ],
        usage: { input: 423, output: 87 },
      },
      'tools-parallel.json': {
        answers: [
          {
            calls: [
              'tooluse_kZJMlvQmRJ6e get_weather({"city":"Seoul"})',
              'tooluse_b81xVw3TQ0yN get_time({})',
            ],
            finish: 'tool_calls tool_use',
          },
        ],
        usage: { input: 423, output: 87 },
      },
      'cached.json': {
        answers: [{ text: 'Done.', finish: 'stop_sequence stop_sequence END' }],
        usage: { input: 2_060, cached: 2_048, output: 3 },
      },
      'content-filtered.json': {
        answers: [
          {
            text: 'The generated text has been blocked by our content filters.',
            finish: 'content_filter content_filtered',
          },
        ],
        usage: { input: 20 },
      },
      'guardrail.jsonl': {
        answers: [
          { text: 'Sorry, I cannot answer this question.', finish: 'content_filter guardrail_intervened' },
        ],
        usage: {},
      },
      'max-tokens.jsonl': {
        answers: [{ text: 'It was a dark', finish: 'length max_tokens' }],
        usage: { input: 10, output: 4 },
      },
      'redacted-reasoning.jsonl': {
        answers: [{ text: '27', proofs: ['bedrock sealed:c2VhbGVk'], finish: 'stop end_turn' }],
        usage: { input: 40, output: 120 },
      },
      'empty.json': { answers: [{ finish: 'stop end_turn' }], usage: { input: 19, output: 2 } },
      'no-usage.jsonl': { answers: [{ text: 'Yes.', finish: 'stop end_turn' }], usage: null },
      'exception.jsonl': { answers: [{ text: 'Half an' }], problem: 'upstream_error' },
      'error-400-too-long.json': { problem: 'context_length_exceeded' },
      'error-403-access.json': { problem: 'upstream_error' },
      'error-429-throttling.json': { problem: 'rate_limit_exceeded' },
    },
  );
});
