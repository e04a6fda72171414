import type { FieldNames } from '../named-field.ts';

export const anthropicFields: FieldNames = {
  messages: 'messages',
  system: 'messages',
  max_tokens: 'outputTokensMax',
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  stop_sequences: 'stop',
  tools: 'tools',
  tool_choice: 'toolChoice',
  thinking: 'reasoning',
  'output_config.effort': 'reasoning',
  'output_config.format': 'responseFormat',
  'metadata.user_id': 'user',
};
