/** Reads messages, whole and streamed. */
import { expect } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { blockKinds } from '../../src/contract/message-blocks.ts';
import { MessagesEvent, MessagesResponse } from '../../src/contract/messages-answer.ts';
import { type Answer, amountOf, type Finish, type Said, type Usage } from './neutral-reply.ts';
import { readJson, readSse } from './sse.ts';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: object;
  readonly source?: { readonly media_type: string; readonly data: string };
}

interface UsageJson {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly output_tokens_details?: { readonly thinking_tokens: number };
}

interface Message {
  readonly id: string;
  readonly model: string;
  readonly content: readonly Block[];
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
  readonly usage: UsageJson;
  readonly estimated_cost?: { amount: string; currency: string } | null;
}

interface MessageEvent {
  readonly type: string;
  readonly index: number;
  readonly message: Message;
  readonly content_block: Block;
  readonly delta: {
    readonly type: string;
    readonly text?: string;
    readonly thinking?: string;
    readonly signature?: string;
    readonly partial_json?: string;
    readonly stop_reason: string | null;
    readonly stop_sequence: string | null;
  };
  readonly usage: UsageJson;
  readonly estimated_cost?: { amount: string; currency: string } | null;
}

const wholeShape = new Shape(MessagesResponse);
const eventShape = new Shape(MessagesEvent);
const blockShapes = new Map(Object.entries(blockKinds).map(([kind, schema]) => [kind, new Shape(schema)]));

export function readMessagesWhole(json: unknown, model: string): Said {
  expect(wholeShape.error(json)).toBeNull();
  const message = json as Message;
  expect(message).toMatchObject({ model, id: expect.stringMatching(/^msg_/) });
  return {
    id: message.id,
    answers: [answerOf(message)],
    usage: usageOf(message.usage),
    cost: amountOf(message.estimated_cost),
    echo: message.content,
  };
}

export function readMessagesStream(text: string, expected: { model: string }): Said {
  const events = readSse(text).map(({ event, data }) => {
    const json = readJson<MessageEvent>(data);
    expect(eventShape.error(json)).toBeNull();
    expect(json.type, 'the event line names the type').toBe(event);
    return json;
  });
  const [first, ...rest] = events.filter(({ type }) => type !== 'ping');
  expect(events[0]?.type).toBe('message_start');
  expect(rest.pop()).toEqual({ type: 'message_stop' });
  const start = first as MessageEvent;
  expect(start.message).toMatchObject({
    ...{ id: expect.stringMatching(/^msg_/), role: 'assistant', model: expected.model, content: [] },
    ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: expect.any(Number) } },
  });
  const last = rest.pop() as MessageEvent;
  expect(last.type, 'a delta of the message comes before its end').toBe('message_delta');
  expect(last.delta.stop_reason).not.toBeNull();
  const priced = events.filter((event) => 'estimated_cost' in event);
  expect(priced, 'the cost comes once, with the final usage').toEqual([last]);
  // An earlier delta of the message may tell how far it is; then it tells no more than that.
  const blocks = rest.filter(({ type }) => type !== 'message_delta');
  for (const early of rest.filter(({ type }) => type === 'message_delta')) {
    expect(early.delta).toEqual({ stop_reason: null, stop_sequence: null });
  }
  const { stop_reason, stop_sequence } = last.delta;
  const message = { ...start.message, content: readBlocks(blocks), stop_reason, stop_sequence };
  return {
    id: message.id,
    answers: [answerOf(message)],
    usage: usageOf({ ...start.message.usage, ...last.usage }),
    cost: amountOf(last.estimated_cost),
    echo: message.content,
  };
}

/** One block after another: its start, its deltas, its stop. */
function readBlocks(events: readonly MessageEvent[]): Block[] {
  const blocks: Block[] = [];
  let open: { block: Block; json: string } | null = null;
  for (const { type, index, content_block, delta } of events) {
    if (type === 'content_block_start') {
      expect(open, 'a block begins when the one before has ended').toBeNull();
      expect(index, 'blocks are counted from 0').toBe(blocks.length);
      open = { block: content_block, json: '' };
      if (content_block.type === 'tool_use') expect(content_block.input).toEqual({});
      continue;
    }
    expect(open, `${type} stands within a block`).not.toBeNull();
    expect(index).toBe(blocks.length);
    const { block, json }: { block: Block; json: string } = open as { block: Block; json: string };
    if (type === 'content_block_delta') open = grow(block, json, delta);
    else {
      expect(type).toBe('content_block_stop');
      blocks.push(
        block.type === 'tool_use' ? { ...block, input: JSON.parse(json || '{}') as object } : block,
      );
      open = null;
    }
  }
  expect(open, 'every block has its stop').toBeNull();
  return blocks;
}

function grow(block: Block, json: string, delta: MessageEvent['delta']): { block: Block; json: string } {
  switch (delta.type) {
    case 'text_delta':
      expect(block.type).toBe('text');
      return { block: { ...block, text: (block.text ?? '') + delta.text }, json };
    case 'thinking_delta':
      expect(block.type).toBe('thinking');
      expect(block.signature, 'the signature ends the thoughts').toBe('');
      return { block: { ...block, thinking: (block.thinking ?? '') + delta.thinking }, json };
    case 'signature_delta':
      expect(block.type).toBe('thinking');
      return { block: { ...block, signature: (block.signature ?? '') + delta.signature }, json };
    default:
      expect(delta.type).toBe('input_json_delta');
      expect(block.type).toBe('tool_use');
      return { block, json: json + delta.partial_json };
  }
}

const finishes: Readonly<Record<string, Finish>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

function answerOf(message: Message): Answer {
  const finish = finishes[message.stop_reason ?? ''];
  if (finish === undefined) throw new Error(`an unknown stop reason: ${message.stop_reason}`);
  // Not every provider tells which one it was.
  if (message.stop_sequence !== null) expect(message.stop_reason).toBe('stop_sequence');
  for (const block of message.content) expect(blockShapes.get(block.type)?.error(block)).toBeNull();
  const of = (type: string): Block[] => message.content.filter((block) => block.type === type);
  const join = (texts: Array<string | undefined>): string => texts.join('');
  return {
    text: join(of('text').map((block) => block.text)),
    reasoning: join(of('thinking').map((block) => block.thinking)),
    // The format tells a refusal by its stop reason alone.
    refusal: '',
    toolCalls: of('tool_use').map(({ id = '', name = '', input }) => ({
      ...{ id, name, arguments: JSON.stringify(input) },
    })),
    images: of('image').map(({ source }) => `data:${source?.media_type};base64,${source?.data}`),
    finish,
    stopSequence: message.stop_sequence,
  };
}

function usageOf(usage: UsageJson): Usage {
  const cached = usage.cache_read_input_tokens ?? 0;
  return {
    input: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
    cached,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.thinking_tokens ?? null,
  };
}
