/** Words and pictures, in and out. */
import { expect } from 'vitest';
import { drawColour } from '../../simulator/brain/colours.ts';
import { countTokens } from '../../simulator/brain/tokens.ts';
import type { Question } from './ask.ts';
import type { Feature, Seen } from './cell.ts';
import { isClaude } from './dialects.ts';

/** Scripts, joined characters, halves of pairs, and what means something to JSON or to a line of SSE. */
const EVERY_SCRIPT =
  '안녕하세요, 세계! 👩‍👩‍👧‍👦👋🏽 naïve 𝒳 "quoted" \\back\\slash\ttab\nnew line\u2028separator\u0085 </script> data: [DONE] 끝';
const FOX = 'The quick brown fox jumps over the lazy dog';
const GREEN = `data:image/png;base64,${drawColour('green').toString('base64')}`;
const ADDRESS = 'https://example.com/pictures/%EA%B3%A0%EC%96%91%EC%9D%B4.png?size=2&v=1';

export const user = (text: string): Question => ({ turns: [{ role: 'user', text }] });

/** Says nothing but X. */
export function says(text: string): (seen: Seen) => void {
  return ({ cell, reply }) => {
    const reasoning = cell.dialect.strict?.aloud ? expect.stringMatching(/^Thinking about: /) : '';
    expect(reply).toMatchObject({ text, reasoning, refusal: '', finish: 'stop', stopSequence: null });
    expect([...reply.toolCalls, ...reply.images]).toEqual([]);
  };
}

export const textFeatures = {
  'plain text': {
    ask: () => user(`Reply with exactly: ${FOX}`),
    check(seen) {
      says(FOX)(seen);
      // The count of the provider is reported, whatever each protocol counts as what.
      const { input, output = 0, reasoning } = seen.reply.usage ?? {};
      expect(input).toBe(countTokens(`Reply with exactly: ${FOX}`));
      // Anthropic counts thoughts as output and does not tell them apart.
      const untold = isClaude(seen.cell.dialect) && (seen.cell.dialect.strict?.thinks ?? 'asked') !== 'asked';
      if (!untold) expect(output - (reasoning ?? 0)).toBe(countTokens(FOX));
      // A stream that comes in one piece is none.
      if (seen.cell.streamed) expect(seen.reply.events).toBeGreaterThan(5);
    },
  },

  'text of every script': {
    ask: () => user(`Reply with exactly: ${EVERY_SCRIPT}`),
    check(seen) {
      says(EVERY_SCRIPT)(seen);
      expect(seen.sent.turns).toEqual([{ role: 'user', text: `Reply with exactly: ${EVERY_SCRIPT}` }]);
    },
  },

  'a text in several parts': {
    ask: () => ({ turns: [{ role: 'user', text: ['Be exact.', 'Reply with exactly: 둘'] }] }),
    check(seen) {
      says('둘')(seen);
      expect(seen.sent.turns).toEqual([
        { role: 'user', text: expect.stringMatching(/^Be exact\.\n?Reply with exactly: 둘$/) },
      ]);
    },
  },

  'an empty answer': {
    ask: () => user('Reply with exactly: '),
    check: says(''),
  },

  'a stream that does not ask for its usage': {
    formats: ['chat'],
    streamed: true,
    ask: () => ({ ...user('Reply with exactly: Quietly'), hidesUsage: true }),
    check(seen) {
      says('Quietly')(seen);
      expect(seen.reply).toMatchObject({ usage: null, cost: null });
    },
  },

  'a system prompt': {
    ask: () => ({ ...user('Reply with exactly: Yes'), system: ['짧게 대답하세요. Be brief.'] }),
    check(seen) {
      says('Yes')(seen);
      expect(seen.sent.system).toEqual(['짧게 대답하세요. Be brief.']);
    },
  },

  'several system messages': {
    ask: () => ({ ...user('Reply with exactly: Yes'), system: ['Be brief.', 'Be kind.'] }),
    check(seen) {
      says('Yes')(seen);
      // A dialect may join them, but never lose or swap them.
      expect(seen.sent.system.join('\n')).toMatch(/^Be brief\.\n+Be kind\.$/);
    },
  },

  'a conversation of several turns': {
    ask: () => ({ turns: conversation }),
    check(seen) {
      says('It was Ada')(seen);
      expect(seen.sent.turns).toEqual(conversation);
    },
  },

  'an image as data': {
    ask: () => ({ turns: [{ role: 'user', text: 'What colour is it?', images: [GREEN] }] }),
    check: says('The image is mostly green.'),
  },

  'an image by its address': {
    // For Bedrock the gateway fetches it (test/text/fetched-images.test.ts).
    dialects: ['openai', 'openai-compatible', 'openai-responses', 'azure-openai', 'anthropic', 'google'],
    ask: () => ({ turns: [{ role: 'user', text: 'What is on it?', images: [ADDRESS] }] }),
    check: says(`I see an image at ${ADDRESS}.`),
  },

  'several images': {
    ask: () => ({ turns: [{ role: 'user', text: 'What colours are they?', images: [GREEN, BLUE] }] }),
    check: says('The image is mostly green. The image is mostly blue.'),
  },

  'an image in the answer': {
    model: 'drawing',
    ask: () => user('Draw a yellow square'),
    check({ reply }) {
      expect(reply).toMatchObject({ text: 'Here is a yellow image.', finish: 'stop' });
      expect(reply.images).toEqual([`data:image/png;base64,${drawColour('yellow').toString('base64')}`]);
    },
  },

  'a refusal': {
    ending: 'refusal',
    ask: () => user('[[refuse]]'),
    check({ cell, reply, sent }) {
      expect(reply.text + reply.refusal).toBe("I'm sorry, but I can't help with that request.");
      // These say it as they say all else; the others tell it apart.
      if (sent.wire === 'google' || sent.wire === 'bedrock') return;
      const own = sent.wire === 'chat' || sent.wire === 'responses';
      if (own && cell.format !== 'messages') expect(reply.refusal).not.toBe('');
      else expect(reply.finish).toBe('content_filter');
    },
  },

  'a content filter': {
    ending: 'content_filter',
    ask: () => user('[[filter]]'),
    check({ reply }) {
      expect(reply.finish).toBe('content_filter');
      expect(reply.text.split(' ')).toHaveLength(6);
    },
  },

  'a prompt that is blocked': {
    dialects: ['google'],
    ending: 'content_filter',
    ask: () => user('[[block]]'),
    check({ reply }) {
      expect(reply).toMatchObject({ text: '', finish: 'content_filter', usage: { output: 0 } });
    },
  },
} as const satisfies Record<string, Feature>;

const BLUE = `data:image/png;base64,${drawColour('blue').toString('base64')}`;

const conversation: Question['turns'] = [
  { role: 'user', text: 'My name is Ada' },
  { role: 'assistant', text: 'Hello Ada' },
  { role: 'user', text: 'Mine is 수지' },
  { role: 'assistant', text: 'Hello 수지' },
  { role: 'user', text: 'Who came first? Reply with exactly: It was Ada' },
];
