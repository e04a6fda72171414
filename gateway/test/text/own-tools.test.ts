/**
 * Tools that take a text (`custom`), a choice among some of the tools (`allowed_tools`) and results with the role
 * `function`: relayed where the provider speaks the format, translated where it has the same, rejected by name elsewhere.
 */
import type { OpenAI } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DialectCase, dialectCases, matrixConfig, modelCode } from '../matrix/dialects.ts';
import { openaiClient } from '../support/clients.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

interface Refused {
  readonly type: string;
  readonly detail: string;
  readonly error: { readonly param: string | null };
}

const named = dialectCases.map((dialect) => [dialect.name, dialect] as const);
const hasTextTools = ({ wires }: DialectCase): boolean => ['chat', 'responses'].includes(wires.chat);
const takers = named.filter(([, dialect]) => hasTextTools(dialect));
const others = named.filter(([, dialect]) => !hasTextTools(dialect));

const grammar = { syntax: 'regex', definition: '.+' } as const;
const chatTools: OpenAI.ChatCompletionTool[] = [
  {
    type: 'custom',
    custom: { name: 'run_patch', description: 'Patches', format: { type: 'grammar', grammar } },
  },
  { type: 'custom', custom: { name: 'say' } },
  { type: 'function', function: { name: 'get_time', parameters: { type: 'object', properties: {} } } },
];
const responsesTools: OpenAI.Responses.Tool[] = [
  { type: 'custom', name: 'run_patch', description: 'Patches', format: { type: 'grammar', ...grammar } },
  { type: 'custom', name: 'say' },
  {
    type: 'function',
    name: 'get_time',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
    strict: true,
  },
];
const TEXT = 'A text for run_patch, with "quotes".';

