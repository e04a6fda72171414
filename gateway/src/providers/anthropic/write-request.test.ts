import { describe, expect, test } from 'vitest';
import { fitCall } from '../../catalog/fit-call.ts';
import { traitsOf } from '../../catalog/model-families.ts';
import { EMPTY_CALL, type OutputPart, type TextCall, type TextMessage } from '../../text/text-call.ts';
import { writeAnthropicRequest } from './write-request.ts';

const hi: TextMessage = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
const plain: TextCall = {
  messages: [hi],
  ...EMPTY_CALL,
};
const tool = { name: 'f', description: null, parameters: null, strict: null };

function write(
  changes: Partial<TextCall>,
  outputTokensMax: number | null = null,
  upstreamModel = 'claude',
): Record<string, unknown> {
  const takes = traitsOf({ dialect: 'anthropic', vendor: null, upstreamModel });
  const target = { upstreamModel, outputTokensMax, outputCapField: null, makesImages: false, takes };
  return writeAnthropicRequest(fitCall({ ...plain, ...changes }, takes), target) as Record<string, unknown>;
}

const system = (text: string): TextMessage => ({ role: 'system', text });
const assistant = (...parts: OutputPart[]): TextMessage => ({ role: 'assistant', parts });
const called = (id: string, args = '{}'): OutputPart => ({
  type: 'tool_call',
  id,
  name: 'f',
  arguments: args,
  proof: null,
});
const result = (callId: string, text: string, isError = false): TextMessage => ({
  role: 'tool',
  callId,
  isError,
  parts: [{ type: 'text', text }],
});
const effort = (words: string) => ({ effort: words, tokensMax: null, shown: true });

