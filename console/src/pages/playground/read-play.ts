/** Puts an answer together from what the gateway sends, frame by frame or whole. Pure. */
import type { EstimatedCost } from '../../../../gateway/src/contract/cost.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, once it is whole. */
  readonly args: string;
}

export interface PlayAnswer {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** `data:` addresses. */
  readonly images: readonly string[];
  readonly vector: { readonly length: number; readonly first: readonly number[] } | null;
  readonly finishReason: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** The decimal string of the gateway; null is unknown. */
  readonly cost: string | null;
  /** The frame that ends a stream has come. */
  readonly ended: boolean;
}

export const noPlayAnswer: PlayAnswer = {
  text: '',
  toolCalls: [],
  images: [],
  vector: null,
  finishReason: null,
  inputTokens: null,
  outputTokens: null,
  cost: null,
  ended: false,
};

/** What we read of bodies and frames; each mode has some of it. */
export interface PlayJson {
  readonly type?: string;
  readonly choices?: ReadonlyArray<{
    delta?: ChatMessage;
    message?: ChatMessage;
    finish_reason?: string | null;
  }>;
  readonly usage?: Usage | null;
  readonly estimated_cost?: EstimatedCost;
  readonly delta?: string | { text?: string; partial_json?: string; stop_reason?: string | null };
  readonly item?: ResponseItem;
  readonly response?: PlayJson;
  readonly output?: readonly ResponseItem[];
  readonly status?: string;
  readonly message?: PlayJson;
  readonly content?: ReadonlyArray<{
    type: string;
    text?: string;
    id?: string;
    name?: string;
    input?: unknown;
  }>;
  readonly content_block?: { type: string; id?: string; name?: string };
  readonly stop_reason?: string | null;
  readonly data?: ReadonlyArray<{ embedding?: readonly number[]; b64_json?: string }>;
  readonly output_format?: string;
}

interface Usage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
}

interface ChatMessage {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly images?: ReadonlyArray<{ readonly image_url?: { readonly url?: string } }>;
  readonly tool_calls?: ReadonlyArray<{
    index?: number;
    id?: string;
    function?: { name?: string; arguments?: string };
  }>;
}

interface ResponseItem {
  readonly type: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly result?: string;
  readonly content?: ReadonlyArray<{ type: string; text?: string }>;
}

export function addChat(answer: PlayAnswer, json: PlayJson): Partial<PlayAnswer> {
  const choice = json.choices?.[0];
  const message = choice?.delta ?? choice?.message;
  const images = (message?.images ?? []).flatMap(({ image_url: image }) => shownImage(image?.url));
  const calls = [...answer.toolCalls];
  for (const { index = calls.length, id, function: called } of message?.tool_calls ?? []) {
    const before = calls[index] ?? { id: '', name: '', args: '' };
    calls[index] = {
      id: id || before.id,
      name: before.name + (called?.name ?? ''),
      args: before.args + (called?.arguments ?? ''),
    };
  }
  return {
    text: answer.text + (message?.content ?? '') + (message?.refusal ?? ''),
    images: [...answer.images, ...images],
    toolCalls: calls,
    finishReason: choice?.finish_reason ?? answer.finishReason,
  };
}

export function addResponse(answer: PlayAnswer, frame: PlayJson): PlayAnswer {
  if (frame.type === 'response.output_text.delta' && typeof frame.delta === 'string')
    return { ...answer, text: answer.text + frame.delta };
  if (frame.type === 'response.completed' || frame.type === 'response.incomplete') {
    const body = frame.response ?? {};
    return { ...readOutput(answer, body), ...spent(answer, body), ended: true };
  }
  return answer;
}

/** The finished output has everything that the deltas had. */
export function readOutput(answer: PlayAnswer, body: PlayJson): PlayAnswer {
  const items = body.output ?? [];
  const text = items.flatMap(({ content = [] }) => content.map((part) => part.text ?? '')).join('');
  return {
    ...answer,
    text: text === '' ? answer.text : text,
    toolCalls: items
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id: id = '', name = '', arguments: args = '' }) => ({ id, name, args })),
    images: items.flatMap(({ type, result }) =>
      type === 'image_generation_call' && result !== undefined ? [`data:image/png;base64,${result}`] : [],
    ),
    finishReason: body.status ?? null,
  };
}

export function addMessage(answer: PlayAnswer, frame: PlayJson): PlayAnswer {
  const { type, delta, content_block: block } = frame;
  if (type === 'message_stop') return { ...answer, ended: true };
  if (type === 'message_start') return { ...answer, ...spent(answer, frame.message ?? {}) };
  if (type === 'content_block_start' && block?.type === 'tool_use')
    return {
      ...answer,
      toolCalls: [...answer.toolCalls, { id: block.id ?? '', name: block.name ?? '', args: '' }],
    };
  if (typeof delta !== 'object') return answer;
  if (type === 'message_delta')
    return { ...answer, ...spent(answer, frame), finishReason: delta.stop_reason ?? answer.finishReason };
  const last = answer.toolCalls.at(-1);
  const toolCalls =
    delta.partial_json === undefined || last === undefined
      ? answer.toolCalls
      : [...answer.toolCalls.slice(0, -1), { ...last, args: last.args + delta.partial_json }];
  return { ...answer, text: answer.text + (delta.text ?? ''), toolCalls };
}

export function spent(before: PlayAnswer, { usage, estimated_cost: cost }: PlayJson) {
  return {
    inputTokens: usage?.prompt_tokens ?? usage?.input_tokens ?? before.inputTokens,
    outputTokens: usage?.completion_tokens ?? usage?.output_tokens ?? before.outputTokens,
    cost: cost?.amount ?? before.cost,
  };
}

/** The page loads nothing from elsewhere, so an image that is only an address is not shown. */
function shownImage(url: string | undefined): string[] {
  return url?.startsWith('data:image/') ? [url] : [];
}
