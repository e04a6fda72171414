import { describe, expect, test } from 'vitest';
import { fitCall } from '../../catalog/fit-call.ts';
import { traitsOf } from '../../catalog/model-families.ts';
import {
  CannotCarry,
  EMPTY_CALL,
  type InputPart,
  type TextCall,
  type TextMessage,
} from '../../text/text-call.ts';
import { writeBedrockRequest } from './write-request.ts';

const asked: TextMessage = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] };

const plain: TextCall = {
  messages: [asked],
  ...EMPTY_CALL,
};

const CLAUDE = 'eu.anthropic.claude-sonnet-4-5-v1:0';
const NOVA = 'us.amazon.nova-pro-v1:0';
const LLAMA = 'meta.llama3-70b';

const write = (
  changes: Partial<TextCall>,
  upstreamModel = CLAUDE,
  structured = true,
): Record<string, unknown> => {
  const takes = traitsOf({ dialect: 'bedrock', vendor: null, upstreamModel });
  const target = { upstreamModel, structured, takes, outputTokensMax: null };
  return writeBedrockRequest(fitCall({ ...plain, ...changes }, takes), target) as Record<string, unknown>;
};

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
            // Converse requires a text beside a document.
            { text: '----2026-final (1)-pdf' },
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
          { toolResult: { toolUseId: 'b', content: [{ text: '(no output)' }], status: 'error' } },
        ],
      },
    ]);
    // Results of other makers' models hold only text.
    expect(write({ messages, tools: [tool] }, LLAMA).messages).toMatchObject([
      {},
      {},
      {
        content: [
          { toolResult: { content: [{ text: '21' }, { text: expect.stringContaining('image 1') }] } },
          { toolResult: { toolUseId: 'b' } },
          { text: 'Image 1 of the result of the tool call a (tool_a):' },
          { image: { format: 'webp' } },
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
    const said = { outputTokensMax: 100, temperature: 0, topP: 0.5, stop: ['END'] };
    const config = { maxTokens: 100, temperature: 0, stopSequences: ['END'] };
    expect(write(said, NOVA).inferenceConfig).toEqual({ ...config, topP: 0.5 });
    // Claude takes one of the two.
    expect(write(said).inferenceConfig).toEqual(config);
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

  const history: TextMessage[] = [
    asked,
    { role: 'assistant', parts: [call('a'), call('b'), { ...call('c'), name: 'tool_a' }] },
    { role: 'assistant', parts: [{ ...call('d'), name: 'mcp.server/tool' }] },
  ];

  test('where no tool may be called, those of the history are declared, and nothing else', () => {
    expect(write({ tools: [tool], toolChoice: 'none' })).not.toHaveProperty('toolConfig');
    for (const changes of [{ tools: [tool], toolChoice: 'none' }, {}] as const) {
      expect(write({ messages: history, ...changes }).toolConfig).toEqual({
        tools: ['tool_a', 'tool_b', 'mcp_server_tool'].map((name) => ({
          toolSpec: {
            name,
            inputSchema: { json: { type: 'object' } },
            description: expect.stringContaining('Do not call it'),
          },
        })),
      });
    }
    expect(write({ messages: history, tools: [tool] }).toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object', properties: {} } } } }],
    });
  });

  test('ids and names of other providers become ones that Converse takes', () => {
    const odd: TextMessage[] = [
      { role: 'assistant', parts: [{ ...call('call|1 ü'), name: 'a.b' }, call('x'.repeat(80))] },
      { role: 'tool', callId: 'call|1 ü', parts: [], isError: false },
      { role: 'tool', callId: 'x'.repeat(80), parts: [], isError: false },
    ];
    const { messages } = write({ messages: [asked, ...odd], tools: [tool] }) as {
      messages: Array<{ content: Array<Record<string, { toolUseId: string; name?: string }>> }>;
    };
    const used = messages[1]?.content.map(({ toolUse }) => toolUse?.toolUseId) ?? [];
    expect(messages[2]?.content.map(({ toolResult }) => toolResult?.toolUseId)).toEqual(used);
    for (const id of used) expect(id).toMatch(/^[a-zA-Z0-9_.:-]{1,64}$/);
    expect(new Set(used).size).toBe(2);
    expect(messages[1]?.content[0]?.toolUse?.name).toBe('a_b');
  });

  test('a strict tool and a schema for the answer are sent to models that hold to them', () => {
    const parameters = {
      type: 'object',
      properties: { size: { type: 'integer', minimum: 1 } },
      required: ['size'],
    };
    const tools = [{ ...tool, description: ' ', parameters, strict: true }];
    const narrowed = {
      type: 'object',
      properties: { size: { type: 'integer', description: '{minimum: 1}' } },
      required: ['size'],
      additionalProperties: false,
    };
    expect(write({ tools }).toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'f', inputSchema: { json: narrowed }, strict: true } }],
    });
    expect(write({ tools }, CLAUDE, false).toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'f', inputSchema: { json: parameters } } }],
    });
    const responseFormat: TextCall['responseFormat'] = {
      type: 'json_schema',
      name: 'box',
      description: 'A box',
      schema: parameters,
      strict: true,
    };
    expect(write({ responseFormat }).outputConfig).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: {
          jsonSchema: { schema: JSON.stringify(narrowed), name: 'box', description: 'A box' },
        },
      },
    });
  });

  test('one call at a time and top_k are sent in the words of the maker', () => {
    const tools = [tool, { ...tool, name: 'g' }];
    const one = { tools, parallelTools: false } as const;
    const choice = (changes: Partial<TextCall>): unknown[] => {
      const { toolConfig, additionalModelRequestFields: more } = write({ ...one, ...changes });
      return [
        (toolConfig as { toolChoice?: object }).toolChoice,
        (more as { tool_choice: object }).tool_choice,
      ];
    };
    const alone = { disable_parallel_tool_use: true };
    expect(choice({})).toEqual([undefined, { type: 'auto', ...alone }]);
    expect(choice({ toolChoice: 'auto' })).toEqual([undefined, { type: 'auto', ...alone }]);
    expect(choice({ toolChoice: 'required' })).toEqual([{ any: {} }, alone]);
    expect(choice({ toolChoice: { name: 'g' } })).toEqual([{ tool: { name: 'g' } }, alone]);
    expect(write({ topK: 40 }).additionalModelRequestFields).toEqual({ top_k: 40 });
    expect(write({ topK: 40 }, NOVA).additionalModelRequestFields).toEqual({ inferenceConfig: { topK: 40 } });
    expect(() => write({ topK: 40 }, LLAMA)).toThrow(expect.objectContaining({ field: 'topK' }));
    for (const model of [NOVA, LLAMA])
      expect(() => write(one, model)).toThrow(expect.objectContaining({ field: 'parallelTools' }));
  });

  test('Claude is asked to name the sequence that stopped it', () => {
    expect(write({ stop: ['END'] }).additionalModelResponseFieldPaths).toContain('/stop_sequence');
    expect(write({ stop: ['END'] }, NOVA)).not.toHaveProperty('additionalModelResponseFieldPaths');
  });

  test('documents get names of their own, and blank system texts are left out', () => {
    const file = (name: string | null): InputPart => ({
      type: 'file',
      source: { kind: 'data', mediaType: 'application/pdf', base64: 'AAAA' },
      name,
    });
    const parts = [
      file('a.pdf'),
      file('A.pdf'),
      file(null),
      file(null),
      { type: 'text', text: 'Hi' } as const,
    ];
    const messages: TextMessage[] = [
      { role: 'system', text: ' ' },
      { role: 'user', parts },
    ];
    const written = write({ messages }) as {
      messages: [{ content: Array<{ document?: { name: string } }> }];
    };
    expect(written).not.toHaveProperty('system');
    expect(written.messages[0].content.map(({ document }) => document?.name)).toEqual([
      ...['a-pdf', 'A-pdf (2)', 'file', 'file (2)', undefined],
    ]);
  });

  test('the end user and penalties of zero are left out', () => {
    expect(write({ user: 'someone', frequencyPenalty: 0, presencePenalty: 0 })).toEqual(write({}));
  });

  test.each<[string, Partial<TextCall>]>([
    ['toolChoice', { toolChoice: 'required' }],
    ['toolChoice', { toolChoice: { name: 'f' } }],
    ['seed', { seed: 0 }],
    ['answers', { answers: 2 }],
    ['frequencyPenalty', { frequencyPenalty: 0.5 }],
    ['presencePenalty', { presencePenalty: 1 }],
    ['verbosity', { verbosity: 'low' }],
    ['responseFormat', { responseFormat: { type: 'json_object' } }],
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
    expect(JSON.stringify(write(marked, LLAMA))).not.toContain('cachePoint');
    const nova = write(marked, NOVA);
    expect(JSON.stringify(nova.messages)).toContain('cachePoint');
    expect(JSON.stringify(nova.toolConfig)).not.toContain('cachePoint');
    expect(JSON.stringify(nova)).not.toContain('ttl');
  });
});

