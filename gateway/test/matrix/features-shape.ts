/** The shape and the length of answers: JSON, stop sequences, caps, several answers, thoughts. */
import { Type } from 'typebox';
import { expect } from 'vitest';
import { countTokens } from '../../simulator/brain/tokens.ts';
import { Shape } from '../../src/contract/check-shape.ts';
import type { Feature, Seen } from './cell.ts';
import { isClaude } from './dialects.ts';
import { user } from './features-text.ts';

const closed = { additionalProperties: false };
const Person = Type.Object(
  {
    name: Type.String(),
    age: Type.Integer(),
    이름: Type.String({ description: 'The name in Korean' }),
    mood: Type.Enum(['glad', 'sad']),
    friends: Type.Array(Type.Object({ name: Type.String(), close: Type.Boolean() }, closed)),
  },
  closed,
);
const person = new Shape(Person);
/** Bounds that OpenAI takes in strict schemas, and Anthropic does not. */
const Box = Type.Object(
  {
    size: Type.Integer({ minimum: 1, maximum: 9 }),
    tags: Type.Array(Type.String(), { minItems: 2, maxItems: 3 }),
  },
  closed,
);
const CAP = 32;
/** Cues that the simulator takes as the state of its cache; the question itself has 6 tokens. */
const WRITES = `[[cache-write 9]] ${'Be kind. '.repeat(10)}`;
const READS = `[[cached 7]] ${'Be brief. '.repeat(10)}`;
/** Longer than the cap by far. */
const LONG = 'Write 200 words about the sea';

function isCut({ reply, sent }: Seen): void {
  expect(reply.finish).toBe('length');
  expect(reply.text).not.toBe('');
  expect(reply.usage?.output).toBe(CAP);
  expect(sent.field('cap')).toBe(CAP);
}

function isObject({ reply }: Seen): void {
  expect(JSON.parse(reply.text)).toEqual({ answer: expect.stringMatching(/./) });
  expect(reply.finish).toBe('stop');
}

function fits({ reply }: Seen): void {
  expect(person.error(JSON.parse(reply.text)), reply.text).toBeNull();
  expect(reply.finish).toBe('stop');
}

