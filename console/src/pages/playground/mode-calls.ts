/**
 * What the playground does in each of its modes: one entry for each, and its name in texts.ts. Adding a mode needs nothing
 * else. Pure.
 */
import type { PlayMode } from '../../../../gateway/src/contract/paid-endpoints.ts';
import {
  addChat,
  addMessage,
  addResponse,
  noPlayAnswer,
  type PlayAnswer,
  type PlayJson,
  readOutput,
  spent,
} from './read-play.ts';
import type { FieldName } from './use-playground.ts';
import { type PastTurn, writeHistory } from './write-history.ts';

export interface PlaySettings {
  readonly prompt: string;
  /** What this model was asked and answered before. */
  readonly history: readonly PastTurn[];
  readonly system: string;
  /** As typed; empty: the default of the model. */
  readonly temperature: string;
  readonly maxTokens: string;
  readonly dimensions: string;
  readonly size: string;
  readonly quality: string;
  readonly tools: unknown;
  readonly schema: unknown;
}

interface ModeCall {
  /** The fields of a request beside its model. */
  write(settings: PlaySettings): Record<string, unknown>;
  /** Reads an answer in one piece. */
  read(body: PlayJson): PlayAnswer;
  /** Adds the next frame of a stream; null: its answers are not streamed. */
  readonly add: ((answer: PlayAnswer, frame: PlayJson) => PlayAnswer) | null;
  /** The method of the official libraries; null: they have none. */
  readonly method: string | null;
  readonly settings: readonly SettingLine[];
  readonly prompt: PromptLabel;
}

export type PromptLabel = 'prompt' | 'promptInput';

export interface SettingLine {
  readonly name: FieldName;
  readonly label: 'temperature' | 'maxTokens' | 'dimensions' | 'size' | 'quality' | 'tools' | 'schema';
  readonly numeric?: boolean;
  /** Rows of a JSON editor. */
  readonly rows?: number;
}

/** The messages format requires a cap. */
const MESSAGES_TOKENS_DEFAULT = 1_024;
const SCHEMA_NAME = 'answer';
const FIRST_NUMBERS = 8;

const textSettings: readonly SettingLine[] = [
  { name: 'temperature', label: 'temperature', numeric: true },
  { name: 'max', label: 'maxTokens', numeric: true },
  { name: 'tools', label: 'tools', rows: 4 },
  { name: 'schema', label: 'schema', rows: 4 },
];

export const modeCalls: Readonly<Record<PlayMode, ModeCall>> = {
  chat: {
    write: ({ prompt, history, system, temperature, maxTokens, tools, schema }) => ({
      messages: [
        ...(system === '' ? [] : [{ role: 'system', content: system }]),
        ...writeHistory('chat', { history, prompt }),
      ],
      ...numbers({ temperature, max_completion_tokens: maxTokens }),
      ...(tools !== undefined && { tools }),
      ...(schema !== undefined && {
        response_format: { type: 'json_schema', json_schema: { name: SCHEMA_NAME, schema } },
      }),
    }),
    read: (body) => ({ ...noPlayAnswer, ...addChat(noPlayAnswer, body) }),
    add: (answer, frame) => ({ ...answer, ...addChat(answer, frame), ...spent(answer, frame) }),
    method: 'chat.completions.create',
    settings: textSettings,
    prompt: 'prompt',
  },
  responses: {
    write: ({ prompt, history, system, temperature, maxTokens, tools, schema }) => ({
      input: history.length === 0 ? prompt : writeHistory('responses', { history, prompt }),
      ...(system !== '' && { instructions: system }),
      ...numbers({ temperature, max_output_tokens: maxTokens }),
      ...(tools !== undefined && { tools }),
      ...(schema !== undefined && { text: { format: { type: 'json_schema', name: SCHEMA_NAME, schema } } }),
    }),
    read: (body) => readOutput(noPlayAnswer, body),
    add: addResponse,
    method: 'responses.create',
    settings: textSettings,
    prompt: 'prompt',
  },
  messages: {
    write: ({ prompt, history, system, temperature, maxTokens, tools, schema }) => ({
      max_tokens: maxTokens === '' ? MESSAGES_TOKENS_DEFAULT : Number(maxTokens),
      messages: writeHistory('messages', { history, prompt }),
      ...(system !== '' && { system }),
      ...numbers({ temperature }),
      ...(tools !== undefined && { tools }),
      ...(schema !== undefined && { output_config: { format: { type: 'json_schema', schema } } }),
    }),
    read: (body) => ({
      ...noPlayAnswer,
      text: (body.content ?? []).map(({ text = '' }) => text).join(''),
      toolCalls: (body.content ?? [])
        .filter(({ type }) => type === 'tool_use')
        .map(({ id = '', name = '', input }) => ({ id, name, args: JSON.stringify(input) })),
      finishReason: body.stop_reason ?? null,
    }),
    add: addMessage,
    method: 'messages.create',
    settings: textSettings,
    prompt: 'prompt',
  },
  embeddings: {
    write: ({ prompt, dimensions }) => ({ input: prompt, ...numbers({ dimensions }) }),
    read: (body) => {
      const vector = body.data?.[0]?.embedding ?? [];
      return { ...noPlayAnswer, vector: { length: vector.length, first: vector.slice(0, FIRST_NUMBERS) } };
    },
    add: null,
    method: 'embeddings.create',
    settings: [{ name: 'dimensions', label: 'dimensions', numeric: true }],
    prompt: 'promptInput',
  },
  image: {
    write: ({ prompt, size, quality }) => ({
      prompt,
      ...(size !== '' && { size }),
      ...(quality !== '' && { quality }),
    }),
    read: (body) => {
      const type = ['png', 'jpeg', 'webp'].find((known) => known === body.output_format) ?? 'png';
      const images = (body.data ?? []).flatMap(({ b64_json: bytes }) =>
        bytes === undefined ? [] : [`data:image/${type};base64,${bytes}`],
      );
      return { ...noPlayAnswer, images };
    },
    add: null,
    method: 'images.generate',
    settings: [
      { name: 'size', label: 'size' },
      { name: 'quality', label: 'quality' },
    ],
    prompt: 'prompt',
  },
};

function numbers(fields: Readonly<Record<string, string>>): Record<string, number> {
  const given = Object.entries(fields).filter(([, text]) => text.trim() !== '');
  return Object.fromEntries(given.map(([name, text]) => [name, Number(text)]));
}
