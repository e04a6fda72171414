/** Makes the request of a model from what was typed. Pure. */
import { type Mode, modePaths } from './modes.ts';
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

export interface PlayRequest {
  readonly mode: Mode;
  readonly path: string;
  /** Beside the key and the content type. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly streams: boolean;
}

/** The messages format requires a cap. */
export const MESSAGES_TOKENS_DEFAULT = 1_024;
const SCHEMA_NAME = 'answer';

export function writeRequest(
  mode: Mode,
  model: { id: string; streams: boolean },
  settings: PlaySettings,
): PlayRequest {
  const streams = model.streams && mode !== 'embeddings' && mode !== 'image';
  const body = { model: model.id, ...writers[mode](settings), ...(streams && { stream: true }) };
  return {
    mode,
    path: modePaths[mode],
    headers: mode === 'messages' ? { 'vendor-version': '2023-06-01' } : {},
    body: streams && mode === 'chat' ? { ...body, stream_options: { include_usage: true } } : body,
    streams,
  };
}

const writers: Readonly<Record<Mode, (settings: PlaySettings) => Record<string, unknown>>> = {
  chat: ({ prompt, history, system, temperature, maxTokens, tools, schema }) => ({
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
  responses: ({ prompt, history, system, temperature, maxTokens, tools, schema }) => ({
    input: history.length === 0 ? prompt : writeHistory('responses', { history, prompt }),
    ...(system !== '' && { instructions: system }),
    ...numbers({ temperature, max_output_tokens: maxTokens }),
    ...(tools !== undefined && { tools }),
    ...(schema !== undefined && { text: { format: { type: 'json_schema', name: SCHEMA_NAME, schema } } }),
  }),
  messages: ({ prompt, history, system, temperature, maxTokens, tools, schema }) => ({
    max_tokens: maxTokens === '' ? MESSAGES_TOKENS_DEFAULT : Number(maxTokens),
    messages: writeHistory('messages', { history, prompt }),
    ...(system !== '' && { system }),
    ...numbers({ temperature }),
    ...(tools !== undefined && { tools }),
    ...(schema !== undefined && { output_config: { format: { type: 'json_schema', schema } } }),
  }),
  embeddings: ({ prompt, dimensions }) => ({ input: prompt, ...numbers({ dimensions }) }),
  image: ({ prompt, size, quality }) => ({
    prompt,
    ...(size !== '' && { size }),
    ...(quality !== '' && { quality }),
  }),
};

function numbers(fields: Readonly<Record<string, string>>): Record<string, number> {
  const given = Object.entries(fields).filter(([, text]) => text.trim() !== '');
  return Object.fromEntries(given.map(([name, text]) => [name, Number(text)]));
}
