import { describe, expect, test } from 'vitest';
import { CannotCarry, type InputPart, type TextCall, type TextMessage } from '../../text/text-call.ts';
import { writeBedrockRequest } from './write-request.ts';

const asked: TextMessage = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] };

const plain: TextCall = {
  messages: [asked],
  stream: false,
  tools: [],
  toolChoice: null,
  parallelTools: null,
  responseFormat: { type: 'text' },
  outputTokensMax: null,
  temperature: null,
  topP: null,
  topK: null,
  stop: [],
  answers: 1,
  reasoning: null,
  seed: null,
  frequencyPenalty: null,
  presencePenalty: null,
  verbosity: null,
  user: null,
};

const write = (
  changes: Partial<TextCall>,
  upstreamModel = 'eu.anthropic.claude-sonnet-4-5-v1:0',
): Record<string, unknown> =>
  writeBedrockRequest({ ...plain, ...changes }, { upstreamModel }) as Record<string, unknown>;

const call = (id: string, args = '{}') =>
  ({ type: 'tool_call', id, name: `tool_${id}`, arguments: args, proof: null }) as const;

const tool = { name: 'f', description: null, parameters: null, strict: null };

test('a call without optional fields sends no optional fields', () => {
  expect(write({})).toEqual({ messages: [{ role: 'user', content: [{ text: 'Hi' }] }] });
});

describe('messages', () => {
  test('start with the system instructions, are merged by role, and have no empty texts', () => {
    const messages: TextMessage[] = [
      { role: 'system', text: 'Be brief.' },
      asked,
      { role: 'user', parts: [{ type: 'text', text: ' ' }] },
      asked,
      { role: 'assistant', parts: [{ type: 'text', text: '' }] },
      { role: 'assistant', parts: [{ type: 'refusal', text: 'No.' }] },
      asked,
    ];
    expect(write({ messages })).toEqual({
      system: [{ text: 'Be brief.' }],
      messages: [
        { role: 'user', content: [{ text: 'Hi' }, { text: 'Hi' }] },
        { role: 'assistant', content: [{ text: 'No.' }] },
        { role: 'user', content: [{ text: 'Hi' }] },
      ],
    });
    expect(write({ messages: [asked, { role: 'system', text: 'Late.' }] })).toEqual({
      messages: [
        { role: 'user', content: [{ text: '<system-reminder>\nLate.\n</system-reminder>' }, { text: 'Hi' }] },
      ],
    });
  });

  const data = (mediaType: string) => ({ kind: 'data', mediaType, base64: 'AAAA' }) as const;
  const withPart = (part: InputPart): Record<string, unknown> =>
    write({ messages: [{ role: 'user', parts: [part] }] });

  test('carry images and documents inline, but not by URL', () => {
    expect(withPart({ type: 'image', source: data('image/png'), detail: null })).toMatchObject({
      messages: [{ content: [{ image: { format: 'png', source: { bytes: 'AAAA' } } }] }],
    });
    const name = '  보고서_2026.final   (1).pdf';
    expect(withPart({ type: 'file', source: data('application/pdf'), name })).toMatchObject({
      messages: [
        {
          content: [
            { document: { format: 'pdf', name: '----2026-final (1)-pdf', source: { bytes: 'AAAA' } } },
          ],
        },
      ],
    });
    const source = { kind: 'url', url: 'https://example.com/a.png' } as const;
    for (const part of [
      { type: 'image', source, detail: null },
      { type: 'image', source: data('image/bmp'), detail: null },
      { type: 'file', source, name: null },
      { type: 'file', source: data('application/zip'), name: null },
    ] as const) {
      expect(() => withPart(part)).toThrow(expect.objectContaining({ field: part.type }));
    }
  });

  test('match results to their calls, including images, and mark failed results', () => {
    const picture: InputPart = { type: 'image', source: data('image/webp'), detail: null };
    const messages: TextMessage[] = [
      asked,
      { role: 'assistant', parts: [call('a', '{"city":"Seoul"}'), call('b')] },
      { role: 'tool', callId: 'a', isError: false, parts: [{ type: 'text', text: '21' }, picture] },
      { role: 'tool', callId: 'b', isError: true, parts: [] },
    ];
    expect(write({ messages, tools: [tool] }).messages).toEqual([
      { role: 'user', content: [{ text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { toolUse: { toolUseId: 'a', name: 'tool_a', input: { city: 'Seoul' } } },
          { toolUse: { toolUseId: 'b', name: 'tool_b', input: {} } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            toolResult: {
              toolUseId: 'a',
              content: [{ text: '21' }, { image: { format: 'webp', source: { bytes: 'AAAA' } } }],
            },
          },
          { toolResult: { toolUseId: 'b', content: [], status: 'error' } },
        ],
      },
    ]);
    const broken: TextMessage = { role: 'assistant', parts: [call('a', 'not json')] };
    expect(() => write({ messages: [asked, broken] })).toThrow(CannotCarry);
  });

  test('return reasoning that Bedrock signed or encrypted and leave out all other', () => {
    const thought = (text: string, dialect: string, value: string) =>
      ({ type: 'reasoning', text, proof: { dialect, value } }) as const;
    const parts = [
      thought('Hm.', 'bedrock', 'c2ln'),
      thought('', 'bedrock', 'sealed:c2VhbGVk'),
      thought('Foreign.', 'anthropic', 'zzz'),
      { type: 'reasoning', text: 'Unsigned.', proof: null },
    ] as const;
    const { messages } = write({ messages: [asked, { role: 'assistant', parts }] });
    expect((messages as Array<{ content: unknown }>)[1]?.content).toEqual([
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: 'c2VhbGVk' } },
    ]);
  });
});