describe('reasoning', () => {
  const OPUS = 'us.anthropic.claude-opus-4-8-v1:0';
  const NOVA_2 = 'us.amazon.nova-2-lite-v1:0';
  const effort = (level: string | null, more: object = {}): Partial<TextCall> => ({
    reasoning: { effort: level, tokensMax: null, shown: true, ...more },
  });
  const additional = (changes: Partial<TextCall>, model: string): unknown =>
    write(changes, model).additionalModelRequestFields;

  test('is a budget for older Claude models, within a cap that has room for it', () => {
    expect(write(effort('medium'))).toMatchObject({
      inferenceConfig: { maxTokens: 8_192 },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 4_096 } },
    });
    expect(write({ ...effort('high'), outputTokensMax: 5_000, temperature: 0.5 })).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
      inferenceConfig: { maxTokens: 5_000 },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2_500 } },
    });
    expect(additional({ ...effort('high'), outputTokensMax: 900 }, CLAUDE)).toBeUndefined();
    expect(additional(effort('none'), CLAUDE)).toEqual({ thinking: { type: 'disabled' } });
  });

  test('is adaptive for newer ones, with an effort', () => {
    const thinking = { type: 'adaptive', display: 'summarized' };
    const written = { thinking, output_config: { effort: 'xhigh' } };
    expect(additional(effort('xhigh'), OPUS)).toEqual(written);
    expect(write({ ...effort('xhigh'), temperature: 0.5 }, OPUS)).not.toHaveProperty('inferenceConfig');
    expect(additional({ ...effort('low', { shown: false }) }, OPUS)).toMatchObject({
      thinking: { display: 'omitted' },
    });
  });

  test('is left out within a tool loop whose thoughts are missing, and kept where they are there', () => {
    const proof = { dialect: 'bedrock', value: 'c2ln' };
    const loop = (...parts: Extract<TextMessage, { role: 'assistant' }>['parts']): Partial<TextCall> => ({
      messages: [
        asked,
        { role: 'assistant', parts },
        { role: 'tool', callId: 'a', parts: [{ type: 'text', text: 'r' }], isError: false },
      ],
      tools: [tool],
      ...effort('low'),
    });
    expect(additional(loop(call('a')), CLAUDE)).toBeUndefined();
    expect(additional(loop({ type: 'reasoning', text: 'Hm.', proof }, call('a')), CLAUDE)).toMatchObject({
      thinking: { type: 'enabled' },
    });
  });

  test('has the fields of its maker elsewhere, and none where the maker has none', () => {
    expect(additional(effort('low'), NOVA_2)).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' },
    });
    expect(additional(effort('max'), NOVA_2)).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' },
    });
    // With its highest effort Nova takes no cap.
    expect(additional({ ...effort('high'), outputTokensMax: 99 }, NOVA_2)).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' },
    });
    expect(additional(effort('none'), NOVA_2)).toEqual({ reasoningConfig: { type: 'disabled' } });
    expect(additional(effort('high'), 'openai.gpt-oss-120b-1:0')).toEqual({ reasoning_effort: 'high' });
    expect(additional(effort('high'), 'us.moonshotai.kimi-k2.5')).toEqual({ reasoning_effort: 'high' });
    expect(additional(effort('high'), 'us.openai.gpt-5.6-luna-v1:0')).toEqual({
      reasoning: { effort: 'high' },
    });
    for (const model of [NOVA, LLAMA]) expect(additional(effort('high'), model)).toBeUndefined();
  });

  test('of a profile that names no model is written as its route says', () => {
    const upstreamModel = 'arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2c3';
    const known = traitsOf({ dialect: 'bedrock', vendor: null, upstreamModel });
    const takes = { ...known, thinking: 'adaptive' } as const;
    const target = { upstreamModel, takes, outputTokensMax: null };
    expect(
      writeBedrockRequest(fitCall({ ...plain, ...effort('low'), topK: 3 }, takes), target),
    ).toMatchObject({
      additionalModelRequestFields: {
        thinking: { type: 'adaptive' },
        output_config: { effort: 'low' },
        top_k: 3,
      },
    });
  });

  test('of earlier turns goes back to the maker that signed or sealed it', () => {
    const parts = [
      { type: 'reasoning', text: 'Hm.', proof: { dialect: 'bedrock', value: 'c2ln' } },
      { type: 'reasoning', text: '', proof: { dialect: 'bedrock', value: 'sealed:c2VhbGVk' } },
      { type: 'text', text: 'Well.' },
    ] as const;
    const kinds = (model: string): unknown[] => {
      const { messages } = write({ messages: [asked, { role: 'assistant', parts }, asked] }, model) as {
        messages: Array<{ content: Array<{ reasoningContent?: object }> }>;
      };
      return (messages[1]?.content ?? []).flatMap(({ reasoningContent }) =>
        Object.keys(reasoningContent ?? {}),
      );
    };
    expect(kinds(CLAUDE)).toEqual(['reasoningText', 'redactedContent']);
    expect(kinds('us.openai.gpt-5.6-luna-v1:0')).toEqual(['redactedContent']);
    for (const model of [NOVA_2, LLAMA, 'openai.gpt-oss-20b-1:0']) expect(kinds(model)).toEqual([]);
  });
});
