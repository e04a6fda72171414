/** Reads a Responses request into a neutral prompt, and keeps what the reply repeats of it. */
import { type ModelTraits, traitsOf } from '../brain/models.ts';
import type { Prompt, Turn } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { checkRules } from './check-rules.ts';
import { rulesOf } from './model-rules.ts';
import { readFlag, readNumber, readOne, readString, readTag } from './read-fields.ts';
import { readInput } from './read-responses-input.ts';
import { readText, readToolChoice, readTools } from './read-responses-tools.ts';
import { missing, notJson, unknownModel, wrongType, wrongValue } from './refusals.ts';
import {
  belowMinimum,
  movedFormat,
  notResponsesModel,
  unknownParameter,
  unknownPrevious,
  unsupportedBackground,
  unsupportedEffort,
  unsupportedTextFormat,
  unsupportedValue,
} from './responses-refusals.ts';

export interface ResponsesRequest {
  readonly prompt: Prompt;
  readonly stream: boolean;
  readonly webSearch: boolean;
  /** Whether the reasoning comes as a summary, and sealed. */
  readonly summarised: boolean;
  readonly sealed: boolean;
  /** The fields of the request that every reply repeats. */
  readonly echo: Json;
}

const OUTPUT_TOKENS_LEAST = 16;
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const SUMMARIES = ['auto', 'concise', 'detailed'];
const SEALED = 'reasoning.encrypted_content';
const INCLUDABLE = [SEALED, 'web_search_call.action.sources', 'message.output_text.logprobs'];
const FIELDS = new Set(
  (
    'model input instructions tools tool_choice parallel_tool_calls text temperature top_p max_output_tokens ' +
    'stream store previous_response_id reasoning include metadata truncation user safety_identifier ' +
    'prompt_cache_key service_tier top_logprobs stream_options background client_metadata ' +
    'frequency_penalty presence_penalty'
  ).split(' '),
);

export function readResponses(given: unknown): ResponsesRequest {
  const body = record(given);
  if (body === null) throw notJson();
  const { model, traits } = readModel(body.model);
  checkFields(body);
  const tools = readTools(body.tools, model);
  const text = readText(body.text);
  if (text.format !== 'text' && !traits.writesJson) throw unsupportedTextFormat(text.type);
  const reasoning = readReasoning(body.reasoning, traits);
  const effort = checkRules({ api: 'responses', model, body, rules: rulesOf(model) });
  const outputTokensMax = readCap(body.max_output_tokens);
  const { choice: toolChoice, functions } = readToolChoice(body.tool_choice, tools);
  const parallelTools = readFlag(body, 'parallel_tool_calls') ?? true;
  const summarised = reasoning.summary !== null;
  const sealed = readInclude(body.include).includes(SEALED);
  const prompt: Prompt = {
    model,
    turns: [...readInstructions(body.instructions), ...readInput(body.input, traits)],
    tools: functions,
    toolChoice,
    parallelTools,
    format: text.format,
    stop: [],
    outputTokensMax,
    answers: 1,
    seed: 0,
    effort: traits.reasons ? effort : reasoning.effort,
    thinksAloud: summarised || sealed,
  };
  const echo: Json = {
    frequency_penalty: readNumber(body, 'frequency_penalty', 2, -2) ?? 0,
    instructions: body.instructions ?? null,
    max_output_tokens: outputTokensMax,
    max_tool_calls: null,
    parallel_tool_calls: parallelTools,
    presence_penalty: readNumber(body, 'presence_penalty', 2, -2) ?? 0,
    previous_response_id: null,
    prompt_cache_key: readString(body, 'prompt_cache_key'),
    reasoning,
    safety_identifier: readTag(body, 'safety_identifier'),
    service_tier: readTier(body),
    store: readFlag(body, 'store') ?? true,
    temperature: readNumber(body, 'temperature', 2) ?? 1,
    text: text.echo,
    tool_choice: body.tool_choice ?? 'auto',
    tools: tools.echo,
    top_logprobs: readNumber(body, 'top_logprobs', 20) ?? 0,
    top_p: readNumber(body, 'top_p', 1) ?? 1,
    truncation: readOne(body, 'truncation', ['auto', 'disabled']) ?? 'disabled',
    user: readTag(body, 'user'),
    metadata: body.metadata ?? {},
  };
  return {
    prompt,
    stream: readFlag(body, 'stream') ?? false,
    webSearch: tools.webSearch,
    summarised,
    sealed,
    echo,
  };
}

