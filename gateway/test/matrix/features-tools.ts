/** Calls of tools, and their results. */

import { Type } from 'typebox';
import { expect } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import type { Question, Tool, Turn } from './ask.ts';
import type { Feature, NextStep, Seen } from './cell.ts';
import { isClaude } from './dialects.ts';
import type { Reply } from './neutral-reply.ts';
import type { Wire } from './sent.ts';

const parametersOf = {
  get_weather: Type.Object(
    {
      city: Type.String(),
      days: Type.Integer({ description: 'How many days ahead' }),
      units: Type.Enum(['celsius', 'fahrenheit']),
    },
    { additionalProperties: false },
  ),
  find_places: Type.Object(
    { names: Type.Array(Type.String()), open: Type.Boolean(), 도시: Type.String() },
    { additionalProperties: false },
  ),
};
type ToolName = keyof typeof parametersOf;

const tools: readonly Tool[] = Object.entries(parametersOf).map(([name, parameters]) => ({
  ...{ name, description: `It is called ${name}`, parameters },
}));

const offer = (text: string, more: Partial<Question> = {}): Question => ({
  turns: [{ role: 'user', text }],
  tools,
  ...more,
});

/** Calls just these tools, each with an id of its own and arguments that fit. */
function calls(...names: ToolName[]): (seen: Seen) => void {
  return ({ reply }) => {
    expect(reply.toolCalls.map(({ name }) => name)).toEqual(names);
    for (const { name, arguments: written } of reply.toolCalls) {
      expect(new Shape(parametersOf[name as ToolName]).error(JSON.parse(written)), written).toBeNull();
    }
    const ids = reply.toolCalls.map(({ id }) => id).filter((id) => id !== '');
    expect(new Set(ids).size).toBe(names.length);
    expect(reply).toMatchObject({ text: '', refusal: '', finish: 'tool_calls' });
  };
}

/** What each protocol proves thoughts with; formats that have a place for it bring it back. */
const proofs: Readonly<Partial<Record<Wire, RegExp>>> = {
  messages: /"signature":"EqoB/,
  google: /"thoughtSignature":"(?!skip_)/,
  responses: /"encrypted_content":"./,
  bedrock: /"signature":"EqoB/,
};

function provesThoughts({ cell, sent }: Seen): void {
  // On Bedrock only Claude signs its thoughts.
  const proof = sent.wire === 'bedrock' && !isClaude(cell.dialect) ? undefined : proofs[sent.wire];
  if (proof !== undefined && cell.format !== 'chat') expect(JSON.stringify(sent.body)).toMatch(proof);
}

/** Sends the answer back with a result for each call, as clients do, and gets an answer about the results. */
function answerTools(
  question: Question,
  results: readonly string[],
  change: (question: Question, reply: Reply) => Question = (next) => next,
): (seen: Seen) => NextStep {
  return ({ reply }) => ({
    ask: () => {
      const answers = reply.toolCalls.map(
        ({ id }, i): Turn => ({ role: 'tool', callId: id, text: results[i] ?? '' }),
      );
      const turns = [...question.turns, { role: 'assistant', echo: reply.echo } as const, ...answers];
      return change({ ...question, turns }, reply);
    },
    check(seen) {
      // Converse takes no empty results.
      const heard = results.map((text) =>
        text === '' && seen.sent.wire === 'bedrock' ? '(no output)' : text,
      );
      expect(seen.reply).toMatchObject({ text: `The tool answered: ${heard.join('\n')}`, finish: 'stop' });
      expect(seen.reply.toolCalls).toEqual([]);
      if (question.thinks) provesThoughts(seen);
    },
  });
}

/** Only the results: all that came before is kept here. */
function byId(question: Question, { id }: Reply): Question {
  const turns = question.turns.filter(({ role }) => role === 'tool');
  return { ...question, turns, more: { previous_response_id: id } };
}

/** The items of the answer by their names alone. */
function byReferences(question: Question, { echo }: Reply): Question {
  const named = (echo as Array<{ id: string }>).map(({ id }) => ({ type: 'item_reference', id }));
  const turns = question.turns.map(
    (turn): Turn => ('echo' in turn ? { role: 'assistant', echo: named } : turn),
  );
  return { ...question, turns };
}

const weather = offer('Use get_weather for Seoul');
const both = offer('Use find_places, then get_weather');
const thinking = offer('Use get_weather for 부산', { thinks: true });

