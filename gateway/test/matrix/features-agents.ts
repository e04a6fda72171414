/** What coding agents send besides: functions in namespaces, offers of searches, notes about their session. */
import { expect } from 'vitest';
import { sha256 } from '../../src/kernel/digest.ts';
import type { Question, Turn } from './ask.ts';
import type { Feature, NextStep, Seen } from './cell.ts';
import { says, user } from './features-text.ts';
import type { Reply } from './neutral-reply.ts';
import type { Item } from './response-items.ts';

const LATE = 'From now on be brief.';
const MARKED = `<system-reminder>\n${LATE}\n</system-reminder>`;

/** At its place where the protocol has one, else marked at the head of the turn of the user. */
function toldLate(at: number): (seen: Seen) => void {
  return (seen) => {
    says('Yes')(seen);
    const { cell, sent } = seen;
    const own = sent.wire === cell.format || sent.wire === 'chat' || sent.wire === 'responses';
    if (own) expect(sent.turns[at]).toEqual({ role: 'system', text: LATE });
    else
      expect(sent.turns.at(-1)?.text.replaceAll('\n', '')).toBe(
        `${MARKED}Reply with exactly: Yes`.replaceAll('\n', ''),
      );
    if (cell.format !== 'responses' && sent.wire === 'responses')
      expect(JSON.stringify(sent.body)).toContain('"role":"developer"');
  };
}

const parameters = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const inner = (name: string) => ({
  type: 'function',
  name,
  description: `To ${name}`,
  parameters,
  strict: false,
});
const agents = {
  type: 'namespace',
  name: 'multi_agent_v1',
  description: 'Other agents.',
  tools: [inner('spawn_agent'), inner('close_agent')],
};
const LONG = 'n'.repeat(60);
const longNames = { type: 'namespace', name: LONG, description: 'Long.', tools: [inner('close_agent')] };
const plain = inner('multi_agent_v1__spawn_agent');

const offer = (text: string, tools: readonly object[], more: object = {}): Question => ({
  ...user(text),
  more: { tools, ...more },
});

/** The one call of the answer, by both of its names. */
function callsInner(namespace: string, name: string): (seen: Seen) => void {
  return ({ cell, reply, sent }) => {
    const [call, ...more] = (reply.echo as Item[]).filter(({ type }) => type === 'function_call');
    expect(more).toEqual([]);
    expect(call).toMatchObject({ namespace, name });
    expect(JSON.parse(call?.arguments ?? '')).toEqual({ id: expect.any(String) });
    if (sent.wire === cell.format) return;
    expect(JSON.stringify(sent.body), 'the functions go by names that tell both').not.toContain(
      '"namespace"',
    );
    expect(JSON.stringify(sent.body)).toContain(namespace.slice(0, 40));
  };
}

/** The call and its result come back, the result as a list of texts. */
function answersInner(
  question: Question,
  change: (next: Question, reply: Reply) => Question = (next) => next,
): (seen: Seen) => NextStep {
  return ({ reply }) => ({
    ask: () => {
      const output = [{ type: 'input_text', text: 'closed' }];
      const result = { type: 'function_call_output', call_id: reply.toolCalls[0]?.id, output };
      const turns = [
        ...question.turns,
        { role: 'assistant', echo: [...(reply.echo as object[]), result] } as const,
      ];
      return change({ ...question, turns }, reply);
    },
    check(seen) {
      expect(seen.reply).toMatchObject({ text: 'The tool answered: closed', finish: 'stop', toolCalls: [] });
    },
  });
}

/** Only the result: the call itself is kept here, with both of its names. */
function byId(question: Question, { id }: Reply): Question {
  const [last] = question.turns.slice(-1) as Array<{ echo: object[] }>;
  const turns: Turn[] = [{ role: 'assistant', echo: last?.echo.slice(-1) }];
  return { turns, more: { ...question.more, previous_response_id: id } };
}

/** Named as each protocol has it. */
const closes = offer('Use close_agent, which is multi_agent_v1__close_agent', [inner('shell'), agents]);
const forced = { tool_choice: { type: 'function', name: 'close_agent' } };
const shortened = offer('Hi', [longNames, inner('shell')], forced);
const search = { type: 'web_search', external_web_access: true };
const USER = JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: 's'.repeat(36) });

const deferred = (name: string): object => ({
  ...{ name, description: `To ${name}`, input_schema: parameters, defer_loading: true },
});

