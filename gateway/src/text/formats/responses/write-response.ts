/**
 * Writes the response object: every field that clients may read, null if it has no value, with the values of
 * its request.
 */
import { errorBody } from '../../../contract/error-body.ts';
import type { ResponsesRequest } from '../../../contract/responses.ts';
import type { Problem } from '../../../kernel/problem.ts';
import type { Usage } from '../../../pricing/usage.ts';
import { answerId } from '../../answer-ids.ts';
import type { AnswerContext, AnswerHead } from '../../text-format.ts';
import type { FinishReason } from '../../text-result.ts';
import { writtenFormat } from './read-call.ts';
import { writeResponsesTier, writeResponsesUsage } from './write-usage.ts';

export interface ResponseState {
  readonly status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  readonly output: readonly unknown[];
  readonly error?: Record<string, unknown>;
  readonly incompleteReason?: string;
  /** Null or absent until the answer has ended. */
  readonly usage?: Usage | null;
  /** See AnswerEnd. */
  readonly kept?: boolean | undefined;
}

export function writeResponse(
  context: AnswerContext<ResponsesRequest>,
  state: ResponseState,
): Record<string, unknown> {
  const { request } = context;
  const { incompleteReason: reason } = state;
  return {
    id: answerId('resp', context.callId),
    object: 'response',
    created_at: context.createdSeconds,
    status: state.status,
    background: request.background ?? false,
    completed_at: null,
    error: state.error ?? null,
    frequency_penalty: request.frequency_penalty ?? 0,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: null,
    model: context.model,
    output: state.output,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    presence_penalty: request.presence_penalty ?? 0,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    // Until the answer has ended, the tier that was asked for.
    service_tier: state.usage ? writeResponsesTier(state.usage) : (request.service_tier ?? 'auto'),
    store: state.kept !== false && (request.store ?? true),
    temperature: request.temperature ?? 1,
    text: {
      format: writtenFormat(request) ?? { type: 'text' },
      verbosity: request.text?.verbosity ?? 'medium',
    },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).map(writeTool),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    usage: state.usage ? writeResponsesUsage(state.usage) : null,
    user: request.user ?? null,
    metadata: request.metadata ?? {},
  };
}

/** A finished response without its output, for keeping. */
export function writeResponseHead(
  context: AnswerContext<ResponsesRequest>,
  reason: FinishReason,
  usage: Usage,
): AnswerHead {
  const state = { ...writeEndState(reason), output: [], usage };
  const { output: _, ...head } = writeResponse(context, state);
  return head;
}

/** Clients expect these fields of a function even if the request omitted them. */
function writeTool(tool: NonNullable<ResponsesRequest['tools']>[number]): object {
  return tool.type === 'function' ? { description: null, parameters: null, strict: null, ...tool } : tool;
}

/** The status and reason of a finished answer. */
export function writeEndState(reason: FinishReason): Pick<ResponseState, 'status' | 'incompleteReason'> {
  if (reason === 'length') return { status: 'incomplete', incompleteReason: 'max_output_tokens' };
  if (reason === 'content_filter') return { status: 'incomplete', incompleteReason: 'content_filter' };
  return { status: 'completed' };
}

export interface FailureEvent {
  readonly type: 'response.failed' | 'response.incomplete';
  readonly fields: Record<string, unknown>;
}

/**
 * The last event of a stream that failed. The SDKs ignore such an event unless it also has an `error` at the top level,
 * which they throw. A cancelled response is not an error: as the format has no event of its own for it, its status is in
 * the event of an incomplete one.
 */
export function writeFailure(
  context: AnswerContext<ResponsesRequest>,
  failure: { problem: Problem; errorRef: string; output: readonly unknown[] },
): FailureEvent {
  const { problem, errorRef, output } = failure;
  if (problem.code === 'response_cancelled') {
    const response = writeResponse(context, { status: 'cancelled', output });
    return { type: 'response.incomplete', fields: { response } };
  }
  const reason = { code: problem.code, message: problem.detail, error_ref: errorRef };
  const response = writeResponse(context, { status: 'failed', output, error: reason });
  return {
    type: 'response.failed',
    fields: { response, error: errorBody(problem, errorRef).error, error_ref: errorRef },
  };
}

/**
 * OpenAI's own event for a silent stream. Some clients, such as Codex, end a stream without events and do not count
 * comments. Others, such as the library of OpenAI, reject it as the first event. The number is that of the last event, so
 * that a stream continues after the same event.
 */
export function writeKeepAlive(sequence: number): string {
  return `event: keepalive\ndata: {"type":"keepalive","sequence_number":${sequence}}\n\n`;
}
