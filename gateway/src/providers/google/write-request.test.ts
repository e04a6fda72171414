import { describe, expect, test } from 'vitest';
import { fitCall } from '../../catalog/fit-call.ts';
import { traitsOf } from '../../catalog/model-families.ts';
import { CannotCarry, EMPTY_CALL, type TextCall, type TextMessage } from '../../text/text-call.ts';
import type { TextTarget } from '../provider.ts';
import { NO_SIGNATURE } from './write-contents.ts';
import { writeGoogleRequest } from './write-request.ts';

const target: Omit<TextTarget, 'takes'> = {
  upstreamModel: 'gemini-3-pro-preview',
  outputTokensMax: null,
  outputCapField: null,
  makesImages: false,
};

const asked: TextMessage = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] };

const plain: TextCall = {
  messages: [asked],
  ...EMPTY_CALL,
};

function write(changes: Partial<TextCall>, at: Partial<TextTarget> = {}): Record<string, unknown> {
  const { upstreamModel } = { ...target, ...at };
  const takes = traitsOf({ dialect: 'google', vendor: null, upstreamModel });
  const fitted = fitCall({ ...plain, ...changes }, takes);
  return writeGoogleRequest(fitted, { ...target, takes, ...at }) as Record<string, unknown>;
}

const call = (id: string, args = '{}', proof: { dialect: string; value: string } | null = null) =>
  ({ type: 'tool_call', id, name: `tool_${id}`, arguments: args, proof }) as const;

test('a call without optional fields sends no optional fields', () => {
  expect(write({ user: 'someone' })).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });
});

describe('messages', () => {
  test('start with the system instructions and are merged by role', () => {
    const messages: TextMessage[] = [
      { role: 'system', text: 'Be brief.' },
      { role: 'system', text: 'Be kind.' },
      asked,
      asked,
      { role: 'assistant', parts: [{ type: 'text', text: 'Hello' }] },
      asked,
    ];
    expect(write({ messages })).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }, { text: 'Hi' }] },
        { role: 'model', parts: [{ text: 'Hello' }] },
        { role: 'user', parts: [{ text: 'Hi' }] },
      ],
    });
    expect(write({ messages: [asked, { role: 'system', text: 'Late.' }] })).toEqual({
      contents: [
        { role: 'user', parts: [{ text: '<system-reminder>\nLate.\n</system-reminder>' }, { text: 'Hi' }] },
      ],
    });
  });

  test('carry images and files, inline and by URL', () => {
    const url = (address: string) => ({ kind: 'url', url: address }) as const;
    const data = { kind: 'data', mediaType: 'application/pdf', base64: 'JVBERi0=' } as const;
    const { contents } = write({
      messages: [
        {
          role: 'user',
          parts: [
            { type: 'image', source: { kind: 'data', mediaType: 'image/png', base64: 'iVBO' }, detail: null },
            { type: 'image', source: url('https://example.com/a.WEBP?size=2'), detail: null },
            { type: 'image', source: url('https://example.com/picture'), detail: null },
            { type: 'file', source: data, name: 'report.pdf' },
            { type: 'file', source: url('https://example.com/report'), name: null },
          ],
        },
      ],
    });
    expect(contents).toMatchObject([
      {
        parts: [
          { inlineData: { mimeType: 'image/png', data: 'iVBO' } },
          { fileData: { mimeType: 'image/webp', fileUri: 'https://example.com/a.WEBP?size=2' } },
          { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/picture' } },
          { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
          { fileData: { mimeType: 'application/pdf', fileUri: 'https://example.com/report' } },
        ],
      },
    ]);
  });

  test('name the tool of each result and mark failed results', () => {
    const result = (callId: string, isError: boolean): TextMessage => ({
      role: 'tool',
      callId,
      isError,
      parts: [{ type: 'text', text: '21' }],
    });
    const { contents } = write({
      messages: [
        asked,
        { role: 'assistant', parts: [call('a', '{"city":"Seoul"}'), call('b')] },
        result('a', false),
        result('b', true),
      ],
    });
    expect(contents).toEqual([
      { role: 'user', parts: [{ text: 'Hi' }] },
      {
        role: 'model',
        parts: [
          {
            functionCall: { id: 'a', name: 'tool_a', args: { city: 'Seoul' } },
            thoughtSignature: NO_SIGNATURE,
          },
          { functionCall: { id: 'b', name: 'tool_b', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'tool_a', response: { result: '21' } } },
          { functionResponse: { id: 'b', name: 'tool_b', response: { error: '21' } } },
        ],
      },
    ]);
    expect(() => write({ messages: [asked, result('z', false)] })).toThrow(/tool result for z/);
  });

  test('return signatures and leave out reasoning that Google did not sign', () => {
    const ours = { dialect: 'google', value: 'c2lnbmVk' };
    const foreign = { dialect: 'anthropic', value: 'zzz' };
    const parts = [
      { type: 'reasoning', text: 'Hm.', proof: ours },
      { type: 'reasoning', text: '', proof: ours },
      { type: 'reasoning', text: 'Foreign.', proof: foreign },
      { type: 'reasoning', text: 'Unsigned.', proof: null },
      call('a', '{}', ours),
      call('b', '{}', foreign),
    ] as const;
    const { contents } = write({ messages: [asked, { role: 'assistant', parts }] });
    expect((contents as Array<{ parts: unknown }>)[1]?.parts).toEqual([
      { text: 'Hm.', thought: true, thoughtSignature: 'c2lnbmVk' },
      { text: '', thoughtSignature: 'c2lnbmVk' },
      { functionCall: { id: 'a', name: 'tool_a', args: {} }, thoughtSignature: 'c2lnbmVk' },
      { functionCall: { id: 'b', name: 'tool_b', args: {} } },
    ]);
    const history: TextMessage[] = [asked, { role: 'assistant', parts: [call('a')] }];
    const older = write({ messages: history }, { upstreamModel: 'gemini-2.5-flash' });
    expect(JSON.stringify(older)).not.toContain('thoughtSignature');
  });

  test.each(['', 'not json', '[]', '"x"'])(
    'with arguments that are not an object are rejected: %s',
    (args) => {
      expect(() => write({ messages: [asked, { role: 'assistant', parts: [call('a', args)] }] })).toThrow(
        CannotCarry,
      );
    },
  );
});

