/**
 * Reads a responses request as a neutral call. A field without a neutral meaning is rejected, naming the
 * field.
 */
import type { ResponsesRequest } from '../../../contract/responses.ts';
import type { Json } from '../../../json/read-json.ts';
import { readCaching } from '../../read-caching.ts';
import { cannotCarry, isUnset, rejectUnknownFields } from '../../reject-field.ts';
import { rejectOtherFields } from '../../reject-other-fields.ts';
import { askedTier } from '../../service-tier.ts';
import type { Reasoning, ResponseFormat, TextCall } from '../../text-call.ts';
import { responsesFormatFields } from './read-fields.ts';
import { readItems } from './read-items.ts';
import { readToolChoice, readTools } from './read-tools.ts';
import { toolNames } from './tool-names.ts';

export function readResponsesCall(request: ResponsesRequest): TextCall {
  rejectUnknownFields(request, known, harmless);
  const { instructions, model } = request;
  const names = toolNames(request);
  const messages = readItems(request.input, { model, names });
  return {
    messages:
      typeof instructions === 'string' && instructions !== ''
        ? [{ role: 'system', text: instructions }, ...messages]
        : messages,
    stream: request.stream === true,
    tools: readTools(request, names),
    toolChoice: readToolChoice(request, names),
    parallelTools: request.parallel_tool_calls ?? null,
    responseFormat: readFormat(request),
    outputTokensMax: request.max_output_tokens ?? null,
    temperature: request.temperature ?? null,
    topP: request.top_p ?? null,
    topK: null,
    stop: [],
    answers: 1,
    reasoning: readReasoning(request),
    seed: null,
    frequencyPenalty: request.frequency_penalty ?? null,
    presencePenalty: request.presence_penalty ?? null,
    verbosity: readVerbosity(request),
    user: request.safety_identifier ?? request.user ?? null,
    cacheKey: request.prompt_cache_key || null,
    serviceTier: askedTier(request.service_tier),
    ...readCaching(request),
  };
}

const known = new Set([
  'model',
  'input',
  'instructions',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'text',
  'max_output_tokens',
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'reasoning',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'service_tier',
  // The gateway handles these itself: stored responses, resolved references, fields repeated in the answer.
  'store',
  'previous_response_id',
  'metadata',
]);

const LOGPROBS = 'message.output_text.logprobs';

/** Fields that do not affect the answer when they have these values. */
const harmless: Readonly<Record<string, (value: unknown) => boolean>> = {
  background: (value) => typeof value === 'boolean',
  // Information about an agent's session for the provider.
  client_metadata: () => true,
  // Encrypted reasoning is always returned; most other values belong to tools that a translation does not
  // have.
  include: (value) => Array.isArray(value) && !value.includes(LOGPROBS),
  top_logprobs: (value) => value === 0,
  truncation: (value) => value === 'disabled',
};

export function readFormat(request: ResponsesRequest): ResponseFormat {
  const format = writtenFormat(request);
  const place = { path: 'text.format', model: request.model };
  rejectOtherFields(format ?? {}, responsesFormatFields, place);
  if (format?.type !== 'json_schema') return { type: format?.type ?? 'text' };
  const { name, description = null, schema, strict = null } = format;
  return { type: 'json_schema', name, description, schema, strict };
}

type WrittenFormat = NonNullable<NonNullable<ResponsesRequest['text']>['format']>;

/** The response format in the shape of `text.format`, from either field; null if none was set. */
export function writtenFormat({ text, response_format: other }: ResponsesRequest): WrittenFormat | null {
  if (text?.format) return text.format;
  if (other?.type !== 'json_schema') return other ? { type: other.type } : null;
  const { name = 'answer', schema = {}, ...rest } = other.json_schema ?? {};
  return { type: 'json_schema', name, schema, ...rest };
}

function readReasoning({ reasoning, model }: ResponsesRequest): Reasoning | null {
  if (isUnset(reasoning)) return null;
  const { effort = null, summary, generate_summary: older, ...rest } = reasoning ?? {};
  refuseMore(rest, 'reasoning', model);
  const shown = (summary ?? older ?? null) !== null;
  return effort === null && !shown ? null : { effort, tokensMax: null, shown };
}

function readVerbosity({ text, model }: ResponsesRequest): string | null {
  const { format: _, verbosity = null, ...rest } = text ?? {};
  refuseMore(rest, 'text', model);
  return verbosity;
}

function refuseMore(rest: Json, path: string, model: string): void {
  const more = Object.keys(rest).find((name) => !isUnset(rest[name]));
  if (more !== undefined) throw cannotCarry(`${path}.${more}`, model);
}
