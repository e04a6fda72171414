import { expect, test } from 'vitest';
import type { MessagesRequest } from '../../../contract/messages.ts';
import { parseJsonObject } from '../../../json/parse-json.ts';
import { parseUnits } from '../../../kernel/units.ts';
import { relayMessagesRequest } from './relay-request.ts';
import { relayMessagesAnswer } from './relay-response.ts';
import { writeMessagesAnswer } from './write-answer.ts';

const request: MessagesRequest = { model: 'ours', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] };
const context = { request, callId: 'req_AbC', model: 'ours', createdSeconds: 1, answers: 1 };
const usage = {
  inputTokens: 10,
  cachedInputTokens: 3,
  cacheWriteTokens: 2,
  outputTokens: 7,
  reasoningTokens: 0,
};
const end = { usage, cost: parseUnits('0.25') };

test('a translated message has its blocks in order, the usage without what was cached, and the cost', () => {
  const finish = { reason: 'stop_sequence', stopSequence: 'END', raw: 'stop' } as const;
  const written = writeMessagesAnswer(
    {
      answers: [
        {
          parts: [
            { type: 'reasoning', text: 'Hm.', proof: null },
            { type: 'reasoning', text: '', proof: { dialect: 'google', value: 'dg==' } },
            { type: 'text', text: 'Hi' },
            { type: 'refusal', text: 'No.' },
            { type: 'tool_call', id: 'a', name: 'f', arguments: '{"x":1}', proof: null },
            {
              type: 'tool_call',
              id: 'b',
              name: 'f',
              arguments: '{"half',
              proof: { dialect: 'google', value: 'dg==' },
            },
            { type: 'image', mediaType: 'image/png', base64: 'aQ==' },
          ],
          finish,
        },
      ],
      usage,
    },
    context,
    end,
  );
  expect(JSON.parse(written)).toEqual({
    id: 'msg_AbC',
    type: 'message',
    role: 'assistant',
    model: 'ours',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'redacted_thinking', data: 'google.dg==' },
      { type: 'text', text: 'Hi' },
      { type: 'text', text: 'No.' },
      { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
      { type: 'redacted_thinking', data: 'call.google.dg==' },
      { type: 'tool_use', id: 'b', name: 'f', input: {} },
    ],
    stop_reason: 'stop_sequence',
    stop_sequence: 'END',
    usage: {
      input_tokens: 5,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 3,
      output_tokens: 7,
      service_tier: 'standard',
    },
    estimated_cost: expect.objectContaining({ amount: '0.25' }),
  });
});

test('an empty answer is a message without blocks, and an unknown cost is null', () => {
  const finish = { reason: 'stop', stopSequence: null, raw: 'stop' } as const;
  const result = { answers: [{ parts: [{ type: 'text', text: '' } as const], finish }], usage };
  expect(JSON.parse(writeMessagesAnswer(result, context, { usage, cost: null }))).toMatchObject({
    content: [],
    stop_reason: 'end_turn',
    stop_sequence: null,
    estimated_cost: null,
  });
});

const relayed =
  '{ "id":"msg_1","type":"message", "model":"up","content":[{"type":"text","text":"안녕","model":"up"}],';
const rest = '"stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":7},"new":[1.0]}';

test('a relayed message keeps its bytes except for our model code and the cost', () => {
  const answer = relayMessagesAnswer(Buffer.from(relayed + rest), context);
  expect(answer?.usage).toMatchObject({ inputTokens: 5, outputTokens: 7 });
  expect([answer?.finishReason, answer?.texts()]).toEqual(['end_turn', ['안녕']]);
  const shown = Buffer.from(answer?.body(end) ?? '', 'latin1').toString('utf8');
  const expected = (relayed + rest).replace('"model":"up"', '"model":"ours"');
  expect(shown.startsWith(`${expected.slice(0, -1)},"estimated_cost":{"amount":"0.25"`)).toBe(true);
});

test('a relayed message without usage has the counted usage', () => {
  const answer = relayMessagesAnswer(Buffer.from('{"type":"message","content":[]}'), context);
  expect(answer?.usage).toBeNull();
  expect(JSON.parse(answer?.body(end) ?? '')).toMatchObject({ usage: { input_tokens: 5, output_tokens: 7 } });
});

test.each([
  '',
  '[]',
  '{"type":"error","error":{}}',
  '{"type":"message"}',
  '{"type":"message","content":"x"}',
])('%j is not a message', (bytes) => {
  expect(relayMessagesAnswer(Buffer.from(bytes), context)).toBeNull();
});

test('a relayed request keeps its bytes except for the model name', () => {
  const limits = { depthMax: 9, keysMax: 99, valuesMax: 99 };
  const text = '{"model": "ours" , "max_tokens":1e2, "messages":[{"model":"ours"}], "new":"글"}';
  const body = parseJsonObject(Buffer.from(text), limits);
  expect(relayMessagesRequest(body, { upstreamModel: 'up' }).toString()).toBe(text.replace('"ours"', '"up"'));
  expect(relayMessagesRequest(body, { upstreamModel: 'ours' })).toBe(body.bytes);
});