export const agentFeatures = {
  'a system message amid the conversation': {
    ask: () => ({
      turns: [
        { role: 'user', text: 'Hello' },
        { role: 'assistant', text: 'Hello!' },
        { role: 'system', text: LATE },
        { role: 'user', text: 'Reply with exactly: Yes' },
      ],
    }),
    check: toldLate(2),
  },

  'a system message behind the question': {
    ask: () => ({
      turns: [
        { role: 'user', text: 'Reply with exactly: Yes' },
        { role: 'system', text: LATE },
      ],
    }),
    check: toldLate(1),
  },

  'a function of a namespace': {
    formats: ['responses'],
    ending: 'tool_calls',
    ask: () => closes,
    check: callsInner('multi_agent_v1', 'close_agent'),
    next: answersInner(closes),
  },

  'the result of a function of a namespace, to a response by its id': {
    formats: ['responses'],
    ending: 'tool_calls',
    ask: () => closes,
    check: callsInner('multi_agent_v1', 'close_agent'),
    next: answersInner(closes, byId),
  },

  'a function of a namespace whose name is too long': {
    formats: ['responses'],
    ending: 'tool_calls',
    ask: () => shortened,
    check: callsInner(LONG, 'close_agent'),
    next: answersInner(shortened, ({ more, ...next }) => ({ ...next, more: { tools: more?.tools } })),
  },

  'a function of a namespace that must be called': {
    formats: ['responses'],
    ending: 'tool_calls',
    // The joined name is that of another function, which must not be called in its place.
    ask: () => offer('Hi', [plain, agents], { tool_choice: { type: 'function', name: 'spawn_agent' } }),
    check: callsInner('multi_agent_v1', 'spawn_agent'),
  },

  'a search of the web that is on offer': {
    formats: ['responses'],
    ask: () => offer('Reply with exactly: Yes', [search], { tool_choice: 'auto' }),
    check(seen) {
      says('Yes')(seen);
      const { cell, sent } = seen;
      if (sent.wire === cell.format) expect(sent.body).toMatchObject({ tools: [search] });
      else expect(JSON.stringify(sent.body)).not.toContain('web_search');
    },
  },

  'a search of the web that is demanded': {
    formats: ['responses'],
    dialects: ['openai-compatible', 'anthropic', 'google', 'bedrock'],
    ask: () => offer('Hi', [search], { tool_choice: { type: 'web_search' } }),
    check: () => expect.fail('it is refused'),
  },

  'notes about the session of an agent': {
    formats: ['responses'],
    ask: () => ({
      ...user('Reply with exactly: Yes'),
      more: { client_metadata: { session_id: 'session-1', 'x-codex-turn-metadata': '{"a":1}' } },
    }),
    check(seen) {
      says('Yes')(seen);
      const { cell, sent } = seen;
      expect(JSON.stringify(sent.body).includes('session-1')).toBe(sent.wire === cell.format);
    },
  },

  'what to forget of earlier thoughts': {
    formats: ['messages'],
    ask: () => ({
      ...user('Reply with exactly: Yes'),
      headers: { 'anthropic-beta': 'context-management-2025-06-27' },
      more: { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } },
    }),
    check(seen) {
      says('Yes')(seen);
      const { cell, sent } = seen;
      expect(JSON.stringify(sent.body).includes('clear_thinking')).toBe(sent.wire === cell.format);
    },
  },

  'a tool that is loaded on demand': {
    formats: ['messages'],
    ending: 'tool_calls',
    ask: () => ({
      turns: [
        { role: 'user', text: 'Look for it' },
        { role: 'assistant', echo: [{ type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: {} }] },
        { role: 'tool', callId: 'toolu_1', text: [{ type: 'tool_reference', tool_name: 'found_one' }] },
        { role: 'user', text: 'Use found_one or hidden_one' },
      ],
      headers: { 'anthropic-beta': 'advanced-tool-use-2025-11-20' },
      more: {
        tools: [
          { name: 'ToolSearch', input_schema: parameters },
          deferred('hidden_one'),
          deferred('found_one'),
        ],
      },
    }),
    check({ cell, reply, sent }) {
      expect(reply.toolCalls).toMatchObject([{ name: 'found_one' }]);
      if (sent.wire === cell.format) return;
      const body = JSON.stringify(sent.body);
      expect(body).not.toMatch(/defer_loading|To hidden_one/);
      expect(body).toContain('The tool found_one is loaded.');
    },
  },

  'a long name of the end user': {
    ask: () => ({ ...user('Reply with exactly: Yes'), user: USER }),
    check(seen) {
      says('Yes')(seen);
      const { wire, body } = seen.sent;
      // A tag that changes no answer: whole, as a digest, or not at all.
      if (wire === 'google' || wire === 'bedrock') expect(JSON.stringify(body)).not.toContain('device_id');
      else expect(seen.sent.field('user')).toBe(wire === 'messages' ? USER : sha256(USER));
    },
  },
} as const satisfies Record<string, Feature>;
