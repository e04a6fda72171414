/**
 * What the playground does in each of its modes, with its texts: one entry for each. Adding a mode needs nothing else. Pure.
 */
import type { PlayMode } from '../../../../gateway/src/contract/paid-endpoints.ts';
import type { Said } from '../../text/define-texts.ts';
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
import { type PastTurn, writeHistory } from './write-history.ts';

/** A setting that was left empty is undefined: the default of the model. */
export interface PlaySettings {
  readonly prompt: string;
  /** What this model was asked and answered before. */
  readonly history: readonly PastTurn[];
  readonly system: string;
  readonly temperature?: number;
  readonly max?: number;
  readonly dimensions?: number;
  readonly size?: string;
  readonly quality?: string;
  readonly tools?: unknown;
  readonly schema?: unknown;
}

interface ModeCall {
  readonly name: Said;
  /** The fields of a request beside its model; undefined ones are left out. */
  write(settings: PlaySettings): Record<string, unknown>;
  /** Reads an answer in one piece. */
  read(body: PlayJson): PlayAnswer;
  /** Adds the next frame of a stream; null: its answers are not streamed. */
  readonly add: ((answer: PlayAnswer, frame: PlayJson) => PlayAnswer) | null;
  /** The method of the official libraries; null: they have none. */
  readonly method: string | null;
  readonly settings: readonly PlaySetting[];
  readonly prompt: PromptLabel;
}

export type PromptLabel = 'prompt' | 'promptInput';

export interface PlaySetting {
  /** In the address of the page, and of what is written. */
  readonly name: Exclude<keyof PlaySettings, 'prompt' | 'history' | 'system'>;
  readonly label: Said;
  readonly hint: Said;
  readonly kind: SettingKind;
}

/** What can be typed: a temperature, a whole number, a JSON list, a JSON object, or any words. */
export type SettingKind = 'temperature' | 'count' | 'list' | 'object' | 'words';

/** The messages format requires a cap. */
const MESSAGES_TOKENS_DEFAULT = 1_024;
const SCHEMA_NAME = 'answer';
const FIRST_NUMBERS = 8;

const temperature: PlaySetting = {
  name: 'temperature',
  label: ['Temperature', '온도'],
  hint: ['Empty: the default of the model.', '비우면 모델의 기본값을 사용합니다.'],
  kind: 'temperature',
};
const maxTokens: PlaySetting = {
  name: 'max',
  label: ['Max tokens', '최대 토큰'],
  hint: ['Empty: no cap of your own.', '비우면 직접 정한 상한이 없습니다.'],
  kind: 'count',
};
const tools: PlaySetting = {
  name: 'tools',
  label: ['Tools', '도구'],
  hint: ['A JSON list, in the format of this kind of call.', '이 호출 형식에 맞는 JSON 목록.'],
  kind: 'list',
};
const schema: PlaySetting = {
  name: 'schema',
  label: ['JSON schema', 'JSON 스키마'],
  hint: ['A JSON object. The answer must fit it.', 'JSON 객체. 응답이 이 스키마를 따라야 합니다.'],
  kind: 'object',
};

export const modeCalls: Readonly<Record<PlayMode, ModeCall>> = {
  chat: {
    name: ['Chat', '채팅'],
    write: ({ prompt, history, system, temperature, max, tools, schema }) => ({
      messages: [
        ...(system === '' ? [] : [{ role: 'system', content: system }]),
        ...writeHistory('chat', { history, prompt }),
      ],
      temperature,
      max_completion_tokens: max,
      tools,
      response_format: schema && { type: 'json_schema', json_schema: { name: SCHEMA_NAME, schema } },
    }),
    read: (body) => ({ ...noPlayAnswer, ...addChat(noPlayAnswer, body) }),
    add: (answer, frame) => ({ ...answer, ...addChat(answer, frame), ...spent(answer, frame) }),
    method: 'chat.completions.create',
    settings: [temperature, maxTokens, tools, schema],
    prompt: 'prompt',
  },
  responses: {
    name: ['Responses', 'Responses'],
    write: ({ prompt, history, system, temperature, max, tools, schema }) => ({
      input: history.length === 0 ? prompt : writeHistory('responses', { history, prompt }),
      instructions: system || undefined,
      temperature,
      max_output_tokens: max,
      tools,
      text: schema && { format: { type: 'json_schema', name: SCHEMA_NAME, schema } },
    }),
    read: (body) => readOutput(noPlayAnswer, body),
    add: addResponse,
    method: 'responses.create',
    settings: [temperature, maxTokens, tools, schema],
    prompt: 'prompt',
  },
  messages: {
    name: ['Messages', 'Messages'],
    write: ({ prompt, history, system, temperature, max, tools, schema }) => ({
      max_tokens: max ?? MESSAGES_TOKENS_DEFAULT,
      messages: writeHistory('messages', { history, prompt }),
      system: system || undefined,
      temperature,
      tools,
      output_config: schema && { format: { type: 'json_schema', schema } },
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
    settings: [
      temperature,
      {
        ...maxTokens,
        hint: [
          'Empty: 1,024. This format needs a cap.',
          '비우면 1,024입니다. 이 형식에는 상한이 필요합니다.',
        ],
      },
      tools,
      schema,
    ],
    prompt: 'prompt',
  },
  embeddings: {
    name: ['Embeddings', '임베딩'],
    write: ({ prompt, dimensions }) => ({ input: prompt, dimensions }),
    read: (body) => {
      const vector = body.data?.[0]?.embedding ?? [];
      return { ...noPlayAnswer, vector: { length: vector.length, first: vector.slice(0, FIRST_NUMBERS) } };
    },
    add: null,
    method: 'embeddings.create',
    settings: [
      {
        name: 'dimensions',
        label: ['Dimensions', '차원'],
        hint: [
          'Empty: as many as the model has. Only some models accept it.',
          '비우면 모델의 기본 차원입니다. 일부 모델만 지원합니다.',
        ],
        kind: 'count',
      },
    ],
    prompt: 'promptInput',
  },
  image: {
    name: ['Image', '이미지'],
    write: ({ prompt, size, quality }) => ({ prompt, size, quality }),
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
      {
        name: 'size',
        label: ['Size', '크기'],
        hint: ['Such as 1024x1024. Empty: the default.', '예: 1024x1024. 비우면 기본값입니다.'],
        kind: 'words',
      },
      {
        name: 'quality',
        label: ['Quality', '품질'],
        hint: ['Such as high. Empty: the default.', '예: high. 비우면 기본값입니다.'],
        kind: 'words',
      },
    ],
    prompt: 'prompt',
  },
};

export const settingNames = [
  ...new Set(Object.values(modeCalls).flatMap(({ settings }) => settings.map(({ name }) => name))),
];
