import { expect, test } from 'vitest';
import { arrangeTurns } from './arrange-turns.ts';
import type { OutputPart, TextMessage } from './text-call.ts';

const user = (...texts: string[]): TextMessage => ({
  role: 'user',
  parts: texts.map((text) => ({ type: 'text', text })),
});
const system = (text: string): TextMessage => ({ role: 'system', text });
const said = (...parts: OutputPart[]): TextMessage => ({ role: 'assistant', parts });
const text = (words: string): OutputPart => ({ type: 'text', text: words });

test('an assistant who speaks first answers a turn of the user that says so', () => {
  const { messages } = arrangeTurns([system('s'), said(text('Hello!')), user('Hi')]);
  expect(messages).toMatchObject([
    { role: 'user', parts: [{ text: expect.stringContaining('<system-reminder>') }] },
    { role: 'assistant' },
    { role: 'user', parts: [{ text: 'Hi' }] },
  ]);
});

test('system messages alone: the last one is asked by the user', () => {
  expect(arrangeTurns([system('a')])).toEqual({ system: [], messages: [user('a')] });
  expect(arrangeTurns([system('a'), system('b'), user(' ')])).toEqual({
    system: [{ text: 'a' }],
    messages: [user('b')],
  });
});

test('blank texts are left out, and turns that have nothing else', () => {
  const proof = { dialect: 'anthropic', value: 'v' };
  const thought: OutputPart = { type: 'reasoning', text: '', proof };
  const result: TextMessage = {
    role: 'tool',
    callId: 'a',
    parts: [{ type: 'text', text: '' }],
    isError: false,
  };
  const { system: instructions, messages } = arrangeTurns([
    system(' \n'),
    user('Hi', '', '\t'),
    said(text('')),
    said(thought, text(' ')),
    result,
    user('', ' '),
  ]);
  expect(instructions).toEqual([]);
  expect(messages).toEqual([user('Hi'), said(thought), { ...result, parts: [] }]);
});

test('a call without any content is rejected, naming its place', () => {
  const blank = { ...user(' '), at: 'messages[0]' };
  expect(() => arrangeTurns([blank])).toThrow(
    expect.objectContaining({ field: 'messages', at: 'messages[0]' }),
  );
});
