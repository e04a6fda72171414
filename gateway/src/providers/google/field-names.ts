import type { FieldNames } from '../named-field.ts';

export const googleFields: FieldNames = {
  contents: 'messages',
  system_instruction: 'messages',
  tools: 'tools',
  tool_config: 'toolChoice',
  'generation_config.max_output_tokens': 'outputTokensMax',
  'generation_config.temperature': 'temperature',
  'generation_config.top_p': 'topP',
  'generation_config.top_k': 'topK',
  'generation_config.seed': 'seed',
  'generation_config.frequency_penalty': 'frequencyPenalty',
  'generation_config.presence_penalty': 'presencePenalty',
  'generation_config.stop_sequences': 'stop',
  'generation_config.candidate_count': 'answers',
  'generation_config.response_mime_type': 'responseFormat',
  'generation_config.response_schema': 'responseFormat',
  'generation_config.response_json_schema': 'responseFormat',
  'generation_config.thinking_config': 'reasoning',
};