describe('settings', () => {
  test("are all sent under Google's field names", () => {
    const { generationConfig } = write(
      {
        outputTokensMax: 100,
        temperature: 0,
        topP: 0.5,
        topK: 40,
        seed: 7,
        frequencyPenalty: 0.1,
        presencePenalty: -0.1,
        stop: ['END'],
        answers: 8,
      },
      { makesImages: true },
    );
    expect(generationConfig).toEqual({
      maxOutputTokens: 100,
      temperature: 0,
      topP: 0.5,
      topK: 40,
      seed: 7,
      frequencyPenalty: 0.1,
      presencePenalty: -0.1,
      stopSequences: ['END'],
      candidateCount: 8,
      responseModalities: ['TEXT', 'IMAGE'],
    });
  });

  test.each([
    [
      { effort: 'none', tokensMax: null, shown: true },
      { includeThoughts: false, thinkingBudget: 0 },
    ],
    [
      { effort: 'low', tokensMax: null, shown: true },
      { includeThoughts: true, thinkingBudget: 1_024 },
    ],
    [
      { effort: 'medium', tokensMax: null, shown: false },
      { includeThoughts: false, thinkingBudget: 8_192 },
    ],
    [
      { effort: 'high', tokensMax: null, shown: true },
      { includeThoughts: true, thinkingBudget: 24_576 },
    ],
    [
      { effort: null, tokensMax: 2_000, shown: true },
      { includeThoughts: true, thinkingBudget: 2_000 },
    ],
    [{ effort: null, tokensMax: null, shown: true }, { includeThoughts: true }],
  ])('the reasoning options %o become %o before Gemini 3', (reasoning, thinkingConfig) => {
    const at = { upstreamModel: 'gemini-2.5-flash' };
    expect(write({ reasoning }, at).generationConfig).toEqual({ thinkingConfig });
  });

  test.each([
    ['gemini-2.5-pro', 'none', { includeThoughts: false, thinkingBudget: 128 }],
    ['gemini-2.5-pro', 'minimal', { includeThoughts: true, thinkingBudget: 128 }],
    ['gemini-2.5-pro', 'max', { includeThoughts: true, thinkingBudget: 32_768 }],
    ['gemini-2.5-flash-lite', 'xhigh', { includeThoughts: true, thinkingBudget: 24_576 }],
    ['gemini-3-pro-preview', 'none', { includeThoughts: false, thinkingLevel: 'LOW' }],
    ['gemini-3-pro-preview', 'medium', { includeThoughts: true, thinkingLevel: 'LOW' }],
    ['gemini-3.1-pro-preview', 'medium', { includeThoughts: true, thinkingLevel: 'MEDIUM' }],
    ['gemini-3-flash-preview', 'none', { includeThoughts: false, thinkingLevel: 'MINIMAL' }],
    ['gemini-3-flash-preview', 'max', { includeThoughts: true, thinkingLevel: 'HIGH' }],
  ])('%s with the effort %s gets %o', (upstreamModel, effort, thinkingConfig) => {
    const reasoning = { effort, tokensMax: null, shown: true };
    expect(write({ reasoning }, { upstreamModel }).generationConfig).toEqual({ thinkingConfig });
  });

  test('an effort is left out for a model that does not think', () => {
    const reasoning = { effort: 'high', tokensMax: null, shown: true };
    expect(write({ reasoning }, { upstreamModel: 'gemini-2.0-flash' })).not.toHaveProperty(
      'generationConfig',
    );
  });

  test.each([
    ['gemini-2.5-flash', 'auto', 'together with tools'],
    ['gemini-3-flash-preview', 'required', 'together with a required tool call'],
  ] as const)('%s rejects JSON with tools (%s)', (upstreamModel, toolChoice, limit) => {
    const tools = [{ name: 'f', description: null, parameters: null, strict: null }];
    const both = { tools, toolChoice, responseFormat: { type: 'json_object' } } as const;
    expect(() => write(both, { upstreamModel })).toThrow(
      expect.objectContaining({ field: 'responseFormat', limit }),
    );
    if (toolChoice === 'required')
      expect(() => write({ ...both, toolChoice: 'auto' }, { upstreamModel })).not.toThrow();
  });

  test('JSON is requested by its media type, with the schema if there is one', () => {
    expect(write({ responseFormat: { type: 'json_object' } }).generationConfig).toEqual({
      responseMimeType: 'application/json',
    });
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    const responseFormat = {
      type: 'json_schema',
      name: 'weather',
      description: 'The weather',
      schema,
      strict: true,
    } as const;
    expect(write({ responseFormat }).generationConfig).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: { description: 'The weather', ...schema },
    });
  });

  test.each([
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [{ name: 'f' }, { mode: 'ANY', allowedFunctionNames: ['f'] }],
  ] as const)('tools are sent with their schemas, and the choice %o becomes %o', (toolChoice, config) => {
    const parameters = { type: 'object', properties: {} };
    const tools = [
      { name: 'f', description: 'Does it', parameters, strict: null },
      { name: 'g', description: null, parameters: null, strict: null },
    ];
    expect(write({ tools, toolChoice })).toMatchObject({
      tools: [
        {
          functionDeclarations: [
            { name: 'f', description: 'Does it', parametersJsonSchema: parameters },
            { name: 'g' },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: config },
    });
  });

  test('a tool choice without tools is not sent', () => {
    expect(write({ toolChoice: 'auto', parallelTools: false })).not.toHaveProperty('toolConfig');
  });

  const tool = { name: 'f', description: null, parameters: null, strict: null };
  test.each<[string, Partial<TextCall>]>([
    ['parallelTools', { parallelTools: false, tools: [tool, { ...tool, name: 'other' }] }],
    ['stop', { stop: ['a', 'b', 'c', 'd', 'e', 'f'] }],
    ['answers', { answers: 9 }],
    ['verbosity', { verbosity: 'low' }],
    ['reasoning', { reasoning: { effort: 'enormous', tokensMax: null, shown: true } }],
  ])("%s above Google's limit is rejected, naming the field", (field, changes) => {
    expect(() => write(changes)).toThrow(expect.objectContaining({ field }));
  });
});
