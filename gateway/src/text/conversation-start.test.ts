/** All turns of a conversation have one key, in every form that a request can have. */
import { describe, expect, test } from 'vitest';
import type { Inline } from '../json/placeholders.ts';
import { conversationKey } from './conversation-start.ts';

const keyOf = (request: object, headers: Record<string, string> | null = null, inline?: Inline): string =>
  conversationKey(request, headers, inline);

const user = (content: unknown): object => ({ role: 'user', content });
const assistant = (content: unknown): object => ({ role: 'assistant', content });
const system = { role: 'system', content: 'Be brief.' };

describe('the key of a conversation', () => {
  test('is the session in the first of the known headers', () => {
    const headers = { 'thread-id': 't', 'session-id': 's', 'x-other': 'x' };
    expect(keyOf({ prompt_cache_key: 'k', messages: [user('a')] }, headers)).toBe('s');
    expect(keyOf({ messages: [user('a')] }, { 'x-claude-code-session-id': 'c' })).toBe('c');
    expect(keyOf({ messages: [user('a')] }, { session_id: 'p' })).toBe('p');
  });

  test('is prompt_cache_key without such a header', () => {
    expect(keyOf({ prompt_cache_key: 'k', messages: [user('a')] }, { 'session-id': '' })).toBe('k');
    expect(keyOf({ prompt_cache_key: 'k', input: 'a' })).toBe('k');
  });

  test('is the session that Claude Code puts into metadata.user_id', () => {
    const json = JSON.stringify({ device_id: 'd', session_id: 'one', account_uuid: '' });
    expect(keyOf({ metadata: { user_id: json }, messages: [user('a')] })).toBe('one');
    const name = 'user_12ab_account__session_3f2b1c00-aaaa-bbbb-cccc-000000000000';
    expect(keyOf({ metadata: { user_id: name }, messages: [user('a')] })).toBe(
      '3f2b1c00-aaaa-bbbb-cccc-000000000000',
    );
    expect(keyOf({ metadata: { user_id: 'anna' }, messages: [user('a')] })).toBe(
      keyOf({ messages: [user('a')] }),
    );
    expect(keyOf({ metadata: { user_id: '{"session_id":7' }, messages: [user('a')] })).toBe(
      keyOf({ messages: [user('a')] }),
    );
  });

  test('is otherwise how it starts, which later turns do not change', () => {
    const turns = [system, user('Hello'), assistant('Hi'), user('More'), assistant('Yes'), user('Again')];
    const first = keyOf({ messages: turns.slice(0, 2) });
    for (const length of [4, 6]) expect(keyOf({ messages: turns.slice(0, length) })).toBe(first);
    expect(keyOf({ messages: [system, user('Hello!')] })).not.toBe(first);
    expect(keyOf({ messages: [{ ...system, content: 'Be long.' }, user('Hello')] })).not.toBe(first);
  });

  test('is the same for a text and a list of parts, with and without cache markers', () => {
    const marked = [{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }];
    expect(keyOf({ messages: [user(marked)] })).toBe(keyOf({ messages: [user('Hello')] }));
    const blocks = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }];
    expect(keyOf({ system: blocks, messages: [user('Hello')] })).toBe(
      keyOf({ system: 'Be brief.', messages: [user(marked)] }),
    );
  });

  test('is the same for a response and for the ones that continue it', () => {
    const kept = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] };
    const answer = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] };
    const next = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'More' }] };
    const first = keyOf({ input: 'Hello', instructions: 'Be brief.' });
    expect(keyOf({ input: [kept, answer, next], instructions: 'Be brief.', previous_response_id: 'r' })).toBe(
      first,
    );
  });

  test('tells images apart, by address and by content', () => {
    const image = (url: string): object => user([{ type: 'image_url', image_url: { url } }]);
    expect(keyOf({ messages: [image('https://a.example/1.png')] })).not.toBe(
      keyOf({ messages: [image('https://a.example/2.png')] }),
    );
    const block = (data: string): object => user([{ type: 'image', source: { type: 'base64', data } }]);
    expect(keyOf({ messages: [block('aaaa')] })).not.toBe(keyOf({ messages: [block('bbbb')] }));
  });

  test('tells long prompts apart that differ only at their end', () => {
    const long = 'The same instructions. '.repeat(2_000);
    expect(keyOf({ messages: [user(`${long}1`)] })).not.toBe(keyOf({ messages: [user(`${long}2`)] }));
  });

  test('is short however long the prompt is', () => {
    const parts = Array.from({ length: 200 }, (_, i) => ({ type: 'text', text: `${i}`.repeat(50_000) }));
    expect(keyOf({ system: parts, messages: [user(parts)] }).length).toBeLessThan(20_000);
  });
});

describe('a text that is held outside of the body', () => {
  const head = 32;
  const held = (text: string, written: (json: string) => string = (json) => json, cutAt = 5_000): string => {
    const bytes = Buffer.from(written(JSON.stringify(text.slice(head)).slice(1, -1)));
    const pieces = [bytes.subarray(0, cutAt), bytes.subarray(cutAt)].filter(({ length }) => length > 0);
    const inline: Inline = { mark: '@@mark@@', pieces: [[], pieces], texts: new Set([1]) };
    return keyOf({ messages: [user(`${text.slice(0, head)}@@mark@@0001`)] }, null, inline);
  };
  const ascii = (json: string): string =>
    json.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

  test.each([
    ['ASCII', 'x'.repeat(head) + 'plain words and "quotes"\n'.repeat(900)],
    ['Korean', 'x'.repeat(head) + '안녕하세요 세계\n'.repeat(2_000)],
    ['emoji', 'x'.repeat(head) + '👩‍🚀🚀'.repeat(2_000)],
    ['backslashes', 'x'.repeat(head) + 'C:\\new\\table\\ '.repeat(900)],
    ['little more than a kilobyte', 'x'.repeat(head) + '가'.repeat(350)],
  ])('has the key of the text in the body: %s', (_, text) => {
    const inside = keyOf({ messages: [user(text)] });
    for (const cutAt of [1, 100, 5_000, 7_001]) {
      expect(held(text, undefined, cutAt)).toBe(inside);
      expect(held(text, ascii, cutAt)).toBe(inside);
    }
  });
});
