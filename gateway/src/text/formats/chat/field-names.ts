import type { TextField } from '../../text-call.ts';

export const chatFieldNames: Readonly<Record<TextField, string>> = {
  messages: 'messages',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelTools: 'parallel_tool_calls',
  responseFormat: 'response_format',
  outputTokensMax: 'max_completion_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stop: 'stop',
  answers: 'n',
  reasoning: 'reasoning_effort',
  seed: 'seed',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  verbosity: 'verbosity',
  serviceTier: 'service_tier',
  user: 'user',
  image: 'messages (an image)',
  file: 'messages (a file)',
};
