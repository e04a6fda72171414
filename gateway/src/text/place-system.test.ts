import { expect, test } from 'vitest';
import { placeSystem } from './place-system.ts';
import type { TextMessage } from './text-call.ts';

const user = (...texts: string[]): TextMessage => ({
  role: 'user',
  parts: texts.map((text) => ({ type: 'text', text })),
});
const system = (text: string): TextMessage => ({ role: 'system', text });
const said = (text: string): TextMessage => ({ role: 'assistant', parts: [{ type: 'text', text }] });
const result: TextMessage = { role: 'tool', callId: 'a', parts: [], isError: false };
const marked = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;

test('system messages before the conversation stay there', () => {
  expect(placeSystem([system('a'), system('b'), user('hi')])).toEqual({
    system: [{ text: 'a' }, { text: 'b' }],
    messages: [user('hi')],
  });
  expect(placeSystem([system('a')])).toEqual({ system: [{ text: 'a' }], messages: [] });
});

test.each<[string, TextMessage[], TextMessage[]]>([
  ['behind a user turn', [user('hi'), system('a'), said('yes')], [user(marked('a'), 'hi'), said('yes')]],
  ['several, in their order', [user('hi'), system('a'), system('b')], [user(marked('a'), marked('b'), 'hi')]],
  [
    'before a user turn',
    [user('1'), said('2'), system('a'), user('3')],
    [user('1'), said('2'), user(marked('a'), '3')],
  ],
  [
    'around a user turn',
    [user('1'), said('2'), system('a'), user('3'), system('b')],
    [user('1'), said('2'), user(marked('a'), marked('b'), '3')],
  ],
  [
    'behind a result',
    [user('1'), said('2'), result, system('a')],
    [user('1'), said('2'), result, user(marked('a'))],
  ],
  [
    'before a result, which stays first',
    [user('1'), said('2'), system('a'), result, user('3')],
    [user('1'), said('2'), result, user(marked('a'), '3')],
  ],
  [
    'between two answers',
    [user('1'), said('2'), system('a'), said('3')],
    [user('1'), said('2'), user(marked('a')), said('3')],
  ],
  ['without a word', [user('1'), system('')], [user('1')]],
])('a later system message becomes marked text of a user turn: %s', (_, given, placed) => {
  expect(placeSystem(given)).toEqual({ system: [], messages: placed });
});