describe('settings', () => {
  test("are sent under Bedrock's field names", () => {
    expect(write({ outputTokensMax: 100, temperature: 0, topP: 0.5, stop: ['END'] }).inferenceConfig).toEqual(
      {
        maxTokens: 100,
        temperature: 0,
        topP: 0.5,
        stopSequences: ['END'],
      },
    );
  });

  test.each([
    ['auto', { auto: {} }],
    ['required', { any: {} }],
    [{ name: 'f' }, { tool: { name: 'f' } }],
  ] as const)('tools are sent with their schemas, and the choice %o becomes %o', (toolChoice, written) => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const tools = [{ name: 'f', description: 'Does it', parameters, strict: null }, tool];
    expect(write({ tools, toolChoice }).toolConfig).toEqual({
      tools: [
        { toolSpec: { name: 'f', description: 'Does it', inputSchema: { json: parameters } } },
        { toolSpec: { name: 'f', inputSchema: { json: { type: 'object', properties: {} } } } },
      ],
      toolChoice: written,
    });
  });

  test('the choice "none" sends no tools, and is rejected if the history has tool calls', () => {
    expect(write({ tools: [tool], toolChoice: 'none' })).not.toHaveProperty('toolConfig');
    const messages: TextMessage[] = [asked, { role: 'assistant', parts: [call('a')] }];
    expect(() => write({ messages, tools: [tool], toolChoice: 'none' })).toThrow(
      expect.objectContaining({ field: 'toolChoice' }),
    );
  });

  test('the end user, the effort and penalties of zero are left out', () => {
    const reasoning = { effort: 'low', tokensMax: null, shown: true };
    const said = { user: 'someone', reasoning, frequencyPenalty: 0, presencePenalty: 0 };
    expect(write(said)).toEqual(write({}));
  });

  test.each<[string, Partial<TextCall>]>([
    ['topK', { topK: 40 }],
    ['seed', { seed: 0 }],
    ['answers', { answers: 2 }],
    ['frequencyPenalty', { frequencyPenalty: 0.5 }],
    ['presencePenalty', { presencePenalty: 1 }],
    ['verbosity', { verbosity: 'low' }],
    ['responseFormat', { responseFormat: { type: 'json_object' } }],
    ['parallelTools', { parallelTools: false, tools: [tool, { ...tool, name: 'other' }] }],
  ])('%s is rejected, naming the field', (field, changes) => {
    expect(() => write(changes)).toThrow(expect.objectContaining({ field }));
  });
});

describe('markers for the prompt cache', () => {
  const text = (value: string, cache?: '5m' | '1h') =>
    ({ type: 'text', text: value, ...(cache !== undefined && { cache }) }) as const;
  const marked: Partial<TextCall> = {
    messages: [
      { role: 'system', text: 'S', cache: '1h' },
      { role: 'user', parts: [text('a', '5m'), text('b')] },
      { role: 'assistant', parts: [call('1')] },
      { role: 'tool', callId: '1', parts: [text('r')], isError: false, cache: '5m' },
    ],
    tools: [tool, { ...tool, name: 'g', cache: '5m' }],
  };
  const point = { cachePoint: { type: 'default' } };

  test('become blocks behind what they mark', () => {
    const { system, messages, toolConfig } = write(marked) as {
      system: object[];
      messages: Array<{ content: object[] }>;
      toolConfig: { tools: object[] };
    };
    expect(system).toEqual([{ text: 'S' }, { cachePoint: { type: 'default', ttl: '1h' } }]);
    expect(messages[0]?.content).toEqual([{ text: 'a' }, point, { text: 'b' }]);
    expect(messages[2]?.content[1]).toEqual(point);
    expect(toolConfig.tools.map((block) => Object.keys(block)[0])).toEqual([
      ...['toolSpec', 'toolSpec', 'cachePoint'],
    ]);
  });

  test('are left out for models that reject them', () => {
    expect(JSON.stringify(write(marked, 'meta.llama3-70b'))).not.toContain('cachePoint');
    expect(JSON.stringify(write(marked, 'us.amazon.nova-pro-v1:0'))).toContain('cachePoint');
  });
});