describe.each(oneEngine('embedded', 'translation'))('own tools on %s', (engine) => {
  let gateway: TestGateway;
  let client: OpenAI;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: matrixConfig() });
    client = openaiClient(gateway);
  });
  afterAll(() => gateway.stop());

  const sent = (): string => gateway.simulator.calls.at(-1)?.text ?? '';

  async function refused(path: string, body: object): Promise<[number, string, string | null, string]> {
    const before = gateway.simulator.calls.length;
    const reply = await gateway.post(path, body);
    const { type, error, detail } = (await reply.json()) as Refused;
    expect(gateway.simulator.calls.length, detail).toBe(before);
    return [reply.status, type, error.param, detail];
  }

  describe('a tool that takes a text', () => {
    const question: OpenAI.ChatCompletionMessageParam = { role: 'user', content: 'Use run_patch' };

    test.each(takers)('is called and answered in chat on %s', async (_, dialect) => {
      const model = modelCode(dialect);
      const asked = { model, messages: [question], tools: chatTools };
      const whole = (await client.chat.completions.create(asked)).choices[0];
      const streamed = (
        await client.chat.completions.stream({ ...asked, stream: true }).finalChatCompletion()
      ).choices[0];
      for (const choice of [whole, streamed]) {
        expect(choice?.finish_reason).toBe('tool_calls');
        const call = choice?.message.tool_calls?.[0] as OpenAI.ChatCompletionMessageCustomToolCall;
        expect(call).toMatchObject({
          ...{ id: expect.stringMatching(/./), type: 'custom' },
          custom: { name: 'run_patch', input: TEXT },
        });
        const answer: OpenAI.ChatCompletionMessageParam = { role: 'assistant', tool_calls: [call] };
        const result = { role: 'tool', tool_call_id: call.id, content: 'patched' } as const;
        const next = await client.chat.completions.create({ ...asked, messages: [question, answer, result] });
        expect(next.choices[0]?.message.content).toBe('The tool answered: patched');
      }
      expect(sent()).toContain('"definition":".+"');
    });

    test.each(takers)('is called and answered in responses on %s', async (_, dialect) => {
      const model = modelCode(dialect);
      const asked = { model, input: 'Use run_patch', tools: responsesTools };
      const whole = await client.responses.create(asked);
      const streamed = await client.responses.stream(asked).finalResponse();
      for (const { id, output } of [whole, streamed]) {
        const call = output.find(({ type }) => type === 'custom_tool_call');
        expect(call).toMatchObject({
          ...{ id: expect.stringMatching(/^ctc_/), status: 'completed' },
          ...{ name: 'run_patch', input: TEXT, call_id: expect.stringMatching(/./) },
        });
        const { call_id } = call as OpenAI.Responses.ResponseCustomToolCall;
        const result = { type: 'custom_tool_call_output', call_id, output: 'patched' } as const;
        const by = await client.responses.create({ ...asked, previous_response_id: id, input: [result] });
        const history = [{ role: 'user', content: 'Use run_patch' } as const, ...output, result];
        const own = await client.responses.create({
          ...asked,
          store: false,
          input: history as OpenAI.Responses.ResponseInput,
        });
        for (const next of [by, own]) expect(next.output_text).toBe('The tool answered: patched');
      }
    });

    test.each(takers)('comes in pieces that make the whole on %s', async (_, dialect) => {
      const stream = await client.responses.create({
        ...{ model: modelCode(dialect), input: 'Use say', tools: responsesTools, stream: true },
      });
      const types: string[] = [];
      let text = '';
      for await (const event of stream) {
        types.push(event.type);
        if (event.type === 'response.custom_tool_call_input.delta') text += event.delta;
        if (event.type === 'response.custom_tool_call_input.done') expect(event.input).toBe(text);
      }
      expect(text).toBe('A text for say, with "quotes".');
      expect(types.filter((type) => type.endsWith('input.delta')).length).toBeGreaterThan(1);
      expect(types.at(-1)).toBe('response.completed');
    });

    test.each(takers)('can be demanded on %s', async (_, dialect) => {
      const model = modelCode(dialect);
      const messages = [{ role: 'user', content: 'Good morning' } as const];
      const { choices } = await client.chat.completions.create({
        ...{ model, messages, tools: chatTools },
        tool_choice: { type: 'custom', custom: { name: 'say' } },
      });
      expect(choices[0]?.message.tool_calls).toMatchObject([{ type: 'custom', custom: { name: 'say' } }]);
      const { output } = await client.responses.create({
        ...{ model, input: 'Good morning', tools: responsesTools },
        tool_choice: { type: 'custom', name: 'say' },
      });
      expect(output).toContainEqual(expect.objectContaining({ type: 'custom_tool_call', name: 'say' }));
    });

    test.each(others)('is rejected on %s, also in the history', async (_, dialect) => {
      const model = modelCode(dialect);
      const chat = await refused('/v1/chat/completions', { model, messages: [question], tools: chatTools });
      const responses = await refused('/v1/responses', { model, input: 'Hi', tools: responsesTools });
      const call = { id: 'c', type: 'custom', custom: { name: 'say', input: 'x' } };
      const history = [
        question,
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: 'y' },
      ];
      const earlier = await refused('/v1/chat/completions', { model, messages: history });
      for (const [status, type, param, detail] of [chat, responses, earlier]) {
        expect([status, type, param]).toEqual([400, 'invalid_parameter', 'tools']);
        expect(detail).toContain('custom');
      }
    });

    test.each([
      [{ type: 'custom' }, 'tools[0].custom'],
      [{ type: 'custom', custom: {} }, 'tools[0].custom.name'],
      [{ type: 'custom', custom: { name: 'a', format: { type: 'json' } } }, 'tools[0].custom.format.type'],
      [{ type: 'function', function: {} }, 'tools[0].function.name'],
      [{ type: 'retrieval' }, 'tools[0].type'],
    ])('of the wrong shape is named: %j', async (tool, param) => {
      const body = { model: 'openai-usual', messages: [question], tools: [tool] };
      expect((await refused('/v1/chat/completions', body)).slice(0, 3)).toEqual([
        400,
        'tool_format_invalid',
        param,
      ]);
    });
  });

  describe('a choice among some of the tools', () => {
    const names = ['get_time', 'get_weather', 'find_places'];
    const parameters = { type: 'object', properties: {}, additionalProperties: false };
    const chat: OpenAI.ChatCompletionTool[] = names.map((name) => ({
      ...{ type: 'function', function: { name, parameters } },
    }));
    const responses: OpenAI.Responses.Tool[] = names.map((name) => ({
      ...{ type: 'function', name, parameters, strict: true },
    }));

    test.each(named)('is kept in both formats on %s', async (_, dialect) => {
      const model = modelCode(dialect);
      for (const [mode, text] of [
        ['auto', 'Use get_time, get_weather and find_places'],
        ['required', 'Good morning'],
      ] as const) {
        const some = ['get_weather', 'find_places'];
        const { choices } = await client.chat.completions.create({
          ...{ model, messages: [{ role: 'user', content: text }], tools: chat },
          tool_choice: {
            type: 'allowed_tools',
            allowed_tools: { mode, tools: some.map((name) => ({ type: 'function', function: { name } })) },
          },
        });
        const called = choices[0]?.message.tool_calls?.map(
          (call) => call.type === 'function' && call.function.name,
        );
        const { output } = await client.responses.create({
          ...{ model, input: text, tools: responses },
          tool_choice: {
            type: 'allowed_tools',
            mode,
            tools: some.map((name) => ({ type: 'function', name })),
          },
        });
        const items = output.flatMap((item) => (item.type === 'function_call' ? [item.name] : []));
        const expected = mode === 'auto' ? some : some.slice(0, 1);
        expect([called, items]).toEqual([expected, expected]);
      }
    });

    test('that names a tool which is not offered is rejected, and one that the provider runs too', async () => {
      const model = 'anthropic-usual';
      const allow = (...tools: object[]): object => ({ type: 'allowed_tools', mode: 'auto', tools });
      const base = { model, input: 'Hi', tools: responses };
      for (const [tool_choice, param] of [
        [allow({ type: 'function', name: 'nothing' }), 'tool_choice'],
        [allow({ type: 'mcp', server_label: 'x' }), 'tool_choice.tools[0].type'],
      ] as const) {
        expect((await refused('/v1/responses', { ...base, tool_choice })).slice(0, 3)).toEqual([
          ...[400, 'invalid_parameter', param],
        ]);
      }
    });
  });

  describe('a result with the role function', () => {
    const call = { role: 'assistant', content: null, function_call: { name: 'get_time', arguments: '{}' } };
    const result = { role: 'function', name: 'get_time', content: 'noon' };
    const messages = [{ role: 'user', content: 'Use get_time' }, call, result];

    test.each(named)('is relayed in chat, and rejected by name elsewhere: %s', async (_, dialect) => {
      const model = modelCode(dialect);
      if (dialect.wires.chat === 'chat') {
        const reply = await gateway.chat({ model, messages });
        expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('noon')]);
        expect(sent()).toContain('"role":"function"');
        return;
      }
      expect((await refused('/v1/chat/completions', { model, messages })).slice(0, 3)).toEqual([
        ...[400, 'invalid_parameter', 'messages[1].function_call'],
      ]);
      const alone = { model, messages: [messages[0], result] };
      expect((await refused('/v1/chat/completions', alone)).slice(0, 3)).toEqual([
        ...[400, 'invalid_parameter', 'messages[1].role'],
      ]);
    });
  });
});