function readModel(model: unknown): { model: string; traits: ModelTraits } {
  if (typeof model !== 'string' || model === '') {
    throw missing('model');
  }
  const traits = traitsOf(model);
  if (traits === null) throw unknownModel(model);
  if (!answersResponses(model, traits)) throw notResponsesModel(model);
  return { model, traits };
}

/** Every model that chats but one, and those that answer here alone. */
function answersResponses(model: string, traits: ModelTraits): boolean {
  if (model === 'sim-no-responses') return false;
  return traits.chats || model === 'sim-responses-only' || /^sim-research-[1-4]$/.test(model);
}

function checkFields(body: Json): void {
  if (body.response_format !== undefined) throw movedFormat();
  for (const name of Object.keys(body)) if (!FIELDS.has(name)) throw unknownParameter(name);
  if (readFlag(body, 'background') === true) throw unsupportedBackground();
  const previous = readString(body, 'previous_response_id');
  if (previous !== null) throw unknownPrevious(previous);
  if (body.stream_options != null && body.stream !== true) {
    throw wrongValue(
      'stream_options',
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    );
  }
  checkClientMetadata(body.client_metadata);
  const { metadata } = body;
  if (metadata != null && record(metadata) === null) throw wrongType('metadata', 'an object');
  for (const [key, value] of Object.entries(record(metadata) ?? {})) {
    if (typeof value !== 'string') throw wrongType(`metadata.${key}`, 'a string');
  }
}

/** What agents say of their sessions: names with texts. */
function checkClientMetadata(value: unknown): void {
  if (value == null) return;
  const metadata = record(value);
  if (metadata === null) throw wrongType('client_metadata', 'an object');
  for (const [key, text] of Object.entries(metadata)) {
    if (typeof text !== 'string') throw wrongType(`client_metadata.${key}`, 'a string');
  }
}

function readInstructions(value: unknown): readonly Turn[] {
  if (value == null) return [];
  if (typeof value !== 'string') throw wrongType('instructions', 'a string');
  return [{ role: 'system', text: value, images: [], toolCalls: [] }];
}

function readReasoning(
  value: unknown,
  traits: ModelTraits,
): { effort: string | null; summary: string | null } {
  const asked = value == null ? {} : record(value);
  if (asked === null) throw wrongType('reasoning', 'an object');
  const effort = readOne(asked, 'effort', EFFORTS, 'reasoning.');
  if (effort !== null && !traits.reasons) throw unsupportedEffort();
  const summary = readOne(asked, 'summary', SUMMARIES, 'reasoning.');
  return { effort: effort ?? (traits.reasons ? 'medium' : null), summary };
}

function readCap(value: unknown): number | null {
  if (value == null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw wrongType('max_output_tokens', 'an integer');
  }
  if (value < OUTPUT_TOKENS_LEAST) throw belowMinimum('max_output_tokens', OUTPUT_TOKENS_LEAST, value);
  return value;
}

/** A caller that leaves it to OpenAI is told which tier it was. */
function readTier(body: Json): string {
  const asked = readOne(body, 'service_tier', ['auto', 'default', 'flex', 'priority']);
  return asked === null || asked === 'auto' ? 'default' : asked;
}

function readInclude(value: unknown): readonly string[] {
  if (value == null) return [];
  if (!Array.isArray(value)) throw wrongType('include', 'an array of strings');
  value.forEach((name, index) => {
    if (!INCLUDABLE.includes(name)) throw unsupportedValue(`include[${index}]`, name, INCLUDABLE);
  });
  return value;
}
