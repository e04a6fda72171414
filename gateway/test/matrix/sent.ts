/** What a provider was asked, wherever its protocol has the place for it: nothing may be lost on the way. */
import { expect } from 'vitest';
import type { SeenCall } from '../../simulator/journal.ts';

/** The protocols that requests to providers are written in. */
export type Wire = 'chat' | 'responses' | 'messages' | 'google' | 'bedrock';

export type SentField =
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'seed'
  | 'stop'
  | 'cap'
  | 'user'
  | 'answers'
  | 'frequency'
  | 'presence'
  | 'verbosity';

export interface Sent {
  readonly wire: Wire;
  readonly streamed: boolean;
  readonly body: unknown;
  /** The system texts that stand before the conversation. */
  readonly system: readonly string[];
  /** The texts of the conversation; turns without one are left out. */
  readonly turns: ReadonlyArray<{ readonly role: string; readonly text: string }>;
  field(name: SentField): unknown;
}

/** The way to each field; of two ways a model has but one. */
const places: Readonly<Record<Wire, Readonly<Partial<Record<SentField, string>>>>> = {
  chat: {
    ...{ temperature: 'temperature', topP: 'top_p', topK: 'top_k', seed: 'seed', stop: 'stop' },
    ...{ cap: 'max_completion_tokens|max_tokens', user: 'user|safety_identifier', answers: 'n' },
    ...{ frequency: 'frequency_penalty', presence: 'presence_penalty', verbosity: 'verbosity' },
  },
  responses: {
    ...{ temperature: 'temperature', topP: 'top_p', cap: 'max_output_tokens' },
    ...{ user: 'user|safety_identifier', verbosity: 'text.verbosity' },
    ...{ frequency: 'frequency_penalty', presence: 'presence_penalty' },
  },
  messages: {
    ...{ temperature: 'temperature', topP: 'top_p', topK: 'top_k', stop: 'stop_sequences' },
    ...{ cap: 'max_tokens', user: 'metadata.user_id' },
  },
  google: {
    temperature: 'generationConfig.temperature',
    topP: 'generationConfig.topP',
    topK: 'generationConfig.topK',
    seed: 'generationConfig.seed',
    stop: 'generationConfig.stopSequences',
    cap: 'generationConfig.maxOutputTokens',
    answers: 'generationConfig.candidateCount',
    frequency: 'generationConfig.frequencyPenalty',
    presence: 'generationConfig.presencePenalty',
  },
  bedrock: {
    temperature: 'inferenceConfig.temperature',
    topP: 'inferenceConfig.topP',
    topK: 'additionalModelRequestFields.top_k|additionalModelRequestFields.inferenceConfig.topK',
    stop: 'inferenceConfig.stopSequences',
    cap: 'inferenceConfig.maxTokens',
  },
};

export function readSent(call: SeenCall): Sent {
  const wire = wireOf(call.path);
  const body = call.body as Json;
  const turns = conversation[wire](body);
  const begins = turns.findIndex(({ role }) => role !== 'system');
  return {
    wire,
    streamed: call.stream,
    body,
    system: turns.slice(0, begins).map(({ text }) => text),
    turns: turns.slice(begins).filter(({ text }) => text !== ''),
    field(name) {
      const place = places[wire][name];
      if (place === undefined) throw new Error(`${wire} has no place for ${name}`);
      const found = place.split('|').map((way) => valueAt(body, way.split('.')));
      return found.find((value) => value !== undefined);
    },
  };
}

function valueAt(body: Json, way: readonly string[]): unknown {
  return way.reduce<unknown>((value, step) => (value as Json | undefined)?.[step], body);
}

export function wireOf(path: string): Wire {
  if (path.endsWith('/chat/completions')) return 'chat';
  if (path.endsWith('/responses')) return 'responses';
  if (path.endsWith('/messages')) return 'messages';
  if (/\/converse(-stream)?$/.test(path)) return 'bedrock';
  expect(path).toMatch(/:(streamG|g)enerateContent$/);
  return 'google';
}

type Json = Readonly<Record<string, unknown>>;
type Turns = Array<{ role: string; text: string }>;

const conversation: Readonly<Record<Wire, (body: Json) => Turns>> = {
  chat: (body) => turnsOf(body.messages),
  responses: (body) => [
    ...systemTurns(body.instructions),
    ...(typeof body.input === 'string' ? [{ role: 'user', text: body.input }] : turnsOf(body.input)),
  ],
  messages: (body) => [...systemTurns(body.system), ...turnsOf(body.messages)],
  google: (body) => [
    ...systemTurns((body.systemInstruction as Json | undefined)?.parts),
    ...turnsOf((body.contents as Json[]).map(({ role, parts }) => ({ role, content: parts }))),
  ],
  bedrock: (body) => [...systemTurns(body.system), ...turnsOf(body.messages)],
};

function systemTurns(system: unknown): Turns {
  const parts = typeof system === 'string' ? [{ text: system }] : ((system as Json[] | undefined) ?? []);
  return parts.map((part) => ({ role: 'system', text: String(part.text) }));
}

const roles: Readonly<Record<string, string>> = { developer: 'system', model: 'assistant' };

function turnsOf(messages: unknown): Turns {
  return (messages as Json[]).map(({ role, content }) => ({
    role: roles[String(role)] ?? String(role),
    text: typeof content === 'string' ? content : textOf((content as Json[] | null) ?? []),
  }));
}

function textOf(parts: readonly Json[]): string {
  return parts.map((part) => (typeof part.text === 'string' ? part.text : '')).join('');
}
