/** Reads chat completions, whole and streamed. */
import { expect } from 'vitest';
import { ChatCompletion, ChatCompletionChunk } from '../../src/contract/chat-answer.ts';
import { Shape } from '../../src/contract/check-shape.ts';
import { checkChatChunk, checkChatCompletion } from '../support/openai-schemas.ts';
import { type Answer, amountOf, type Finish, type Said, type ToolCall, type Usage } from './neutral-reply.ts';
import { readJson, readSse } from './sse.ts';

interface Message {
  readonly role?: string;
  readonly content?: string | null;
  readonly reasoning_content?: string;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly ToolCallJson[];
  readonly images?: ReadonlyArray<{ image_url: { url: string } }>;
}

interface ToolCallJson {
  readonly index: number;
  readonly id?: string;
  readonly type?: string;
  readonly function: { readonly name?: string; readonly arguments: string };
}

interface UsageJson {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
}

interface Chat {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly choices: ReadonlyArray<{
    readonly index: number;
    readonly message: Message;
    readonly delta: Message;
    readonly finish_reason: Finish | null;
  }>;
  readonly usage?: UsageJson | null;
  readonly estimated_cost?: { amount: string; currency: string } | null;
}

const wholeShape = new Shape(ChatCompletion);
const chunkShape = new Shape(ChatCompletionChunk);

export function readChatWhole(json: unknown, model: string): Said {
  checkChatCompletion(json);
  expect(wholeShape.error(json)).toBeNull();
  const chat = json as Chat;
  expect(chat).toMatchObject({ object: 'chat.completion', model, id: expect.stringMatching(/./) });
  expect(chat.choices.map(({ index }) => index)).toEqual(chat.choices.map((_, i) => i));
  const answers = chat.choices.map(({ message, finish_reason }) => {
    for (const call of message.tool_calls ?? []) expect(call.type).toBe('function');
    return answerOf(message, finish_reason);
  });
  return {
    id: chat.id,
    answers,
    usage: usageOf(chat.usage),
    cost: amountOf(chat.estimated_cost),
    echo: chat.choices[0]?.message,
  };
}

export function readChatStream(text: string, expected: { model: string; hidesUsage: boolean }): Said {
  const frames = readSse(text);
  expect(frames.every(({ event }) => event === '')).toBe(true);
  expect(frames.pop()?.data, 'a chat stream ends with its end marker').toBe('[DONE]');
  const chunks = frames.map(({ data }) => readChunk(data));
  const [first] = chunks;
  const { id, created } = first ?? {};
  expect(id).toMatch(/./);
  for (const chunk of chunks) expect(chunk).toMatchObject({ id, created, model: expected.model });
  const counted = chunks.filter((chunk) => chunk.usage);
  const priced = chunks.filter((chunk) => 'estimated_cost' in chunk);
  const last = chunks.at(-1);
  const shown = expected.hidesUsage ? [] : [last];
  expect(counted, 'usage comes once, at the end').toEqual(shown);
  expect(priced, 'so does the cost').toEqual(shown);
  if (expected.hidesUsage) expect(text).not.toMatch(/"usage"|estimated_cost/);
  const answers = readAnswers(chunks);
  return {
    id: id as string,
    answers: answers.map(({ message, finish }) => answerOf(message, finish)),
    usage: expected.hidesUsage ? null : usageOf(last?.usage),
    cost: expected.hidesUsage ? null : amountOf(last?.estimated_cost),
    echo: answers[0]?.message,
  };
}

function readChunk(data: string): Chat {
  const json = readJson<Chat>(data);
  checkChatChunk(json);
  expect(chunkShape.error(json)).toBeNull();
  // A chunk without choices is how providers send their usage; ours is on the chunk that ends it.
  expect(json.choices, data).not.toHaveLength(0);
  return json;
}

interface Growing {
  message: { -readonly [Name in keyof Message]: Message[Name] };
  calls: ToolCallJson[];
  finish: Finish | null;
}

function readAnswers(chunks: readonly Chat[]): Growing[] {
  const answers = new Map<number, Growing>();
  for (const { index, delta, finish_reason } of chunks.flatMap((chunk) => chunk.choices)) {
    const seen = answers.get(index);
    expect(seen?.finish ?? null, 'nothing follows the finish of an answer').toBeNull();
    expect(delta.role, 'the role comes first, and once').toBe(seen === undefined ? 'assistant' : undefined);
    const answer = seen ?? { message: { role: 'assistant', content: null }, calls: [], finish: null };
    answers.set(index, answer);
    if (finish_reason === null) grow(answer, delta);
    else expect(delta, 'the last chunk says no more than its finish').toEqual({});
    answer.finish = finish_reason;
  }
  const found = [...answers.entries()].toSorted(([a], [b]) => a - b);
  expect(found.map(([index]) => index)).toEqual(found.map((_, i) => i));
  return found.map(([, answer]) => {
    expect(answer.finish, 'every answer has its finish').not.toBeNull();
    const calls = answer.calls.map(({ index: _, ...call }) => call as ToolCallJson);
    return { ...answer, message: { ...answer.message, ...(calls.length > 0 && { tool_calls: calls }) } };
  });
}

function grow({ message, calls }: Growing, delta: Message): void {
  if (typeof delta.content === 'string') message.content = (message.content ?? '') + delta.content;
  if (typeof delta.refusal === 'string') message.refusal = (message.refusal ?? '') + delta.refusal;
  if (delta.reasoning_content !== undefined) {
    message.reasoning_content = (message.reasoning_content ?? '') + delta.reasoning_content;
  }
  if (delta.images !== undefined) message.images = [...(message.images ?? []), ...delta.images];
  for (const fragment of delta.tool_calls ?? []) {
    const call = calls[fragment.index];
    if (call === undefined) {
      expect(fragment.index, 'calls are counted from 0').toBe(calls.length);
      expect(fragment).toMatchObject({ id: expect.stringMatching(/./), type: 'function' });
      expect(fragment.function.name).toMatch(/./);
      calls.push(fragment);
    } else {
      expect(fragment.function.name, 'the name comes with the first fragment').toBeUndefined();
      const grown = call.function.arguments + fragment.function.arguments;
      calls[fragment.index] = { ...call, function: { ...call.function, arguments: grown } };
    }
  }
}

function answerOf(message: Message, finish: Finish | null): Answer {
  expect(message.role).toBe('assistant');
  return {
    text: message.content ?? '',
    reasoning: message.reasoning_content ?? '',
    refusal: message.refusal ?? '',
    toolCalls: (message.tool_calls ?? []).map(toolCallOf),
    images: (message.images ?? []).map((image) => image.image_url.url),
    finish: finish as Finish,
    stopSequence: null,
  };
}

function toolCallOf({ id = '', function: { name = '', arguments: written } }: ToolCallJson): ToolCall {
  return { id, name, arguments: written };
}

function usageOf(usage: UsageJson | null | undefined): Usage {
  if (!usage) throw new Error('no usage');
  expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
  return {
    input: usage.prompt_tokens,
    cached: usage.prompt_tokens_details.cached_tokens,
    output: usage.completion_tokens,
    reasoning: usage.completion_tokens_details.reasoning_tokens,
  };
}
