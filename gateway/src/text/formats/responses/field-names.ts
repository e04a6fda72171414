import type { TextField } from '../../text-call.ts';

export const responsesFieldNames: Readonly<Record<TextField, string>> = {
  messages: 'input',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelTools: 'parallel_tool_calls',
  responseFormat: 'text.format',
  outputTokensMax: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stop: 'stop',
  answers: 'n',
  reasoning: 'reasoning',
  seed: 'seed',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  verbosity: 'text.verbosity',
  serviceTier: 'service_tier',
  user: 'user',
  image: 'input (an image)',
  file: 'input (a file)',
};
