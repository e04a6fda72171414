import { describe, expect, test } from 'vitest';
import { checkCountRequest, checkMessagesRequest } from './check-messages.ts';

const user = (content: unknown) => [{ role: 'user', content }];
const good = { model: 'm', max_tokens: 5, messages: user('hi') };
const tool = { name: 'f', input_schema: { type: 'object' } };

function refusal(changes: object): { code: string; param: string; detail: string } | null {
  try {
    checkMessagesRequest(JSON.parse(JSON.stringify({ ...good, ...changes })));
    return null;
  } catch (error) {
    return error as { code: string; param: string; detail: string };
  }
}

describe('a request in the messages format', () => {
  test.each<[string, object]>([
    ['every kind of block that is known', { messages: user(everyBlock()) }],
    [
      'blocks and fields that are not known',
      { messages: user([{ type: 'new', source: 'x' }]), novelty: { a: 1 } },
    ],
    ['instructions as text', { system: 'Be kind.' }],
    ['instructions as blocks', { system: [{ type: 'text', text: 'Be kind.', cache_control: {} }] }],
    [
      'tools of the caller and of the provider',
      { tools: [tool, { type: 'web_search_20250305', name: 'web_search' }] },
    ],
    ['thinking', { thinking: { type: 'enabled', budget_tokens: 2_000 } }],
    ['thinking as it comes', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
    [
      'null for "not given"',
      { system: null, tools: null, temperature: null, thinking: null, metadata: null },
    ],
  ])('may have %s', (_, changes) => {
    expect(refusal(changes)).toBeNull();
  });

  test.each<[string, object, string, RegExp]>([
    ['no cap', { max_tokens: undefined }, 'max_tokens', /: Field required$/],
    ['a cap of 0', { max_tokens: 0 }, 'max_tokens', />= 1/],
    ['a temperature of chat', { temperature: 1.5 }, 'temperature', /<= 1/],
    ['no content', { messages: [{ role: 'user' }] }, 'messages[0].content', /: Field required$/],
    [
      'text without text',
      { messages: user([{ type: 'text' }]) },
      'messages[0].content[0].text',
      /: Field required$/,
    ],
    [
      'an image by name',
      { messages: user([{ type: 'image', source: 'x' }]) },
      'messages[0].content[0].source',
      /: Input should be an object$/,
    ],
    [
      'a call without input',
      { messages: user([{ type: 'tool_use', id: 'a', name: 'f' }]) },
      'messages[0].content[0].input',
      /: Field required$/,
    ],
    [
      'a wrong block in the result of a tool',
      { messages: user([{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 1 }] }]) },
      'messages[0].content[0].content[0].text',
      /: Input should be a string$/,
    ],
    ['a tool choice of chat', { tool_choice: 'auto' }, 'tool_choice', /: Input should be an object$/],
    ['a choice of no tool', { tool_choice: { type: 'tool' } }, 'tool_choice.name', /: Field required$/],
    [
      'thinking without a budget',
      { thinking: { type: 'enabled' } },
      'thinking.budget_tokens',
      /: Field required$/,
    ],
  ])('that has %s is rejected, naming the field', (_, changes, param, message) => {
    expect(refusal(changes)).toMatchObject({
      code: 'invalid_parameter',
      param,
      detail: expect.stringMatching(message),
    });
  });

  test('with the role developer is rejected', () => {
    const refused = refusal({ messages: [...user('x'), { role: 'developer', content: 'Be kind.' }] });
    expect(refused).toMatchObject({ code: 'invalid_parameter', param: 'messages[1].role' });
    expect(refused?.detail).toMatch(/^messages: Unexpected role "developer"\./);
  });

  test.each([
    ['a text', { content: 'Be kind.' }],
    ['blocks', { content: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }] }],
    ['settings alone', { output_config: { effort: 'low' } }],
  ])('may have messages of the system, without a beta header: %s', (_, message) => {
    expect(refusal({ messages: [...user('x'), { role: 'system', ...message }] })).toBeNull();
  });

  test.each(['user', 'assistant'])('needs the content of a message of the %s', (role) => {
    expect(refusal({ messages: [...user('x'), { role }] })).toMatchObject({
      ...{ param: 'messages[1].content', detail: 'messages.1.content: Field required' },
    });
  });

  test('that is rejected for a part of a tool names it with the path of the provider', () => {
    expect(refusal({ tools: [tool, { name: 'g' }] })).toMatchObject({
      param: 'tools[1].input_schema',
      detail: 'tools.1.custom.input_schema: Field required',
    });
  });

  test.each<[string, object, string]>([
    ['without a schema', { name: 'f' }, 'tools[0].input_schema'],
    ['of chat', { type: 'function', function: { name: 'f' } }, 'tools[0].type'],
    ['with a bad name', { ...tool, name: 'a b' }, 'tools[0].name'],
    [
      'with a schema of no object',
      { ...tool, input_schema: { type: 'string' } },
      'tools[0].input_schema.type',
    ],
  ])('with a tool %s is refused by the code of tools', (_, given, param) => {
    expect(refusal({ tools: [given] })).toMatchObject({ code: 'tool_format_invalid', param });
  });

  test('needs no cap to be counted', () => {
    const { max_tokens: _, ...counted } = good;
    expect(checkCountRequest(counted)).toBe(counted);
    expect(() => checkCountRequest({ ...counted, messages: user([{ type: 'text' }]) })).toThrow(
      'messages.0.content.0.text: Field required',
    );
  });
});

function everyBlock(): object[] {
  return [
    { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } },
    { type: 'image', source: { type: 'url', url: 'https://a/b.png' } },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: '' }, title: null },
    { type: 'tool_use', id: 'a', name: 'f', input: {} },
    { type: 'tool_result', tool_use_id: 'a', content: 'x', is_error: true },
    { type: 'tool_result', tool_use_id: 'b' },
    { type: 'thinking', thinking: 'x', signature: 'y' },
    { type: 'redacted_thinking', data: 'x' },
  ];
}
