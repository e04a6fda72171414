/**
 * Reads a messages request as a neutral call. A field without a neutral meaning is rejected, naming the
 * field.
 */
import type { CustomTool, MessagesRequest } from '../../../contract/messages.ts';
import { type Json, listOf, textOf } from '../../../json/read-json.ts';
import { readCacheMarker } from '../../cache-marker.ts';
import { sessionInUserId } from '../../conversation-start.ts';
import { rejectUnknownFields } from '../../reject-field.ts';
import { rejectOtherFields } from '../../reject-other-fields.ts';
import type {
  CacheMarker,
  Reasoning,
  ResponseFormat,
  TextCall,
  TextTool,
  ToolChoice,
} from '../../text-call.ts';
import { messagesBlocks, messagesObjects } from './read-fields.ts';
import { readMessage } from './read-message.ts';
import { extraInput, unsupportedKind } from './reject-field.ts';

type Tool = NonNullable<MessagesRequest['tools']>[number];

export function readMessagesCall(request: MessagesRequest): TextCall {
  rejectUnknownFields(request, known, harmless, extraInput);
  rejectInside(request);
  const { model, tool_choice: choice } = request;
  const system = readSystem(request);
  const cacheKey = sessionInUserId(request.metadata?.user_id ?? '');
  return {
    messages: [
      ...(system.text === '' ? [] : [{ role: 'system', ...system } as const]),
      ...request.messages.flatMap((message, i) => readMessage(message, `messages[${i}]`, model)),
    ],
    stream: request.stream === true,
    tools: offeredTools(request).map(({ tool, index }) => readTool(tool, `tools[${index}]`, model)),
    toolChoice: readToolChoice(choice),
    parallelTools: choice?.disable_parallel_tool_use === true ? false : null,
    responseFormat: readFormat(request),
    outputTokensMax: request.max_tokens,
    temperature: request.temperature ?? null,
    topP: request.top_p ?? null,
    topK: request.top_k ?? null,
    stop: request.stop_sequences ?? [],
    answers: 1,
    reasoning: readReasoning(request),
    seed: null,
    frequencyPenalty: null,
    presencePenalty: null,
    verbosity: null,
    user: request.metadata?.user_id ?? null,
    cacheKey,
  };
}

const known = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'stream',
  'tools',
  'tool_choice',
  'thinking',
  'metadata',
  'output_config',
  'output_format',
]);

/** Fields that do not affect the answer when they have these values. */
const harmless: Readonly<Record<string, (value: unknown) => boolean>> = {
  cache_control: () => true,
  // Says which earlier reasoning and results Anthropic may drop; other providers never get those.
  context_management: () => true,
  service_tier: (value) => value === 'auto' || value === 'standard_only',
  speed: (value) => value === 'standard',
};

/** Of the fields that are objects. */
function rejectInside(request: MessagesRequest): void {
  for (const name of ['tool_choice', 'thinking', 'output_config', 'metadata'] as const)
    rejectOtherFields(
      request[name] ?? {},
      messagesObjects[name],
      { path: name, model: request.model },
      extraInput,
    );
}

/** The blocks become one text, which has the last marker of the blocks. */
function readSystem({ system, model }: MessagesRequest): { text: string; cache?: CacheMarker } {
  if (system === null || system === undefined) return { text: '' };
  if (typeof system === 'string') return { text: system };
  for (const [i, block] of system.entries())
    rejectOtherFields(block, messagesBlocks.get('text'), { path: `system[${i}]`, model }, extraInput);
  const marker = system.map(readCacheMarker).findLast(({ cache }) => cache !== undefined);
  return { text: system.map(({ text }) => text).join('\n'), ...marker };
}

function readTool(given: Tool, path: string, model: string): TextTool {
  if (given.type && given.type !== 'custom') throw unsupportedKind(path, given.type, model);
  rejectOtherFields(given, messagesObjects.tool, { path, model }, extraInput);
  const { name, description = null, input_schema: parameters, strict = null } = given as CustomTool;
  return { name, description, parameters, strict, ...readCacheMarker(given) };
}

function readToolChoice(choice: MessagesRequest['tool_choice']): ToolChoice | null {
  if (choice === null || choice === undefined) return null;
  if (choice.type === 'tool') return { name: choice.name ?? '' };
  return choice.type === 'any' ? 'required' : choice.type;
}

function readFormat(request: MessagesRequest): ResponseFormat {
  const format = request.output_config?.format ?? request.output_format ?? null;
  if (format === null) return { type: 'text' };
  return { type: 'json_schema', name: null, description: null, schema: format.schema, strict: null };
}

/** Without thinking, the effort says nothing to other providers; it is about thinking there. */
const OFF: Reasoning = { effort: 'none', tokensMax: null, shown: false, implied: true };

export function readReasoning({
  thinking,
  output_config,
}: Pick<MessagesRequest, 'thinking' | 'output_config'>): Reasoning | null {
  const effort = output_config?.effort ?? null;
  if (!thinking) return effort === null ? null : { effort, tokensMax: null, shown: false };
  if (thinking.type === 'disabled' || thinking.type === 'between_tools') return OFF;
  const shown = thinking.display !== 'omitted';
  const tokensMax = thinking.type === 'enabled' ? (thinking.budget_tokens ?? null) : null;
  return {
    effort,
    tokensMax,
    shown,
    ...(effort === null && tokensMax === null && { adaptive: true as const }),
  };
}

/**
 * The available tools. Deferred ones: Anthropic shows such a tool to the model only after a tool search found it. Other providers
 * have no tool search, so they get the tools that the conversation refers to, without the rest. Each
 * has its place in the request.
 */
function offeredTools(request: MessagesRequest): Array<{ tool: Tool; index: number }> {
  const placed = (request.tools ?? []).map((tool, index) => ({ tool, index }));
  if (!placed.some(({ tool }) => isDeferred(tool))) return placed;
  const found = referredTools(request);
  return placed.filter(({ tool }) => !isDeferred(tool) || found.has((tool as CustomTool).name));
}

function isDeferred(tool: Tool): boolean {
  return (tool as Partial<CustomTool>).defer_loading === true;
}

function referredTools({ messages, tool_choice: choice }: MessagesRequest): ReadonlySet<string> {
  const found = new Set(choice?.type === 'tool' ? [choice.name ?? ''] : []);
  const read = (block: Json): void => {
    if (block.type === 'tool_reference') found.add(textOf(block.tool_name));
    else if (block.type === 'tool_use') found.add(textOf(block.name));
    else if (block.type === 'tool_result') listOf(block.content).forEach(read);
  };
  for (const { content } of messages) listOf(content).forEach(read);
  return found;
}
