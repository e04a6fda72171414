/** What servers of the same protocol do differently, as each of them wants to be asked. */

import { describe, expect, test } from 'vitest';
import { vendorNames } from '../../../catalog/dialects/dialects.ts';
import { chatVendors, compatibleChat, openaiChat } from '../../../catalog/dialects/openai/chat-vendors.ts';
import { fitCall } from '../../../catalog/fit-call.ts';
import { traitsOf } from '../../../catalog/model-families.ts';
import { unknownTraits } from '../../../catalog/model-traits.ts';
import { parseJsonObject } from '../../../json/parse-json.ts';
import { relayChatRequest } from '../../../text/formats/chat/relay-request.ts';
import { CannotCarry, EMPTY_CALL, type OutputPart, type TextCall } from '../../../text/text-call.ts';
import { writeChatRequest } from './write-request.ts';

const call: TextCall = {
  ...EMPTY_CALL,
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
  stream: true,
  outputTokensMax: 9,
  seed: 7,
};
const target = {
  upstreamModel: 'up',
  outputTokensMax: null,
  outputCapField: null,
  makesImages: false,
  takes: unknownTraits,
};

type Server = keyof typeof chatVendors | 'openai' | 'compatible';
const rulesOf = (server: Server) => {
  if (server === 'openai') return openaiChat;
  return server === 'compatible' ? compatibleChat : chatVendors[server].chat;
};

function write(vendor: Server, changes: Partial<TextCall> = {}, model?: string): Record<string, unknown> {
  const known = vendor === 'openai' || vendor === 'compatible' ? null : vendor;
  const dialect = vendor === 'openai' ? 'openai' : 'openai-compatible';
  const takes =
    model === undefined ? unknownTraits : traitsOf({ dialect, vendor: known, upstreamModel: model });
  const fitted = fitCall({ ...call, ...changes }, takes);
  return writeChatRequest(fitted, { ...target, takes }, rulesOf(vendor)) as Record<string, unknown>;
}

