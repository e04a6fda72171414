/** Single fields that steer a model, and those that only one format knows. */
import { expect } from 'vitest';
import type { Format, Question } from './ask.ts';
import type { Feature, Seen } from './cell.ts';
import { isClaude } from './dialects.ts';
import { says, user } from './features-text.ts';
import type { SentField } from './sent.ts';

/** A field that reaches the provider as it was said. */
function carried(
  said: Partial<Question>,
  expected: Partial<Record<SentField, unknown>>,
): Pick<Feature, 'ask' | 'check'> {
  return {
    ask: () => ({ ...user('Reply with exactly: Yes'), ...said }),
    check(seen) {
      says('Yes')(seen);
      for (const [name, value] of Object.entries(expected)) {
        expect(seen.sent.field(name as SentField), name).toEqual(taken(seen, name) ? value : undefined);
      }
    },
  };
}

const SAMPLING = ['temperature', 'topP', 'topK'];

/** Newer models have nothing that a temperature would change. */
function taken({ cell }: Seen, name: string): boolean {
  return (cell.dialect.strict?.samples ?? true) || !SAMPLING.includes(name);
}

/** A field that our contract does not read, and the provider of the same format does. */
const foreign: Readonly<Record<Format, Readonly<Record<string, unknown>>>> = {
  chat: { logit_bias: { '50256': -100, '1': 1.5 } },
  responses: { top_logprobs: 3 },
  messages: { inference_geo: 'eu' },
};

export const fieldFeatures = {
  temperature: carried({ temperature: 0.25 }, { temperature: 0.25 }),
  'a temperature of zero': carried({ temperature: 0 }, { temperature: 0 }),
  'a temperature above one': {
    formats: ['chat', 'responses'],
    ...carried({ temperature: 1.5 }, { temperature: 1.5 }),
  },
  top_p: carried({ topP: 0.9 }, { topP: 0.9 }),
  top_k: { formats: ['chat', 'messages'], ...carried({ topK: 40 }, { topK: 40 }) },
  'temperature and top_p': {
    ask: () => ({ ...user('Reply with exactly: Yes'), temperature: 0.5, topP: 0.9 }),
    check(seen) {
      says('Yes')(seen);
      expect(seen.sent.field('temperature')).toBe(taken(seen, 'temperature') ? 0.5 : undefined);
      // Anthropic's newer models take one of the two alone.
      const both = !isClaude(seen.cell.dialect) && taken(seen, 'topP');
      expect(seen.sent.field('topP')).toBe(both ? 0.9 : undefined);
    },
  },
  verbosity: {
    formats: ['chat', 'responses'],
    ...carried({ verbosity: 'low' }, { verbosity: 'low' }),
  },
  seed: { formats: ['chat'], ...carried({ seed: 1234 }, { seed: 1234 }) },
  penalties: {
    formats: ['chat', 'responses'],
    ...carried({ penalties: { frequency: 0.5, presence: -0.5 } }, { frequency: 0.5, presence: -0.5 }),
  },
  'penalties of zero': {
    formats: ['chat', 'responses'],
    ...carried({ penalties: { frequency: 0, presence: 0 } }, {}),
  },
  'the name of the end user': {
    ask: () => ({ ...user('Reply with exactly: Yes'), user: 'user-사용자-1' }),
    check(seen) {
      says('Yes')(seen);
      const { wire, body } = seen.sent;
      // A tag that changes no answer: providers without a field for it go without.
      if (wire === 'google' || wire === 'bedrock') expect(JSON.stringify(body)).not.toContain('사용자');
      else expect(seen.sent.field('user')).toBe('user-사용자-1');
    },
  },

  'a field of the format alone': {
    ask: ({ format }) => ({ ...user('Reply with exactly: Yes'), more: foreign[format] }),
    check(seen: Seen) {
      says('Yes')(seen);
      expect(seen.sent.body).toMatchObject(foreign[seen.cell.format]);
    },
  },

  'a field that nobody knows': {
    ask: () => ({ ...user('Reply with exactly: Yes'), more: { x_made_up: { deep: ['값', 1.5] } } }),
    check(seen) {
      says('Yes')(seen);
      expect(seen.sent.body).toMatchObject({ x_made_up: { deep: ['값', 1.5] } });
    },
  },
} as const satisfies Record<string, Feature>;