export const toolFeatures = {
  'a tool call': {
    ending: 'tool_calls',
    ask: () => weather,
    check(seen) {
      calls('get_weather')(seen);
      for (const { description } of tools) expect(JSON.stringify(seen.sent.body)).toContain(description);
    },
  },

  'a strict tool': {
    ending: 'tool_calls',
    ask: () => ({ ...weather, tools: tools.map((tool) => ({ ...tool, strict: true })) }),
    check(seen) {
      calls('get_weather')(seen);
      // A hint: it reaches the dialects that have a word for it.
      const { wire } = seen.sent;
      if (wire === 'google') return;
      expect(JSON.stringify(seen.sent.body)).toContain('"strict":true');
    },
  },

  'two tool calls at once': {
    ending: 'tool_calls',
    ask: () => both,
    check(seen) {
      calls('find_places', 'get_weather')(seen);
      // Google's calls come whole; all others come piece by piece, and go out so.
      const pieces = seen.cell.streamed && seen.sent.wire !== 'google';
      if (pieces) expect(seen.reply.events).toBeGreaterThan(12);
    },
  },

  'a tool without parameters': {
    ending: 'tool_calls',
    ask: ({ format }) => {
      // Messages have to have a schema; elsewhere there is none.
      const parameters = format === 'messages' ? { parameters: { type: 'object' } } : {};
      return { turns: [{ role: 'user', text: 'Call ping' }], tools: [{ name: 'ping', ...parameters }] };
    },
    check({ reply }) {
      expect(reply.toolCalls).toMatchObject([{ name: 'ping' }]);
      expect(JSON.parse(reply.toolCalls[0]?.arguments ?? '')).toEqual({});
    },
  },

  'a tool whose parameters have no type': {
    formats: ['chat', 'responses'],
    ending: 'tool_calls',
    ask: () => ({ turns: [{ role: 'user', text: 'Call ping' }], tools: [{ name: 'ping', parameters: {} }] }),
    check({ reply }) {
      expect(reply.toolCalls).toMatchObject([{ name: 'ping' }]);
    },
  },

  'the result of a tool': {
    ending: 'tool_calls',
    ask: () => weather,
    check: calls('get_weather'),
    next: answerTools(weather, ['21 degrees, 맑음 ☀️']),
  },

  'the results of two tools': {
    ending: 'tool_calls',
    ask: () => both,
    check: calls('find_places', 'get_weather'),
    next: answerTools(both, ['["A","B"]', '{"degrees": 21}']),
  },

  'an empty result of a tool': {
    ending: 'tool_calls',
    ask: () => weather,
    check: calls('get_weather'),
    next: answerTools(weather, ['']),
  },

  'the failure of a tool': {
    formats: ['messages'],
    ending: 'tool_calls',
    ask: () => weather,
    check: calls('get_weather'),
    next: ({ reply }) => ({
      ask: () => ({
        ...weather,
        turns: [
          ...weather.turns,
          { role: 'assistant', echo: reply.echo },
          { role: 'tool', callId: reply.toolCalls[0]?.id ?? '', text: 'no such city', failed: true },
        ],
      }),
      check({ reply, sent }) {
        expect(reply.text).toContain('no such city');
        // In the word of the protocol, or in the text.
        expect(JSON.stringify(sent.body)).toMatch(/"is_error":true|Error: no|"error":"no|"status":"error"/);
      },
    }),
  },

  'the results of tools, to a response by its id': {
    formats: ['responses'],
    model: 'thinking',
    ending: 'tool_calls',
    ask: () => thinking,
    check: calls('get_weather'),
    next: answerTools(thinking, ['9 degrees'], byId),
  },

  'the results of tools, to items by their names': {
    formats: ['responses'],
    ending: 'tool_calls',
    ask: () => both,
    check: calls('find_places', 'get_weather'),
    next: answerTools(both, ['one', 'two'], byReferences),
  },

  'the result of a tool, with thoughts before the call': {
    model: 'thinking',
    ending: 'tool_calls',
    ask: () => thinking,
    check: calls('get_weather'),
    next: answerTools(thinking, ['8 degrees']),
  },

  'the results of tools whose calls are signed': {
    model: 'signing',
    ending: 'tool_calls',
    ask: () => both,
    check: calls('find_places', 'get_weather'),
    next: answerTools(both, ['one', 'two']),
  },

  'tools that must not be called': {
    ask: () => offer('Use get_weather, in 5 words', { toolChoice: 'none' }),
    check({ reply }) {
      expect(reply.toolCalls).toEqual([]);
      expect(reply.text.split(' ')).toHaveLength(5);
    },
  },

  'tools of which one must be called': {
    ending: 'tool_calls',
    ask: () => offer('Good morning', { toolChoice: 'required' }),
    check: calls('get_weather'),
  },

  'a tool that must be called': {
    ending: 'tool_calls',
    ask: () => offer('Use get_weather', { toolChoice: { name: 'find_places' } }),
    check: calls('find_places'),
  },

  'tools one at a time': {
    ending: 'tool_calls',
    ask: () => offer('Use find_places, then get_weather', { parallelTools: false }),
    check: calls('find_places'),
  },

  'one tool, one at a time': {
    ending: 'tool_calls',
    // There is nothing to call beside it, so every dialect can carry that.
    ask: () => ({ ...weather, tools: tools.slice(0, 1), parallelTools: false }),
    check: calls('get_weather'),
  },

  'a tool that must be called, and thoughts': {
    model: 'thinking',
    ending: 'tool_calls',
    ask: () => offer('Good morning', { toolChoice: { name: 'find_places' }, thinks: true }),
    check: calls('find_places'),
  },
} as const satisfies Record<string, Feature>;
