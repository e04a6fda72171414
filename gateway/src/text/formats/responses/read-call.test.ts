import { describe, expect, test } from 'vitest';
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { readResponsesCall } from './read-call.ts';
import { readResponsesFeatures, readResponsesPrompt } from './read-features.ts';
import { sealProof } from './sealed-proof.ts';

type Item = Exclude<ResponsesRequest['input'], string>[number];
const good: ResponsesRequest = { model: 'm', input: 'hi' };
const messages = (...input: object[]): unknown =>
  readResponsesCall({ ...good, input: input as unknown as Item[] }).messages;

describe('a responses request is read', () => {
  test('with instructions before a plain input', () => {
    expect(readResponsesCall({ ...good, instructions: 'Be brief.' }).messages).toEqual([
      { role: 'system', text: 'Be brief.' },
      { role: 'user', parts: [{ type: 'text', text: 'hi' }], at: 'input' },
    ]);
  });

  test('with the items of one model turn as one message, in order', () => {
    expect(
      messages(
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'input_text', text: 'x' }] },
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
            { type: 'output_text', text: 'Looking.' },
            { type: 'refusal', refusal: 'No.' },
          ],
        },
        { type: 'web_search_call', id: 'ws_1' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '' },
        { type: 'function_call_output', call_id: 'c1', output: '42' },
        { role: 'assistant', content: 'Done.' },
      ),
    ).toEqual([
      { role: 'system', text: 'Be brief.', at: 'input[0]' },
      { role: 'user', parts: [{ type: 'text', text: 'x' }], at: 'input[1]' },
      {
        role: 'assistant',
        at: 'input[5]',
        parts: [
          { type: 'reasoning', text: 'hm', proof: { dialect: 'openai-responses', value: 'rs_1:gAAA' } },
          { type: 'text', text: 'Looking.' },
          { type: 'refusal', text: 'No.' },
          {
            type: 'tool_call',
            id: 'c1',
            name: 'f',
            arguments: '{}',
            proof: null,
            at: 'input[5].arguments',
          },
        ],
      },
      { role: 'tool', callId: 'c1', parts: [{ type: 'text', text: '42' }], isError: false, at: 'input[6]' },
      { role: 'assistant', parts: [{ type: 'text', text: 'Done.' }], at: 'input[7]' },
    ]);
  });

  test('with the proofs of reasoning and of tool calls', () => {
    const thought = { dialect: 'anthropic', value: 'a.b:c' };
    const proof = { dialect: 'google', value: 'sig' };
    const sealed = (encrypted_content: string) => ({ type: 'reasoning', summary: [], encrypted_content });
    expect(
      messages(
        sealed(sealProof(thought, 'reasoning')),
        sealed(sealProof(proof, 'call')),
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        { type: 'function_call', call_id: 'c2', name: 'f', arguments: '{}' },
      ),
    ).toMatchObject([
      {
        parts: [
          { type: 'reasoning', text: '', proof: thought },
          { type: 'tool_call', id: 'c1', proof },
          { type: 'tool_call', id: 'c2', proof: null },
        ],
      },
    ]);
  });

  test('with images and files, and generated images', () => {
    expect(
      messages(
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'low' },
            { type: 'input_file', file_data: 'data:application/pdf;base64,BB==', filename: 'a.pdf' },
            { type: 'input_file', file_url: 'https://x/b.pdf' },
          ],
        },
        { type: 'image_generation_call', id: 'ig_1', result: '/9j/AA' },
      ),
    ).toMatchObject([
      {
        role: 'user',
        parts: [
          { type: 'image', source: { kind: 'data', mediaType: 'image/png', base64: 'AA==' }, detail: 'low' },
          {
            type: 'file',
            source: { kind: 'data', mediaType: 'application/pdf', base64: 'BB==' },
            name: 'a.pdf',
          },
          { type: 'file', source: { kind: 'url', url: 'https://x/b.pdf' }, name: null },
        ],
      },
      { role: 'assistant', parts: [{ type: 'image', mediaType: 'image/jpeg', base64: '/9j/AA' }] },
    ]);
  });

  test.each<[string, Partial<ResponsesRequest>]>([
    ['text.format', { text: { format: { type: 'json_schema', name: 'x', schema: {}, strict: true } } }],
    [
      'response_format',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {}, strict: true } } },
    ],
  ])('with the format of %s', (_, more) => {
    const expected = { type: 'json_schema', name: 'x', description: null, schema: {}, strict: true };
    expect(readResponsesCall({ ...good, ...more }).responseFormat).toEqual(expected);
    expect(readResponsesFeatures({ ...good, ...more }).responseFormat).toBe('json_schema');
  });

  test.each<[NonNullable<ResponsesRequest['reasoning']>, unknown]>([
    [{ effort: 'low' }, { effort: 'low', tokensMax: null, shown: false }],
    [{ summary: 'auto' }, { effort: null, tokensMax: null, shown: true }],
    [{ effort: null, summary: null }, null],
    [{}, null],
  ])('with reasoning %o as %o', (reasoning, expected) => {
    expect(readResponsesCall({ ...good, reasoning }).reasoning).toEqual(expected);
  });
});