describe('a translated call', () => {
  test('every vendor of the catalogue has a row', () => {
    expect(Object.keys(chatVendors)).toEqual(expect.arrayContaining([...vendorNames]));
  });

  test.each([
    ['openai', 'max_completion_tokens'],
    ['compatible', 'max_tokens'],
    ['vllm', 'max_tokens'],
    ['groq', 'max_completion_tokens'],
    ['mistral', 'max_tokens'],
    ['deepseek', 'max_tokens'],
  ] as const)('caps the output of %s in %s, unless the catalogue sets another field', (vendor, field) => {
    expect(write(vendor)[field]).toBe(9);
    const named = { ...target, outputCapField: 'max_tokens' } as const;
    expect(writeChatRequest(call, named, rulesOf(vendor))).toMatchObject({ max_tokens: 9 });
  });

  test('requests the usage of a stream, except from servers that reject it', () => {
    expect(write('openai').stream_options).toEqual({ include_usage: true });
    expect(write('mistral')).not.toHaveProperty('stream_options');
  });

  test('sends "any" and "random_seed" to the server that uses these names', () => {
    expect(write('mistral', { toolChoice: 'required' })).toMatchObject({
      tool_choice: 'any',
      random_seed: 7,
    });
    expect(write('openai', { toolChoice: 'required' })).toMatchObject({ tool_choice: 'required', seed: 7 });
  });

  test('returns earlier reasoning in the field that a server reads, or not at all', () => {
    const thoughts = { type: 'reasoning', text: 'hm', proof: null } as const;
    const messages = [{ role: 'assistant', parts: [thoughts, { type: 'text', text: 'yes' }] }] as const;
    const said = (vendor: Server): unknown => (write(vendor, { messages }).messages as unknown[])[0];
    expect(said('deepseek')).toMatchObject({ reasoning_content: 'hm' });
    expect(said('openrouter')).toMatchObject({ reasoning: 'hm' });
    expect(said('openai')).toEqual({ role: 'assistant', content: 'yes' });
  });

  test('sends the end user to servers with a field for it, as a digest if it is long', () => {
    const named = (vendor: 'openai' | 'mistral', user: string): unknown =>
      (write(vendor, { user }) as { user?: unknown }).user;
    expect(named('openai', 'a'.repeat(64))).toBe('a'.repeat(64));
    expect(named('openai', '{"device_id":"d"}'.repeat(9))).toMatch(/^[0-9a-f]{64}$/);
    expect(named('mistral', 'ann')).toBeUndefined();
  });

  test('sends no tool choice without tools', () => {
    expect(write('openai', { toolChoice: 'auto' })).not.toHaveProperty('tool_choice');
    expect(write('openai', { toolChoice: 'required' })).toMatchObject({ tool_choice: 'required' });
  });

  const effort = (words: string) => ({ reasoning: { effort: words, tokensMax: null, shown: true } });

  test.each([
    ['openai', 'gpt-5', 'none', { reasoning_effort: 'minimal' }],
    ['openai', 'gpt-5.1', 'none', { reasoning_effort: 'none' }],
    ['openai', 'gpt-5.1', 'max', { reasoning_effort: 'high' }],
    ['openai', 'gpt-6-astra', 'none', { reasoning_effort: 'low' }],
    ['openai', 'gpt-4.1', 'high', {}],
    ['deepseek', 'deepseek-v4-pro', 'low', { thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
    ['deepseek', 'deepseek-v4-pro', 'none', { thinking: { type: 'disabled' } }],
    ['mistral', 'mistral-small-2603', 'low', { reasoning_effort: 'high' }],
    ['mistral', 'mistral-small-2603', 'none', { reasoning_effort: 'none' }],
    ['mistral', 'magistral-medium-latest', 'low', {}],
    ['mistral', 'open-mistral-nemo', 'high', {}],
    ['groq', 'qwen/qwen3-32b', 'high', {}],
    ['groq', 'qwen/qwen3-32b', 'none', { reasoning_effort: 'none' }],
    ['groq', 'openai/gpt-oss-20b', 'none', { reasoning_effort: 'low' }],
    ['xai', 'grok-4.6', 'max', { reasoning_effort: 'xhigh' }],
    ['xai', 'grok-4.20-0309-reasoning', 'high', {}],
    ['vllm', 'anything', 'xhigh', { reasoning_effort: 'xhigh' }],
  ] as const)('to %s, %s with the effort %s has %o', (vendor, model, words, expected) => {
    const { reasoning_effort, thinking } = write(vendor, effort(words), model);
    const sent = {
      ...(thinking !== undefined && { thinking }),
      ...(reasoning_effort !== undefined && { reasoning_effort }),
    };
    expect(sent).toEqual(expected);
  });

  test('thinking that a messages caller switched off is not mentioned to servers that may not know the word', () => {
    const off = { reasoning: { effort: 'none', tokensMax: null, shown: false, implied: true } } as const;
    expect(write('vllm', off, 'anything')).not.toHaveProperty('reasoning_effort');
    expect(write('openai', off, 'gpt-5.6')).toMatchObject({ reasoning_effort: 'none' });
  });

  test('DeepSeek thinks only if the thoughts before earlier calls are there, and no tool is required', () => {
    const called = { type: 'tool_call', id: 'c', name: 'f', arguments: '{}', proof: null } as const;
    const thoughts = { type: 'reasoning', text: 'hm', proof: null } as const;
    const tools = [{ name: 'f', description: null, parameters: null, strict: null }];
    const thinking = (changes: Partial<TextCall>): unknown =>
      write('deepseek', { tools, ...changes }, 'deepseek-v4-pro').thinking;
    const behind = (...parts: OutputPart[]): Partial<TextCall> => ({
      messages: [...call.messages, { role: 'assistant', parts }],
    });
    expect(thinking(behind(called))).toEqual({ type: 'disabled' });
    expect(thinking(behind(thoughts, called))).toBeUndefined();
    expect(thinking({ toolChoice: 'required' })).toEqual({ type: 'disabled' });
    expect(thinking({ toolChoice: 'required', ...effort('high') })).toEqual({ type: 'disabled' });
  });

  test('a message without content is an empty text', () => {
    const messages = [
      { role: 'user', parts: [] },
      { role: 'assistant', parts: [] },
    ] as const;
    expect(write('openai', { messages }).messages).toEqual([
      { role: 'user', content: '' },
      { role: 'assistant', content: '' },
    ]);
  });

  test.each([
    ['openai', 'gpt-5.6', 'stop', { stop: ['x'] }],
    ['xai', 'grok-4.6', 'presencePenalty', { presencePenalty: 1 }],
    [
      'mistral',
      'mistral-large-2512',
      'messages',
      { messages: [{ role: 'assistant', parts: [{ type: 'text', text: 'x' }] }] },
    ],
  ] as const)(
    'what %s does not take for %s is rejected, naming the field: %s',
    (vendor, model, field, changes) => {
      expect(() => write(vendor, changes as Partial<TextCall>, model)).toThrow(
        expect.objectContaining({ field }),
      );
    },
  );

  test.each([
    ['openai', 'topK', { topK: 3 }],
    ['ollama', 'answers', { answers: 2 }],
    [
      'deepseek',
      'responseFormat',
      { responseFormat: { type: 'json_schema', name: null, description: null, schema: {}, strict: null } },
    ],
    ['openai', 'stop', { stop: ['a', 'b', 'c', 'd', 'e'] }],
  ] as const)('what %s does not support is rejected, naming the field: %s', (vendor, field, changes) => {
    expect(() => write(vendor, changes as Partial<TextCall>)).toThrow(CannotCarry);
    expect(() => write(vendor, changes as Partial<TextCall>)).toThrow(expect.objectContaining({ field }));
  });
});

describe('a relayed body', () => {
  const relay = (body: object, changes: object): Record<string, unknown> => {
    const limits = { depthMax: 64, keysMax: 100, valuesMax: 100 };
    const parsed = parseJsonObject(Buffer.from(JSON.stringify(body)), limits);
    const to = { upstreamModel: 'up', outputCapField: null, asksUsage: true, ...changes };
    return JSON.parse(relayChatRequest(parsed, to as Parameters<typeof relayChatRequest>[1]).toString());
  };
  const body = { max_tokens: 5, model: 'ours', stream: true, 'a"b': { x: [1, 2] }, messages: [] };

  test('has its output cap moved to the field the model reads, and nothing else changed', () => {
    const { max_tokens: _, ...rest } = body;
    const moved = relay({ ...body, stream: false }, { outputCapField: 'max_completion_tokens' });
    expect(moved).toEqual({ ...rest, stream: false, model: 'up', max_completion_tokens: 5 });
    const back = relay(
      { ...rest, stream: false, max_completion_tokens: 6 },
      { outputCapField: 'max_tokens' },
    );
    expect(back).toEqual({ ...rest, stream: false, model: 'up', max_tokens: 6 });
  });

  test('has no stream_options for servers that reject them', () => {
    expect(relay({ ...body, stream_options: { include_usage: true } }, { asksUsage: false })).toEqual({
      ...body,
      model: 'up',
    });
  });
});