describe('a call to Anthropic', () => {
  test('sends the fields that the caller set and no others', () => {
    expect(write({})).toEqual({
      model: 'claude',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      max_tokens: 4_096,
    });
    const all = { temperature: 0.5, topP: 0.9, topK: 5, stop: ['END'], user: 'u', stream: true };
    expect(write({ ...all, outputTokensMax: 7, frequencyPenalty: 0 })).toMatchObject({
      temperature: 0.5,
      top_k: 5,
      stop_sequences: ['END'],
      stream: true,
      max_tokens: 7,
      metadata: { user_id: 'u' },
    });
    expect(write({}, 64_000).max_tokens).toBe(64_000);
  });

  test('sends only the temperature to models that reject top_p beside it', () => {
    const both = { temperature: 0, topP: 0.95 };
    expect(write(both)).toMatchObject({ temperature: 0 });
    expect(write(both)).not.toHaveProperty('top_p');
    expect(write({ topP: 0.95 })).toMatchObject({ top_p: 0.95 });
  });

  test('sends a digest of an end user tag above the length limit', () => {
    expect(write({ user: 'u'.repeat(256) }).metadata).toEqual({ user_id: 'u'.repeat(256) });
    expect(write({ user: 'u'.repeat(257) }).metadata).toEqual({
      user_id: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('sends instructions before the conversation, and later ones at the start of a user turn', () => {
    const { system: blocks, messages } = write({ messages: [system('A'), system(''), system('B'), hi] });
    expect(blocks).toEqual([
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B' },
    ]);
    expect(messages).toHaveLength(1);
    expect(write({ messages: [hi, system('late')] }).messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>\nlate\n</system-reminder>' },
          { type: 'text', text: 'Hi' },
        ],
      },
    ]);
  });

  test('merges adjacent messages of one role, so that tool results come together before the next text', () => {
    const turn = assistant({ type: 'text', text: 'Both.' }, called('a', '{"x":1}'), called('b.1', ''));
    const messages = [hi, turn, result('a', 'one'), result('b.1', 'no', true), hi];
    expect(write({ messages, tools: [tool] }).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Both.' },
          { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
          { type: 'tool_use', id: 'b_1', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'one' }] },
          {
            type: 'tool_result',
            tool_use_id: 'b_1',
            is_error: true,
            content: [{ type: 'text', text: 'no' }],
          },
          { type: 'text', text: 'Hi' },
        ],
      },
    ]);
  });

  test('returns only its own reasoning, unchanged', () => {
    const proven = (dialect: string, text: string): OutputPart => ({
      type: 'reasoning',
      text,
      proof: { dialect, value: 'v' },
    });
    const turn = assistant(
      proven('anthropic', 'Hm.'),
      proven('anthropic', ''),
      proven('anthropic-sealed', ''),
      proven('google', 'x'),
      { type: 'reasoning', text: 'unsigned', proof: null },
      { type: 'refusal', text: 'No.' },
    );
    const { messages } = write({ messages: [hi, turn, hi] }) as { messages: Array<{ content: unknown }> };
    expect(messages[1]?.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'v' },
      { type: 'thinking', thinking: '', signature: 'v' },
      { type: 'redacted_thinking', data: 'v' },
      { type: 'text', text: 'No.' },
    ]);
  });

  test('leaves out an empty answer', () => {
    const { messages } = write({ messages: [hi, assistant(), hi] });
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 'Hi' },
        ],
      },
    ]);
  });

  test("has images and documents in Anthropic's shape", () => {
    const pdf = { kind: 'data', mediaType: 'application/pdf', base64: 'cGRm' } as const;
    const note = {
      kind: 'data',
      mediaType: 'text/plain',
      base64: Buffer.from('글').toString('base64'),
    } as const;
    const { messages } = write({
      messages: [
        {
          role: 'user',
          parts: [
            { type: 'image', source: { kind: 'url', url: 'https://a/b.png' }, detail: 'high' },
            { type: 'image', source: { kind: 'data', mediaType: 'image/png', base64: 'aQ==' }, detail: null },
            { type: 'file', source: pdf, name: 'a.pdf' },
            { type: 'file', source: note, name: null },
          ],
        },
      ],
    }) as { messages: Array<{ content: unknown }> };
    expect(messages[0]?.content).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://a/b.png' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aQ==' } },
      {
        type: 'document',
        title: 'a.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' },
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '글' } },
    ]);
  });

  test('sends tools and the tool choice', () => {
    const schema = { type: 'object', properties: { a: {} } };
    const tools = [tool, { name: 'g', description: 'G', parameters: schema, strict: true }];
    expect(write({ tools }).tools).toEqual([
      { name: 'f', input_schema: { type: 'object', properties: {} } },
      { name: 'g', description: 'G', input_schema: { ...schema, additionalProperties: false }, strict: true },
    ]);
    const choice = (changes: Partial<TextCall>) => write({ tools, ...changes }).tool_choice;
    expect(choice({})).toBeUndefined();
    expect(choice({ toolChoice: 'auto' })).toEqual({ type: 'auto' });
    expect(choice({ toolChoice: 'required' })).toEqual({ type: 'any' });
    expect(choice({ toolChoice: 'none', parallelTools: false })).toEqual({ type: 'none' });
    expect(choice({ toolChoice: { name: 'g' }, parallelTools: false })).toEqual({
      type: 'tool',
      name: 'g',
      disable_parallel_tool_use: true,
    });
    expect(choice({ parallelTools: false })).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    expect(write({ toolChoice: 'auto' }).tool_choice).toBeUndefined();
  });

  test('requests JSON by its schema', () => {
    const schema = { type: 'object', additionalProperties: false };
    const responseFormat = {
      type: 'json_schema',
      name: 'n',
      description: null,
      schema,
      strict: true,
    } as const;
    expect(write({ responseFormat }).output_config).toEqual({ format: { type: 'json_schema', schema } });
  });

  test.each<[string, Partial<TextCall>]>([
    ['answers', { answers: 2 }],
    ['seed', { seed: 1 }],
    ['frequencyPenalty', { frequencyPenalty: 0.5 }],
    ['presencePenalty', { presencePenalty: -1 }],
    ['verbosity', { verbosity: 'low' }],
    ['temperature', { temperature: 1.1 }],
    ['responseFormat', { responseFormat: { type: 'json_object' } }],
    ['toolChoice', { toolChoice: 'required' }],
    ['reasoning', { reasoning: effort('enormous') }],
    ['messages', { messages: [hi, assistant(called('a', '[1]')), result('a', 'x')] }],
    ['messages', { messages: [{ role: 'user', parts: [] }] }],
    ['image', { messages: [hi, assistant({ type: 'image', mediaType: 'image/png', base64: '' })] }],
  ])('rejects what Anthropic does not support: %s', (field, changes) => {
    expect(() => write(changes)).toThrow(expect.objectContaining({ name: 'CannotCarry', field }));
  });
});

describe('effort', () => {
  const thinking = (words: string, cap: number | null, model: number | null = null) => {
    const written = write({ reasoning: effort(words), outputTokensMax: cap }, model);
    return [(written.thinking as { budget_tokens?: number } | undefined)?.budget_tokens, written.max_tokens];
  };

  test('becomes a reasoning budget that leaves room for the answer, under an unchanged cap', () => {
    expect(thinking('low', 8_000)).toEqual([1_024, 8_000]);
    expect(thinking('medium', 16_000)).toEqual([4_096, 16_000]);
    expect(thinking('high', 16_000)).toEqual([11_904, 16_000]);
    expect(thinking('high', 3_000)).toEqual([1_500, 3_000]);
    expect(thinking('high', 1_500)).toEqual([1_024, 1_500]);
    expect(thinking('high', 1_024)).toEqual([undefined, 1_024]);
    expect(thinking('high', null, 64_000)).toEqual([16_384, 64_000]);
    expect(thinking('high', null)).toEqual([16_384, 16_384 + 4_096]);
  });

  test.each(['none', 'minimal'])('of %s turns thinking off', (words) => {
    expect(write({ reasoning: effort(words) }).thinking).toEqual({ type: 'disabled' });
  });

  test('in tokens is sent unchanged, but never below the smallest budget', () => {
    const budget = (tokensMax: number) =>
      write({ reasoning: { effort: null, tokensMax, shown: true }, outputTokensMax: 9_000 }).thinking;
    expect(budget(3_000)).toEqual({ type: 'enabled', budget_tokens: 3_000 });
    expect(budget(10)).toEqual({ type: 'enabled', budget_tokens: 1_024 });
    expect(budget(0)).toEqual({ type: 'disabled' });
  });

  test('is left out in a tool loop without the reasoning of the calls', () => {
    const asked = (...before: OutputPart[]) => {
      const messages = [hi, assistant(...before, called('a')), result('a', 'x')];
      return write({ messages, tools: [tool], reasoning: effort('low') }).thinking;
    };
    expect(asked()).toBeUndefined();
    const own = { dialect: 'anthropic', value: 'v' };
    expect(asked({ type: 'reasoning', text: 'Hm.', proof: own })).toMatchObject({ type: 'enabled' });
  });
});

