import { expect, test } from 'vitest';
import { placeholder } from '../json/placeholders.ts';
import { expandForTranslation } from './carried-text.ts';

const mark = 'm'.repeat(32);
const at = (number: number): string => `head ${placeholder(mark, number)}`;
const inlineOf = (count: number) => ({
  mark,
  pieces: Array.from({ length: count }, (_, i) => [Buffer.from(`"long\\n${i}"`.slice(1, -1))]),
  texts: new Set(Array.from({ length: count }, (_, i) => i)),
});
const full = (number: number): string => `head long\n${number}`;

test('message texts keep their placeholders in every format', () => {
  const chat = {
    messages: [
      { role: 'system', content: at(0) },
      { role: 'user', content: [{ type: 'text', text: at(1) }] },
      { role: 'assistant', content: at(2) },
    ],
  };
  const responses = {
    instructions: at(0),
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: at(1) }] }],
  };
  const messages = {
    system: [{ type: 'text', text: at(0), cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: at(1) }],
  };
  for (const request of [chat, responses, { input: at(0) }, messages]) {
    const made = expandForTranslation(request, inlineOf(3));
    expect(made.request).toEqual(request);
  }
  expect(expandForTranslation(chat, inlineOf(3)).expanded.size).toBe(0);
});

test('fields that translators read are expanded: tool arguments and results, descriptions, reasoning', () => {
  const request = {
    messages: [
      { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: at(0) }] }] },
      { role: 'assistant', content: [{ type: 'tool_use', input: { code: at(1) } }] },
      { role: 'assistant', content: null, tool_calls: [{ function: { arguments: at(2) } }] },
      { role: 'tool', content: at(3) },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: at(4) },
          { type: 'text', text: at(6) },
        ],
      },
    ],
    tools: [{ function: { description: at(5) } }],
  };
  const { request: made, expanded } = expandForTranslation(request, inlineOf(7));
  expect(made).toEqual({
    messages: [
      { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: full(0) }] }] },
      { role: 'assistant', content: [{ type: 'tool_use', input: { code: full(1) } }] },
      { role: 'assistant', content: null, tool_calls: [{ function: { arguments: full(2) } }] },
      { role: 'tool', content: full(3) },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: full(4) },
          { type: 'text', text: at(6) },
        ],
      },
    ],
    tools: [{ function: { description: full(5) } }],
  });
  expect([...expanded]).toEqual([0, 1, 2, 3, 4, 5]);
});