export const shapeFeatures = {
  'a JSON object': {
    // Messages have schemas only.
    formats: ['chat', 'responses'],
    ask: () => ({ ...user('Answer in JSON'), json: 'object' }),
    check: isObject,
  },

  'JSON that fits a schema': {
    ask: () => ({ ...user('Tell me about a person'), json: Person }),
    check: fits,
  },

  'JSON that fits a schema with bounds': {
    ask: () => ({ ...user('Tell me about a box'), json: Box }),
    check(seen) {
      const { sent, reply } = seen;
      expect(reply.finish).toBe('stop');
      expect(JSON.parse(reply.text)).toMatchObject({ size: expect.any(Number), tags: expect.any(Array) });
      // Written into the prompt where the provider does not enforce them.
      const body = JSON.stringify(sent.body);
      const narrowed = sent.wire === 'messages' || sent.wire === 'bedrock';
      expect(body).toContain(narrowed ? '{minimum: 1, maximum: 9}' : '"minimum":1');
    },
  },

  'a strict tool with bounds': {
    formats: ['chat', 'responses'],
    ending: 'tool_calls',
    ask: () => ({
      ...user('Use pack_box'),
      tools: [{ name: 'pack_box', description: 'Packs.', parameters: Box, strict: true }],
    }),
    check({ reply }) {
      expect(reply.toolCalls).toMatchObject([{ name: 'pack_box' }]);
    },
  },

  'a JSON object, by the field of chat': {
    formats: ['responses'],
    ask: () => ({ ...user('Answer in JSON'), more: { response_format: { type: 'json_object' } } }),
    check: isObject,
  },

  'JSON that fits a schema, by the field of chat': {
    formats: ['responses'],
    ask: () => {
      const json_schema = { name: 'person', schema: Person, strict: true };
      return { ...user('A person'), more: { response_format: { type: 'json_schema', json_schema } } };
    },
    check: fits,
  },

  'a stop sequence': {
    formats: ['chat', 'messages'],
    ending: 'stop_sequence',
    ask: () => ({ ...user('Reply with exactly: one, two, 그만 three'), stop: ['never', '그만'] }),
    check({ cell, reply, sent }) {
      expect(reply).toMatchObject({ text: 'one, two, ', finish: 'stop' });
      expect(sent.field('stop')).toEqual(['never', '그만']);
      if (cell.format === 'messages') expect(reply.stopSequence).toBe(isClaude(cell.dialect) ? '그만' : null);
    },
  },

  'six stop sequences': {
    // Chat itself takes four.
    formats: ['messages'],
    ending: 'stop_sequence',
    ask: () => ({ ...user('Reply with exactly: one f'), stop: ['a', 'b', 'c', 'd', ' e', 'f'] }),
    check({ reply, sent }) {
      expect(reply).toMatchObject({ text: 'one ', finish: 'stop' });
      expect(sent.field('stop')).toEqual(['a', 'b', 'c', 'd', ' e', 'f']);
    },
  },

  'one stop sequence as a text': {
    formats: ['chat'],
    ending: 'stop_sequence',
    ask: () => ({ ...user('Reply with exactly: one, two, three'), more: { stop: 'two' } }),
    check({ reply, sent }) {
      expect(reply).toMatchObject({ text: 'one, ', finish: 'stop' });
      expect([sent.field('stop')].flat()).toEqual(['two']);
    },
  },

  'an output cap': {
    ending: 'length',
    ask: () => ({ ...user(LONG), outputTokensMax: CAP }),
    check: isCut,
  },

  'an output cap in its older field': {
    formats: ['chat'],
    model: 'thinking',
    ending: 'length',
    ask: () => ({ ...user(LONG), more: { max_tokens: CAP } }),
    check: isCut,
  },

  'two answers': {
    formats: ['chat'],
    ask: () => ({ ...user('Tell me about the sea'), answers: 2 }),
    check({ reply, sent }) {
      expect(reply.answers).toHaveLength(2);
      for (const { text, finish } of reply.answers) {
        expect(text).not.toBe('');
        expect(finish).toBe('stop');
      }
      expect(sent.field('answers')).toBe(2);
    },
  },

  thoughts: {
    model: 'thinking',
    ask: ({ dialect }) => {
      // Servers that speak OpenAI's protocol may think aloud; OpenAI itself never does.
      const aloud = dialect.dialect === 'openai-compatible' ? '[[think]] ' : '';
      return { ...user(`${aloud}Reply with exactly: Done`), thinks: true };
    },
    check({ cell, reply, sent }) {
      expect(reply).toMatchObject({ text: 'Done', finish: 'stop' });
      const hidden = sent.wire === 'chat' && cell.dialect.dialect !== 'openai-compatible';
      if (hidden) expect(reply.reasoning).toBe('');
      else expect(reply.reasoning).toMatch(/^Thinking about: /);
      // Anthropic and Bedrock count thoughts as output and do not tell them apart.
      if (sent.wire !== 'messages' && sent.wire !== 'bedrock') {
        expect(reply.usage?.reasoning).toBeGreaterThan(0);
      }
    },
  },

  'no thoughts at all': {
    formats: ['chat', 'responses'],
    model: 'thinking',
    ask: () => ({ ...user('Reply with exactly: Done'), thinks: false }),
    check({ cell, reply }) {
      expect(reply).toMatchObject({ text: 'Done', reasoning: '' });
      // A model that has to think does so as little as it can.
      if (cell.dialect.strict?.thinks !== 'always') expect(reply.usage).toMatchObject({ reasoning: 0 });
    },
  },

  'sealed thoughts': {
    dialects: ['anthropic', 'bedrock'],
    model: 'thinking',
    ask: () => ({ ...user('[[redact]] Reply with exactly: Done'), thinks: true }),
    check({ reply }) {
      expect(reply).toMatchObject({ text: 'Done', reasoning: '', finish: 'stop' });
    },
    next: ({ reply }) => ({
      ask: () => ({
        turns: [
          { role: 'user', text: '[[redact]] Reply with exactly: Done' },
          { role: 'assistant', echo: reply.echo },
          { role: 'user', text: 'Reply with exactly: Again' },
        ],
      }),
      check({ cell, reply, sent }) {
        expect(reply).toMatchObject({ text: 'Again', finish: 'stop' });
        // Chat has no place for what is sealed.
        if (cell.format !== 'chat')
          expect(JSON.stringify(sent.body)).toMatch(/"redacted(?:_thinking|Content)"/);
      },
    }),
  },

  'tokens written to a cache': {
    dialects: ['anthropic', 'bedrock'],
    ask: () => ({ ...user('Reply with exactly: Yes'), system: [WRITES] }),
    check({ reply, written }) {
      expect(written).toBe(9);
      expect(reply.usage).toMatchObject({ cached: 0, input: countTokens(WRITES) + 6 });
    },
  },

  'tokens read from a cache': {
    ask: () => ({ ...user('Reply with exactly: Yes'), system: [READS] }),
    check({ reply }) {
      expect(reply.usage).toMatchObject({ cached: 7, input: countTokens(READS) + 6 });
    },
  },
} as const satisfies Record<string, Feature>;
