/**
 * The fields of requests that the official libraries have types for. A new version of a library that has a new field does
 * not compile until the field is here, and the test fails until it is declared where it arrives.
 */
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import type { Format } from '../matrix/ask.ts';

/** Of a union, the keys of every member. */
type KeysOf<T> = T extends unknown ? Extract<keyof T, string> : never;

type Chat = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming;
type ChatPart =
  | OpenAI.Chat.Completions.ChatCompletionContentPart
  | OpenAI.Chat.Completions.ChatCompletionContentPartRefusal;
type ChatObject =
  | OpenAI.Chat.Completions.ChatCompletionMessageParam
  | ChatPart
  | OpenAI.Chat.Completions.ChatCompletionFunctionTool
  | OpenAI.FunctionDefinition;

type Responses = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type ResponsesObject =
  | OpenAI.Responses.EasyInputMessage
  | OpenAI.Responses.ResponseOutputMessage
  | OpenAI.Responses.ResponseOutputMessage['content'][number]
  | OpenAI.Responses.ResponseInputContent
  | OpenAI.Responses.ResponseFunctionToolCall
  | OpenAI.Responses.ResponseInputItem.FunctionCallOutput
  | OpenAI.Responses.FunctionTool
  | OpenAI.Reasoning
  | OpenAI.Responses.ResponseTextConfig;

type Messages = Anthropic.Beta.Messages.MessageCreateParamsNonStreaming;
type MessagesObject =
  | Anthropic.TextBlockParam
  | Anthropic.ImageBlockParam
  | Anthropic.DocumentBlockParam
  | Anthropic.ToolUseBlockParam
  | Anthropic.ToolResultBlockParam
  | Anthropic.ThinkingBlockParam
  | Anthropic.Tool
  | Anthropic.ThinkingConfigParam
  | Anthropic.OutputConfig
  | Anthropic.ToolChoice
  | Anthropic.Metadata;

const HERE = 'here';
/** Where it is tested how a field arrives. */
type Tested =
  | typeof HERE
  | 'prompt' // Every call has it.
  | 'stream' // test/text/matrix.test.ts
  | 'background' // test/kept-responses/
  | 'stored' // test/text/stored-at-providers.test.ts and test/kept-responses/
  | 'agents' // test/clients/agents.test.ts
  | 'media' // test/text/fetched-images.test.ts and test/media/
  | 'header';

const chat: Record<KeysOf<Chat | ChatObject>, Tested> = {
  audio: HERE,
  content: HERE,
  description: HERE,
  file: HERE,
  frequency_penalty: HERE,
  function: HERE,
  function_call: HERE,
  functions: HERE,
  image_url: HERE,
  input_audio: HERE,
  logit_bias: HERE,
  logprobs: HERE,
  max_completion_tokens: HERE,
  max_tokens: HERE,
  messages: HERE,
  metadata: HERE,
  modalities: HERE,
  moderation: HERE,
  n: HERE,
  name: HERE,
  parallel_tool_calls: HERE,
  parameters: HERE,
  prediction: HERE,
  presence_penalty: HERE,
  prompt_cache_breakpoint: HERE,
  prompt_cache_key: HERE,
  prompt_cache_options: HERE,
  prompt_cache_retention: HERE,
  reasoning_effort: HERE,
  refusal: HERE,
  response_format: HERE,
  role: HERE,
  safety_identifier: HERE,
  seed: HERE,
  service_tier: HERE,
  stop: HERE,
  stream_options: HERE,
  strict: HERE,
  temperature: HERE,
  text: HERE,
  tool_call_id: HERE,
  tool_calls: HERE,
  tool_choice: HERE,
  tools: HERE,
  top_logprobs: HERE,
  top_p: HERE,
  type: HERE,
  user: HERE,
  verbosity: HERE,
  web_search_options: HERE,
  model: 'prompt',
  store: HERE,
  stream: 'stream',
};
const responses: Record<KeysOf<Responses | ResponsesObject>, Tested> = {
  access_programs: HERE,
  allowed_callers: HERE,
  annotations: HERE,
  arguments: HERE,
  async: HERE,
  call_id: HERE,
  caller: HERE,
  content: HERE,
  context: HERE,
  context_management: HERE,
  defer_loading: HERE,
  description: HERE,
  detail: HERE,
  effort: HERE,
  file_data: HERE,
  filename: HERE,
  format: HERE,
  generate_summary: HERE,
  id: HERE,
  image: HERE,
  image_url: HERE,
  include: HERE,
  input: HERE,
  instructions: HERE,
  logprobs: HERE,
  max_output_tokens: HERE,
  max_tool_calls: HERE,
  metadata: HERE,
  mode: HERE,
  moderation: HERE,
  name: HERE,
  output: HERE,
  output_schema: HERE,
  parallel_tool_calls: HERE,
  parameters: HERE,
  phase: HERE,
  prompt_cache_breakpoint: HERE,
  prompt_cache_key: HERE,
  prompt_cache_options: HERE,
  prompt_cache_retention: HERE,
  reasoning: HERE,
  refusal: HERE,
  role: HERE,
  safety_identifier: HERE,
  service_tier: HERE,
  status: HERE,
  stream_options: HERE,
  strict: HERE,
  summary: HERE,
  temperature: HERE,
  text: HERE,
  tool_choice: HERE,
  tools: HERE,
  top_logprobs: HERE,
  top_p: HERE,
  truncation: HERE,
  type: HERE,
  user: HERE,
  verbosity: HERE,
  background: 'background',
  conversation: 'stored',
  file_id: 'stored',
  file_url: 'media',
  model: 'prompt',
  namespace: 'agents',
  previous_response_id: 'stored',
  prompt: 'stored',
  store: 'stored',
  stream: 'stream',
};
const messages: Record<KeysOf<Messages | MessagesObject>, Tested> = {
  allowed_callers: HERE,
  budget_tokens: HERE,
  cache_control: HERE,
  caller: HERE,
  citations: HERE,
  compaction: HERE,
  content: HERE,
  context: HERE,
  context_management: HERE,
  defer_loading: HERE,
  description: HERE,
  diagnostics: HERE,
  disable_parallel_tool_use: HERE,
  display: HERE,
  eager_input_streaming: HERE,
  effort: HERE,
  fallback_credit_token: HERE,
  fallbacks: HERE,
  format: HERE,
  id: HERE,
  inference_geo: HERE,
  input: HERE,
  input_examples: HERE,
  input_schema: HERE,
  is_error: HERE,
  max_tokens: 'prompt',
  mcp_servers: HERE,
  messages: HERE,
  metadata: HERE,
  name: HERE,
  output_config: HERE,
  output_format: HERE,
  service_tier: HERE,
  signature: HERE,
  source: HERE,
  speed: HERE,
  stop_sequences: HERE,
  strict: HERE,
  system: HERE,
  text: HERE,
  thinking: HERE,
  title: HERE,
  tool_choice: HERE,
  tool_use_id: HERE,
  tools: HERE,
  toolset_name: HERE,
  transformations: HERE,
  type: HERE,
  user_id: HERE,
  user_profile_id: HERE,
  workspace_id: HERE,
  betas: 'header',
  container: 'stored',
  model: 'prompt',
  stream: 'stream',
  thread: 'stored',
};

function testedHere(fields: Readonly<Record<string, Tested>>): string[] {
  return Object.keys(fields).filter((name) => fields[name] === HERE);
}

export const publishedFields: Readonly<Record<Format, readonly string[]>> = {
  chat: testedHere(chat),
  responses: testedHere(responses),
  messages: testedHere(messages),
};
