/** OpenAI's words for why an answer ended, in its two APIs. */
import type { FinishReason } from '../../../text/text-result.ts';

export const chatFinishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  model_length: 'length',
};

/** Of a response that is incomplete. */
export const incompleteReasons: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: 'length',
  content_filter: 'content_filter',
};
