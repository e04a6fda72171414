/** Each protocol as the tests see it: how it is asked, and where its replies have what. */
import { startSimulator } from '../simulator.ts';
import { type Asking, framesIn, type Heard, post, type Wire } from './call-simulator.ts';

/** Of all test files that run in this process; it ends with the process. */
export const simulator = await startSimulator();

export interface Protocol {
  readonly host: string;
  path(model: string, stream: boolean): string;
  key(key: string): Record<string, string>;
  body(prompt: string, model: string, stream: boolean): Wire;
  /** What a body or a frame says of its error. */
  error(reply: Wire): unknown;
  /** The text in a body or a frame. */
  text(reply: Wire): string;
  finish(reply: Wire): unknown;
  /** The reported usage, as input and output with all their parts. */
  usage(reply: Wire): { input: number; output: number } | null;
}

// biome-ignore lint/suspicious/noExplicitAny: replies are looked into as they come
type Any = any;

const chat: Protocol = {
  host: 'api.openai.com',
  path: () => '/v1/chat/completions',
  key: (key) => ({ authorization: `Bearer ${key}` }),
  body: (prompt, model, stream) => ({
    model,
    messages: [{ role: 'user', content: prompt }],
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  }),
  error: (reply: Any) => reply.error?.type,
  text: (reply: Any) => reply.choices?.[0]?.message?.content ?? reply.choices?.[0]?.delta?.content ?? '',
  finish: (reply: Any) => reply.choices?.[0]?.finish_reason,
  usage: ({ usage }: Any) => (usage ? { input: usage.prompt_tokens, output: usage.completion_tokens } : null),
};

export const protocols: Readonly<Record<string, Protocol>> = {
  chat,
  azure: {
    ...chat,
    host: 'openai.azure.com',
    path: () => '/openai/v1/chat/completions',
    key: (key) => ({ 'api-key': key }),
  },
  anthropic: {
    host: 'api.anthropic.com',
    path: () => '/v1/messages',
    key: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    body: (prompt, model, stream) => ({
      model,
      max_tokens: 1_000,
      messages: [{ role: 'user', content: prompt }],
      stream,
    }),
    error: (reply: Any) => (reply.type === 'error' ? reply.error.type : undefined),
    text: (reply: Any) => reply.content?.[0]?.text ?? reply.delta?.text ?? '',
    finish: (reply: Any) => reply.stop_reason ?? reply.delta?.stop_reason,
    usage: (reply: Any) => {
      const usage = reply.usage ?? reply.message?.usage;
      return usage ? { input: usage.input_tokens, output: usage.output_tokens } : null;
    },
  },
  gemini: {
    host: 'generativelanguage.googleapis.com',
    path: (model, stream) =>
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    key: (key) => ({ 'x-goog-api-key': key }),
    body: (prompt) => ({ contents: [{ role: 'user', parts: [{ text: prompt }] }] }),
    error: (reply: Any) => reply.error?.status,
    text: (reply: Any) =>
      (reply.candidates?.[0]?.content.parts ?? []).map((part: Any) => part.text ?? '').join(''),
    finish: (reply: Any) => reply.candidates?.[0]?.finishReason,
    usage: ({ usageMetadata: usage }: Any) =>
      usage
        ? {
            input: usage.promptTokenCount,
            output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
          }
        : null,
  },
};

/** Asks in the words of a protocol. */
export function speak(
  protocol: Protocol,
  prompt: string,
  options: { model?: string; stream?: boolean; key?: string; asking?: Asking } = {},
): Promise<Heard> {
  const { model = 'sim-chat', stream = false, key = 'sk-simulated', asking = {} } = options;
  const headers = { ...protocol.key(key), ...asking.headers };
  const url = simulator.origin + protocol.path(model, stream);
  return post(url, protocol.body(prompt, model, stream), { ...asking, headers });
}

/** The replies that can be read in a stream, or the one of a body. */
export function repliesIn(text: string): Wire[] {
  const frames = text.startsWith('{') || text.startsWith('[') ? [text] : framesIn(text);
  return frames.flatMap((data) => {
    try {
      return [JSON.parse(data) as Wire];
    } catch {
      return [];
    }
  });
}

export function textIn(protocol: Protocol, text: string): string {
  return repliesIn(text)
    .map((reply) => protocol.text(reply))
    .join('');
}

export function finishesIn(protocol: Protocol, text: string): unknown[] {
  return repliesIn(text).flatMap((reply) => protocol.finish(reply) ?? []);
}

export function usagesIn(protocol: Protocol, text: string): Array<{ input: number; output: number }> {
  return repliesIn(text).flatMap((reply) => protocol.usage(reply) ?? []);
}
