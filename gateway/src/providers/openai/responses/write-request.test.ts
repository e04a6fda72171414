import { describe, expect, test } from 'vitest';
import { traitsOf } from '../../../catalog/model-families.ts';
import { CannotCarry, EMPTY_CALL, type TextCall, type TextMessage } from '../../../text/text-call.ts';
import { writeResponsesRequest } from './write-request.ts';

const call: TextCall = {
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
  ...EMPTY_CALL,
};

function write(changes: Partial<TextCall>, upstreamModel = 'gpt-4.1'): Record<string, unknown> {
  const takes = traitsOf({ dialect: 'openai', vendor: null, upstreamModel });
  const target = { upstreamModel, outputTokensMax: null, outputCapField: null, makesImages: false, takes };
  return writeResponsesRequest({ ...call, ...changes }, target) as Record<string, unknown>;
}

const input = (...messages: TextMessage[]): unknown => write({ messages }).input;

describe('a call is written as a responses request', () => {
  test("with only the caller's fields, and without storing anything", () => {
    expect(write({})).toEqual({ model: 'gpt-4.1', input: [{ role: 'user', content: 'hi' }], store: false });
  });

  test('with every field that the caller set', () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const schema = { type: 'object' };
    const body = write({
      stream: true,
      tools: [{ name: 'f', description: 'd', parameters, strict: null }],
      toolChoice: { name: 'f' },
      parallelTools: false,
      responseFormat: { type: 'json_schema', name: 'x', description: null, schema, strict: true },
      outputTokensMax: 100,
      temperature: 0.5,
      topP: 0.9,
      reasoning: { effort: 'low', tokensMax: null, shown: true },
      verbosity: 'low',
      user: 'u1',
    });
    expect(body).toMatchObject({
      stream: true,
      tools: [{ type: 'function', name: 'f', description: 'd', parameters, strict: false }],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
      text: { format: { type: 'json_schema', name: 'x', schema, strict: true }, verbosity: 'low' },
      max_output_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      reasoning: { effort: 'low', summary: 'auto' },
      user: 'u1',
    });
  });

  test('with the items of the conversation in order', () => {
    const proof = { dialect: 'openai-responses', value: 'rs_1:gAAA' };
    expect(
      input(
        { role: 'system', text: 'Be brief.' },
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'hm', proof },
            { type: 'text', text: 'Looking.' },
            { type: 'refusal', text: 'Not that.' },
            { type: 'tool_call', id: 'c1', name: 'f', arguments: '{}', proof: null },
          ],
        },
        { role: 'tool', callId: 'c1', parts: [{ type: 'text', text: '42' }], isError: true },
      ),
    ).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: 'gAAA',
      },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'Looking.', annotations: [] },
          { type: 'refusal', refusal: 'Not that.' },
        ],
      },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'Error: 42' },
    ]);
  });

  test('with images and files, also in tool results', () => {
    const image = { type: 'image', source: { kind: 'url', url: 'https://x/y.png' }, detail: 'low' } as const;
    const file = {
      type: 'file',
      source: { kind: 'data', mediaType: 'application/pdf', base64: 'AA==' },
      name: 'a.pdf',
    } as const;
    const written = [
      { type: 'input_image', image_url: 'https://x/y.png', detail: 'low' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
    ];
    expect(input({ role: 'user', parts: [image, file] })).toEqual([{ role: 'user', content: written }]);
    expect(input({ role: 'tool', callId: 'c', parts: [image, file], isError: false })).toEqual([
      { type: 'function_call_output', call_id: 'c', output: written },
    ]);
  });

  test('without reasoning that this provider did not encrypt', () => {
    const parts = [null, { dialect: 'anthropic', value: 'x' }].map((proof) => ({
      type: 'reasoning' as const,
      text: 'hm',
      proof,
    }));
    expect(input({ role: 'assistant', parts })).toEqual([]);
  });

  test.each([
    ['gpt-5-mini', null, true],
    ['o4-mini', null, true],
    ['openai/gpt-5', null, true],
    ['gpt-4.1', { effort: 'low', tokensMax: null, shown: false }, false],
    ['gpt-5-chat-latest', { effort: 'low', tokensMax: null, shown: false }, false],
    ['my-deployment', null, false],
    ['my-deployment', { effort: 'low', tokensMax: null, shown: false }, true],
  ])('that requests encrypted reasoning from %s with reasoning %o: %s', (model, reasoning, asks) => {
    const { include } = write({ reasoning }, model);
    expect(include).toEqual(asks ? ['reasoning.encrypted_content'] : undefined);
  });
});

test.each<[keyof TextCall, Partial<TextCall>]>([
  ['topK', { topK: 5 }],
  ['stop', { stop: ['x'] }],
  ['answers', { answers: 2 }],
  ['seed', { seed: 1 }],
  ['frequencyPenalty', { frequencyPenalty: 1 }],
  ['presencePenalty', { presencePenalty: 1 }],
  ['outputTokensMax', { outputTokensMax: 15 }],
])('%s is rejected, not dropped', (field, changes) => {
  expect(() => write(changes)).toThrow(CannotCarry);
  expect(() => write(changes)).toThrow(expect.objectContaining({ field }));
});