describe('a translation', () => {
  test.each<[string, object]>([
    ['top_logprobs', { top_logprobs: 2 }],
    ['include', { include: ['message.output_text.logprobs'] }],
    ['truncation', { truncation: 'auto' }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['max_tool_calls', { max_tool_calls: 3 }],
    ['reasoning.context', { reasoning: { context: 'all_turns' } }],
    ['text.stop', { text: { stop: 'x' } }],
    ['tools[0].type', { tools: [{ type: 'code_interpreter' }] }],
    ['tools[0].type', { tools: [{ type: 'web_search' }], tool_choice: 'required' }],
    [
      'tools[0].tools[0].type',
      { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'web_search', name: 'c' }] }] },
    ],
    ['tool_choice', { tool_choice: { type: 'web_search' } }],
    ['input[0].type', { input: [{ type: 'computer_call' }] }],
    ['input[0].content[0].type', { input: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }],
  ])('rejects %s, naming the field', (param, more) => {
    expect(() => readResponsesCall({ ...good, ...more } as ResponsesRequest)).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', param }),
    );
  });

  test('ignores fields that do not affect the answer', () => {
    const more = {
      store: true,
      background: false,
      include: ['reasoning.encrypted_content', 'web_search_call.action.sources'],
      metadata: { a: 'b' },
      truncation: 'disabled',
      service_tier: 'auto',
      prompt_cache_key: 'k',
      previous_response_id: 'resp_1',
      stream_options: { include_obfuscation: false },
      top_logprobs: 0,
      conversation: null,
      prompt: null,
      client_metadata: { session_id: 's' },
      tools: [{ type: 'web_search', external_web_access: true }],
      tool_choice: 'auto',
      frequency_penalty: 0,
    } as const;
    expect(() => readResponsesCall({ ...good, ...more } as unknown as ResponsesRequest)).not.toThrow();
  });
});

test('features count items, find images everywhere, and count only function tools', () => {
  const image = { type: 'input_image', image_url: 'https://x/y.png' };
  const input: Item[] = [
    { role: 'user', content: 'x' },
    { type: 'function_call_output', call_id: 'c', output: [image] },
  ];
  const features = readResponsesFeatures({ ...good, input, tools: [{ type: 'web_search' }] });
  expect(features).toMatchObject({ messages: 2, images: 1, hasTools: false, answers: 1 });
  expect(readResponsesFeatures({ ...good, tools: [{ type: 'function', name: 'f' }] }).hasTools).toBe(true);
});

test('the texts of a prompt are everything that a model reads', () => {
  const input: Item[] = [
    { role: 'user', content: [{ type: 'input_text', text: 'a' }] },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'b' }] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"x":1}' },
    { type: 'function_call_output', call_id: 'c', output: 'd' },
  ];
  expect(readResponsesPrompt({ ...good, instructions: 'i', input })).toEqual([
    'i',
    'a',
    'b',
    'f',
    '{"x":1}',
    'd',
  ]);
});
