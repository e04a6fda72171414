import type { TextField } from '../../text-call.ts';

export const messagesFieldNames: Readonly<Record<TextField, string>> = {
  messages: 'messages',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelTools: 'tool_choice.disable_parallel_tool_use',
  responseFormat: 'output_config.format',
  outputTokensMax: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stop: 'stop_sequences',
  answers: 'n',
  reasoning: 'thinking',
  seed: 'seed',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  verbosity: 'verbosity',
  serviceTier: 'service_tier',
  user: 'metadata.user_id',
  image: 'messages (an image)',
  file: 'messages (a document)',
};
