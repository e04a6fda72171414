/**
 * What of a relayed body its model is known to reject, in the form that it takes: the way to ask for thinking, an effort,
 * a temperature. Only fields that are read anyway are looked at; everything else is for the provider to judge. Pure.
 */
import { fitSampling, TEMPERATURE_DEFAULT } from '../catalog/fit-call.ts';
import { fitReasoning, isEffort, thinksWith } from '../catalog/fit-reasoning.ts';
import type { ModelTraits } from '../catalog/model-traits.ts';
import type { ChatRequest } from '../contract/chat.ts';
import type { ResponsesRequest } from '../contract/responses.ts';
import { type Json, listOf, textOf } from '../json/read-json.ts';
import type { Reasoning } from '../text/text-call.ts';
import type { RelayEdits, TextFormatName } from '../text/text-format.ts';
import { Edits } from './edits.ts';
import { fitThinking, type ThinkingRequest } from './fit-relay-thinking.ts';

export function relayEdits(format: TextFormatName, request: unknown, takes: ModelTraits): RelayEdits {
  const edits = new Edits();
  readers[format](request as never, takes, edits);
  return edits;
}

const readers: Readonly<Record<TextFormatName, (request: never, takes: ModelTraits, edits: Edits) => void>> =
  { chat: fitChat, responses: fitResponses, messages: fitMessages };

function fitChat(request: ChatRequest, takes: ModelTraits, edits: Edits): void {
  const effort = request.reasoning_effort ?? null;
  if (takes.thinking === 'switch' && (request as Json).thinking === undefined && cannotThink(request)) {
    edits.set('thinking', { type: 'disabled' });
    if (effort !== null) edits.set('reasoning_effort', null);
    return;
  }
  const fitted = fitEffort(effort, takes);
  if (fitted.effort !== effort) edits.set('reasoning_effort', fitted.effort);
  dropSampling(request, takes, { reasoning: fitted.reasoning, edits });
}

/** No word of chat switches thinking off there; neither a required tool call nor calls without their thoughts go with it. */
function cannotThink({ reasoning_effort: effort, tool_choice: choice, messages }: ChatRequest): boolean {
  if (effort === 'none' || choice === 'required' || typeof choice === 'object') return true;
  return messages.some((message) => {
    const { tool_calls: calls, reasoning_content: thoughts } = message as Json;
    return listOf(calls).length > 0 && textOf(thoughts) === '';
  });
}

function fitResponses(request: ResponsesRequest, takes: ModelTraits, edits: Edits): void {
  const { effort: asked = null, ...rest } = request.reasoning ?? {};
  const { effort, reasoning } = fitEffort(asked, takes);
  if (effort !== asked) edits.set('reasoning', { ...rest, ...(effort !== null && { effort }) });
  dropSampling(request, takes, { reasoning, edits });
}

function fitMessages(request: ThinkingRequest & Sampled, takes: ModelTraits, edits: Edits): void {
  const reasoning = fitThinking(request, takes, edits);
  dropSampling(request, takes, { reasoning, edits });
}

/** A word that nobody has is for the provider to judge. */
function fitEffort(
  effort: string | null,
  takes: ModelTraits,
): { effort: string | null; reasoning: Reasoning | null } {
  if (effort === null || !isEffort(effort)) return { effort, reasoning: null };
  const reasoning = fitReasoning({ effort, tokensMax: null, shown: false }, takes);
  return { effort: reasoning?.effort ?? null, reasoning };
}

const SAMPLING = { temperature: 'temperature', topP: 'top_p', topK: 'top_k' } as const;

/** Every model takes it. */
function isDefault(name: keyof typeof SAMPLING, value: number): boolean {
  return name === 'temperature' && value === TEMPERATURE_DEFAULT;
}

interface Sampled {
  readonly temperature?: number | null | undefined;
  readonly top_p?: number | null | undefined;
  readonly top_k?: number | null | undefined;
}

function dropSampling(
  { temperature = null, top_p: topP = null, top_k: topK = null }: Sampled,
  takes: ModelTraits,
  { reasoning, edits }: { reasoning: Reasoning | null; edits: Edits },
): void {
  const given = { temperature, topP, topK };
  const fitted = fitSampling(given, takes, thinksWith(reasoning, takes));
  for (const [name, field] of Object.entries(SAMPLING) as Array<[keyof typeof SAMPLING, string]>)
    if (given[name] !== null && fitted[name] === null && !isDefault(name, given[name]))
      edits.set(field, null);
}
