import { expect, test } from 'vitest';
import { mapAnthropicFinish } from './anthropic/map-finish-reason.ts';
import { mapBedrockFinish } from './bedrock/map-finish-reason.ts';
import { mapGoogleFinishReason } from './google/map-finish-reason.ts';
import { neutralFinish } from './neutral-finish.ts';
import { mapChatFinish } from './openai/chat/map-finish-reason.ts';

const shown = (reason: string): string => (reason === 'stop_sequence' ? 'stop' : reason);

test.each([
  ...['end_turn', 'pause_turn', 'stop_sequence', 'max_tokens', 'model_context_window_exceeded'],
  ...['tool_use', 'refusal', 'something_new'],
])('%s of Anthropic means the same as in an answer', (raw) => {
  expect(neutralFinish(raw)).toBe(shown(mapAnthropicFinish({ stop_reason: raw }).reason));
});

test.each([
  'end_turn',
  'stop_sequence',
  'tool_use',
  'max_tokens',
  'guardrail_intervened',
  'content_filtered',
  'model_context_window_exceeded',
  'malformed_tool_use',
])('%s of Bedrock means the same as in an answer', (raw) => {
  expect(neutralFinish(raw)).toBe(shown(mapBedrockFinish({ stopReason: raw }, true).reason));
});

test.each([
  ...['STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII'],
  ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION', 'MALFORMED_FUNCTION_CALL'],
])('%s of Gemini means the same as in an answer without tools', (raw) => {
  expect(neutralFinish(raw)).toBe(mapGoogleFinishReason(raw, false));
});

test.each(['stop', 'length', 'tool_calls', 'function_call', 'content_filter', 'model_length'])(
  '%s of a chat server means the same as in an answer',
  (raw) => {
    expect(neutralFinish(raw)).toBe(mapChatFinish({ finish_reason: raw }).reason);
  },
);

test('the reasons of responses are understood, and none stays none', () => {
  expect(['completed', 'max_output_tokens', 'content_filter', null, ''].map(neutralFinish)).toEqual([
    ...['stop', 'length', 'content_filter', null, null],
  ]);
});