describe('newer models', () => {
  const on = (model: string, changes: Partial<TextCall>) => write(changes, null, model);

  test.each([
    ['claude-opus-4-6', 'xhigh', 'high'],
    ['claude-opus-4-7', 'xhigh', 'xhigh'],
    ['claude-opus-4-7', 'minimal', 'low'],
    ['claude-opus-5-5', 'none', 'low'],
    ['claude-fable-5-1', 'max', 'max'],
  ])('%s is asked in the adaptive form: the effort %s becomes %s', (model, words, sent) => {
    expect(on(model, { reasoning: effort(words) })).toMatchObject({
      thinking: { type: 'adaptive', display: words === 'none' ? 'omitted' : 'summarized' },
      output_config: { effort: sent },
    });
  });

  test.each([
    ['claude-opus-4-7', { type: 'disabled' }],
    ['claude-opus-5', { type: 'disabled' }],
    ['claude-haiku-5-5', { type: 'disabled' }],
    ['claude-sonnet-5-5', { type: 'between_tools' }],
  ])('%s gets %o if it must not think', (model, thinking) => {
    const written = on(model, { reasoning: effort('none') });
    expect(written.thinking).toEqual(thinking);
    expect(written).not.toHaveProperty('output_config');
  });

  test('a budget becomes an effort, and a wish to see thoughts does not switch them on', () => {
    const budget = { effort: null, tokensMax: 30_000, shown: true };
    expect(on('claude-opus-4-7', { reasoning: budget }).output_config).toEqual({ effort: 'high' });
    const shown = { effort: null, tokensMax: null, shown: true };
    expect(on('claude-opus-4-7', { reasoning: shown })).not.toHaveProperty('thinking');
    expect(on('claude-opus-5', { reasoning: shown }).thinking).toMatchObject({ display: 'summarized' });
    const adaptive = { ...shown, adaptive: true } as const;
    expect(on('claude-opus-4-7', { reasoning: adaptive }).output_config).toEqual({ effort: 'high' });
    expect(on('claude-opus-5', { reasoning: adaptive })).not.toHaveProperty('output_config');
  });

  test('the effort stands beside the schema of the answer', () => {
    const schema = { type: 'object', additionalProperties: false };
    const responseFormat = {
      type: 'json_schema',
      name: 'n',
      description: null,
      schema,
      strict: true,
    } as const;
    expect(on('claude-opus-5-5', { reasoning: effort('low'), responseFormat }).output_config).toEqual({
      effort: 'low',
      format: { type: 'json_schema', schema },
    });
  });

  test('get no temperature, top_p and top_k; older ones get none while they think', () => {
    const sampling = { temperature: 0.5, topK: 5 };
    const sent = (model: string, changes: Partial<TextCall>) => {
      const { temperature, top_k } = on(model, { ...sampling, ...changes });
      return [temperature, top_k];
    };
    const reasoning = effort('low');
    expect(sent('claude-opus-4-7', {})).toEqual([undefined, undefined]);
    expect(sent('claude-sonnet-4-5', {})).toEqual([0.5, 5]);
    expect(sent('claude-sonnet-4-5', { reasoning })).toEqual([undefined, undefined]);
  });

  test('a required tool call is rejected by the newest, and worth more than thinking to older ones', () => {
    const forced = { tools: [tool], toolChoice: 'required', reasoning: effort('high') } as const;
    expect(() => on('claude-opus-5-5', forced)).toThrow(expect.objectContaining({ field: 'toolChoice' }));
    expect(on('claude-opus-4-7', forced)).not.toHaveProperty('thinking');
    expect(on('claude-opus-5', forced)).toMatchObject({
      thinking: { type: 'adaptive' },
      tool_choice: { type: 'any' },
    });
  });

  test('an answer to continue is rejected by newer models, and trimmed for older ones', () => {
    const messages = [hi, { ...assistant({ type: 'text', text: 'Well, ' }), at: 'messages[1]' }];
    expect(() => on('claude-opus-4-6', { messages })).toThrow(
      expect.objectContaining({ field: 'messages', at: 'messages[1]' }),
    );
    const written = on('claude-sonnet-4-5', { messages, reasoning: effort('high') });
    expect(written.messages).toMatchObject([{}, { content: [{ text: 'Well,' }] }]);
    expect(written).not.toHaveProperty('thinking');
  });
});
