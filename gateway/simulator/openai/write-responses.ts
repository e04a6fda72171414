/** Writes a neutral answer as one response object of the Responses API. */
import { randomBase62 } from '../../src/kernel/ids.ts';
import { type Answer, askedText, type Choice, type Usage } from '../brain/prompt.ts';
import { totalTokens } from '../brain/tokens.ts';
import type { Json } from '../json.ts';
import type { ResponsesRequest } from './read-responses.ts';
import { sealReasoning } from './seal-reasoning.ts';
import { newToolCallId } from './write-chat.ts';

export type Part =
  | { readonly type: 'output_text'; annotations: []; logprobs: []; text: string }
  | { readonly type: 'refusal'; refusal: string };

export type Item =
  | { type: 'reasoning'; id: string; summary: Array<{ type: 'summary_text'; text: string }> }
  | { type: 'web_search_call'; id: string; status: string; action: { type: 'search'; query: string } }
  | { type: 'image_generation_call'; id: string; status: string; result: string | null }
  | { type: 'message'; id: string; status: string; role: 'assistant'; content: Part[] }
  | {
      type: 'function_call';
      id: string;
      status: string;
      call_id: string;
      name: string;
      namespace?: string;
      arguments: string;
    }
  | {
      type: 'custom_tool_call';
      id: string;
      status: string;
      call_id: string;
      name: string;
      namespace?: string;
      input: string;
    };

/** A response that is all thought out, and of which any part can be written. */
export interface Draft {
  readonly id: string;
  readonly createdSeconds: number;
  readonly echo: Json;
  readonly model: string;
  readonly items: readonly Item[];
  readonly ending: Ending;
}

export type Ending =
  | { readonly status: 'completed' | 'failed' }
  | { readonly status: 'incomplete'; readonly reason: 'max_output_tokens' | 'content_filter' };

const SEARCH = /search the web(?: for)?[\s:]*([^.?!\n]*)/i;
const QUERY_CHARACTERS_MAX = 200;

export function draftResponse(request: ResponsesRequest, answer: Answer, nowSeconds: number): Draft {
  const choice = answer.choices[0] as Choice;
  const ending = endingOf(choice, askedText(request.prompt));
  return {
    id: `resp_${randomBase62(48)}`,
    createdSeconds: nowSeconds,
    echo: request.echo,
    model: `${request.prompt.model}-2026-01-01`,
    items: writeItems(request, choice, answer.usage.reasoningTokens > 0, ending.status),
    ending,
  };
}

/** The whole response as it ends. */
export function writeEnd(draft: Draft, usage: Usage | null): object {
  const { ending, items, createdSeconds } = draft;
  if (ending.status === 'failed') {
    const error = { code: 'server_error', message: 'An error occurred while processing your request.' };
    return writeState(draft, { status: 'failed', error });
  }
  return writeState(draft, {
    status: ending.status,
    completed_at: ending.status === 'completed' ? createdSeconds : null,
    incomplete_details: ending.status === 'incomplete' ? { reason: ending.reason } : null,
    output: items,
    usage: usage === null ? null : writeUsage(usage),
  });
}

/** The response as it stands before any of it is there, but for the given fields. */
export function writeState(draft: Draft, state: Json): object {
  return {
    id: draft.id,
    object: 'response',
    created_at: draft.createdSeconds,
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    model: draft.model,
    output: [],
    usage: null,
    ...draft.echo,
    ...state,
  };
}

function writeUsage(usage: Usage): object {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: usage.cacheWriteTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: totalTokens(usage),
  };
}

function endingOf(choice: Choice, asked: string): Ending {
  if (asked.includes('[[fail]]')) return { status: 'failed' };
  if (choice.finish === 'length') return { status: 'incomplete', reason: 'max_output_tokens' };
  if (choice.finish === 'content_filter') return { status: 'incomplete', reason: 'content_filter' };
  return { status: 'completed' };
}

function writeItems(request: ResponsesRequest, choice: Choice, reasons: boolean, status: string): Item[] {
  const items: Item[] = [];
  if (reasons) items.push(writeReasoning(request, choice.reasoning));
  const query = searchFor(request);
  if (query !== null) {
    const action = { type: 'search' as const, query };
    items.push({ type: 'web_search_call', id: newId('ws'), status: 'completed', action });
  }
  const content = writeParts(choice);
  if (content.length > 0) {
    items.push({ type: 'message', id: newId('msg'), status: 'completed', role: 'assistant', content });
  }
  for (const { isText, arguments: said, ...named } of choice.toolCalls) {
    const common = { status: 'completed', call_id: newToolCallId(), ...named };
    if (isText) items.push({ type: 'custom_tool_call', id: newId('ctc'), ...common, input: said });
    else items.push({ type: 'function_call', id: newId('fc'), ...common, arguments: said });
  }
  for (const png of choice.images) {
    const result = png.toString('base64');
    items.push({ type: 'image_generation_call', id: newId('ig'), status: 'completed', result });
  }
  const last = items.at(-1);
  const cut = last?.type === 'message' || last?.type === 'function_call' || last?.type === 'custom_tool_call';
  if (status === 'incomplete' && cut) last.status = 'incomplete';
  return items;
}

function writeReasoning({ summarised, sealed }: ResponsesRequest, thought: string): Item {
  return {
    type: 'reasoning',
    id: newId('rs'),
    summary: summarised && thought !== '' ? [{ type: 'summary_text', text: thought }] : [],
    ...(sealed ? { encrypted_content: sealReasoning(thought) } : {}),
  };
}

/** An answer that was cut off before its first word has no message. */
function writeParts(choice: Choice): Part[] {
  if (choice.refusal !== null) return [{ type: 'refusal', refusal: choice.refusal }];
  const silent = choice.toolCalls.length > 0 || choice.finish === 'length';
  if (choice.text === '' && silent) return [];
  return [{ type: 'output_text', annotations: [], logprobs: [], text: choice.text }];
}

/** What the web is searched for; null is no search. */
function searchFor({ webSearch, prompt }: ResponsesRequest): string | null {
  const asked = askedText(prompt);
  const found = SEARCH.exec(asked);
  const demanded = prompt.toolChoice === 'required' && prompt.tools.length === 0;
  const allowed = prompt.toolChoice === 'auto' || prompt.toolChoice === 'required';
  if (!webSearch || !allowed || (found === null && !demanded)) return null;
  return (found?.[1]?.trim() || asked.trim()).slice(0, QUERY_CHARACTERS_MAX);
}

function newId(prefix: string): string {
  return `${prefix}_${randomBase62(48)}`;
}
