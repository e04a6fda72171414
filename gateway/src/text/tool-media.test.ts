import { expect, test } from 'vitest';
import { moveChatMedia } from './formats/chat/tool-media.ts';
import type { ImagePart, InputPart, TextMessage } from './text-call.ts';
import { moveToolMedia } from './tool-media.ts';

const text = (value: string): InputPart => ({ type: 'text', text: value });
const image = (url: string): ImagePart => ({ type: 'image', source: { kind: 'url', url }, detail: null });
const file: InputPart = { type: 'file', source: { kind: 'url', url: 'f' }, name: 'f.pdf' };
const called = (...ids: string[]): TextMessage => ({
  role: 'assistant',
  parts: ids.map((id) => ({ type: 'tool_call', id, name: `tool_${id}`, arguments: '{}', proof: null })),
});
const result = (callId: string, ...parts: InputPart[]): TextMessage => ({
  role: 'tool',
  callId,
  parts,
  isError: false,
});
const asked: TextMessage = { role: 'user', parts: [text('Hi')] };

test('a conversation without media in results stays the same list', () => {
  const messages = [
    asked,
    called('a'),
    result('a', text('r')),
    { role: 'user', parts: [image('u')] } as const,
  ];
  expect(moveToolMedia(messages)).toBe(messages);
  const held = [asked, called('a'), result('a', image('x'))];
  expect(moveToolMedia(held, () => true)).toBe(held);
});

test('media move behind all results of the turn, each with the call that it belongs to', () => {
  const messages = [
    asked,
    called('a', 'b'),
    result('a', text('one'), image('1'), text('two'), image('2')),
    result('b', file),
    { role: 'assistant', parts: [{ type: 'text', text: 'Well.' }] } as const,
    { role: 'system', text: 'Later' } as const,
    asked,
    called('c'),
    result('c', image('3')),
    { role: 'system', text: 'Between' } as const,
    asked,
  ];
  expect(moveToolMedia(messages)).toEqual([
    asked,
    called('a', 'b'),
    result(
      'a',
      text('one'),
      text('[image 1 of this result is in the next user message]'),
      text('two'),
      text('[image 2 of this result is in the next user message]'),
    ),
    result('b', text('[file 1 of this result is in the next user message]')),
    {
      role: 'user',
      parts: [
        ...[text('Image 1 of the result of the tool call a (tool_a):'), image('1')],
        ...[text('Image 2 of the result of the tool call a (tool_a):'), image('2')],
        ...[text('File 1 of the result of the tool call b (tool_b):'), file],
      ],
    },
    messages[4],
    messages[5],
    asked,
    called('c'),
    result('c', text('[image 1 of this result is in the next user message]')),
    messages[9],
    {
      role: 'user',
      parts: [text('Image 1 of the result of the tool call c (tool_c):'), image('3'), text('Hi')],
    },
  ]);
});

test('a dialect decides for each part whether its results hold it', () => {
  const moved = moveToolMedia(
    [asked, called('a'), result('a', image('1'), file)],
    ({ type }) => type === 'image',
  );
  expect(moved[2]).toEqual(
    result('a', image('1'), text('[file 1 of this result is in the next user message]')),
  );
  expect(moved.at(-1)).toMatchObject({ role: 'user', parts: [{ type: 'text' }, file] });
});

test('a relayed chat is changed the same way, in its own words', () => {
  const part = { type: 'image_url', image_url: { url: 'x', detail: 'low' } };
  const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } };
  const messages = [
    { role: 'user' as const, content: 'Hi' },
    { role: 'assistant' as const, tool_calls: [call], name: 'kept' },
    { role: 'tool' as const, tool_call_id: 'a', content: [{ type: 'text', text: 'r' }, part] },
    { role: 'user' as const, content: 'And?' },
  ];
  expect(moveChatMedia(messages)).toEqual([
    ...messages.slice(0, 2),
    {
      role: 'tool',
      tool_call_id: 'a',
      content: [
        { type: 'text', text: 'r' },
        { type: 'text', text: '[image 1 of this result is in the next user message]' },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Image 1 of the result of the tool call a (look):' },
        part,
        { type: 'text', text: 'And?' },
      ],
    },
  ]);
  expect(moveChatMedia(messages.slice(0, 3)).at(-1)).toMatchObject({ role: 'user', content: [{}, part] });
});
