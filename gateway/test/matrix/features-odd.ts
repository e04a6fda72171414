/** What some providers accept and others do not: it is put right on the way, or refused by the name that the caller knows. */
import { expect } from 'vitest';
import type { Format, Turn } from './ask.ts';
import type { Feature, Seen } from './cell.ts';
import { shapeFeatures } from './features-shape.ts';
import { says } from './features-text.ts';
import type { Wire } from './sent.ts';

/** Protocols in which a conversation begins with the user, and the system stands before it. */
const STRICT: readonly Wire[] = ['messages', 'google', 'bedrock'];

const isStrict = ({ sent }: Seen): boolean => STRICT.includes(sent.wire);

/** A call that was cut in the middle, as a client keeps it. */
const cutCall: Readonly<Record<Exclude<Format, 'messages'>, unknown>> = {
  chat: {
    ...{ role: 'assistant', content: null },
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city": ' } }],
  },
  responses: [{ type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{"city": ' }],
};

export const oddFeatures = {
  'an assistant who speaks first': {
    ask: () => ({
      turns: [
        { role: 'assistant', text: 'Hello! I am Ada.' },
        { role: 'user', text: 'Reply with exactly: Yes' },
      ],
    }),
    check(seen) {
      says('Yes')(seen);
      const [first, second] = seen.sent.turns;
      if (!isStrict(seen)) expect(first).toEqual({ role: 'assistant', text: 'Hello! I am Ada.' });
      else expect(first).toEqual({ role: 'user', text: expect.stringMatching(/^<system-reminder>/) });
      if (isStrict(seen)) expect(second).toEqual({ role: 'assistant', text: 'Hello! I am Ada.' });
    },
  },

  'a system message alone': {
    ask: () => ({ turns: [{ role: 'system', text: 'Reply with exactly: Yes' }] }),
    check(seen) {
      // Where it is sent as it is, nobody asked the model anything.
      if (isStrict(seen)) says('Yes')(seen);
      else expect(seen.reply.text).not.toBe('');
    },
  },

  'blank texts': {
    ask: () => ({
      system: [' '],
      turns: [
        { role: 'user', text: 'Hello' },
        { role: 'assistant', text: '' },
        { role: 'user', text: ['', ' \n', 'Reply with exactly: Yes'] },
      ],
    }),
    check: says('Yes'),
  },

  'an effort and a temperature': {
    model: 'thinking',
    ask: () => ({
      turns: [{ role: 'user', text: 'Reply with exactly: Yes' }],
      thinks: true,
      temperature: 0.5,
    }),
    check({ reply }) {
      expect(reply).toMatchObject({ text: 'Yes', finish: 'stop' });
    },
  },

  'JSON that fits a schema, with tools on offer': {
    ask: () => ({
      ...shapeFeatures['JSON that fits a schema'].ask(),
      tools: [{ name: 'look_up', description: 'Looks up.', parameters: { type: 'object', properties: {} } }],
    }),
    check: shapeFeatures['JSON that fits a schema'].check,
  },

  'arguments of an earlier call that are not JSON': {
    formats: ['chat', 'responses'],
    ask: ({ format }) => ({
      turns: [
        { role: 'user', text: 'What is the weather?' },
        { role: 'assistant', echo: cutCall[format as 'chat' | 'responses'] },
        { role: 'tool', callId: 'c1', text: 'no such city' },
        { role: 'user', text: 'Reply with exactly: Yes' },
      ] satisfies Turn[],
    }),
    check({ reply, sent }) {
      expect(reply).toMatchObject({ text: 'Yes', finish: 'stop' });
      expect(JSON.stringify(sent.body)).toContain('{\\"city\\": ');
    },
  },
} as const satisfies Record<string, Feature>;
