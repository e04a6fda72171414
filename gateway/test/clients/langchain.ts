/** LangChain's chat models: the same calls through each of those that can reach a gateway. */

import type { ChatAnthropic } from '@langchain/anthropic';
import { ContextOverflowError } from '@langchain/core/errors';
import {
  type AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import type { ChatOpenAI } from '@langchain/openai';
import { expect, test } from 'vitest';
import type { Place } from '../support/clients.ts';
import { type ClientGateway, dialects, models } from './client-gateway.ts';
import {
  type Asking,
  addUsed,
  dataUrl,
  type Failure,
  type LibraryUse,
  type Said,
  TimeQuestion,
  type ToolBench,
  type Used,
  Weather,
  WeatherQuestion,
} from './library.ts';

type ChatModel = ChatOpenAI | ChatAnthropic;

export interface LangchainModel extends Pick<LibraryUse, 'name' | 'own' | 'shows' | 'knowsOfStream'> {
  make(place: Place, options: { model: string; maxRetries: number; thinks: boolean }): ChatModel;
}

export function langchainUse(chat: LangchainModel): LibraryUse {
  return {
    ...chat,
    name: `LangChain ${chat.name}`,
    open(place, { maxRetries = 0 } = {}) {
      const make = ({ model, thinks = false }: Pick<Asking, 'model' | 'thinks'>): ChatModel =>
        chat.make(place, { model, maxRetries, thinks });
      const loop = async (asking: Asking, bench: ToolBench, send: Send): Promise<Said> => {
        const model = make(asking).bindTools(tools(bench)) as unknown as Sender;
        const messages = messagesOf(asking);
        const turns = [await send(model, messages, asking)];
        for (let turn = turns[0]; turn?.tool_calls?.length; turn = turns.at(-1)) {
          messages.push(turn);
          for (const { id = '', name: called, args } of turn.tool_calls)
            messages.push(new ToolMessage({ tool_call_id: id, content: bench.run(called, args) }));
          turns.push(await send(model, messages, asking));
        }
        return { ...said(turns.at(-1) as AIMessage), usage: addUsed(turns.map(used)) };
      };
      return {
        ask: async (asking) => said(await whole(make(asking), messagesOf(asking), asking)),
        stream: async (asking) => said(await streamed(make(asking), messagesOf(asking), asking)),
        useTools: (asking, bench) => loop(asking, bench, whole),
        streamTools: (asking, bench) => loop(asking, bench, streamed),
        async fill(asking) {
          const model = make(asking).withStructuredOutput(Weather, { includeRaw: true });
          const { parsed, raw } = await model.invoke(messagesOf(asking));
          return { value: parsed, usage: used(raw as AIMessage) };
        },
        async streamFill(asking) {
          let value: unknown;
          const model = make(asking).withStructuredOutput(Weather, { method: 'jsonSchema' });
          for await (const piece of await model.stream(messagesOf(asking))) value = piece;
          // The pieces are values, so the library tells no usage.
          return { value, usage: null };
        },
        async talk(model, prompts) {
          const messages: BaseMessage[] = [];
          const texts: string[] = [];
          for (const prompt of prompts) {
            messages.push(new HumanMessage(prompt));
            const message = await make({ model }).invoke(messages);
            messages.push(message);
            texts.push(message.text);
          }
          return texts;
        },
        failure,
      };
    },
  };
}

type Sender = Pick<ChatModel, 'invoke' | 'stream'>;
type Send = (model: Sender, messages: BaseMessage[], asking: Asking) => Promise<AIMessage>;

const whole: Send = (model, messages) => model.invoke(messages);

const streamed: Send = async (model, messages, { signal, onText }) => {
  let all: AIMessageChunk | null = null;
  for await (const chunk of await model.stream(messages, signal && { signal })) {
    if (chunk.text !== '') onText?.(chunk.text);
    all = all === null ? chunk : all.concat(chunk);
  }
  if (all === null) throw new Error('nothing came');
  return all;
};

function messagesOf({ prompt, system, image }: Asking): BaseMessage[] {
  const picture = image && { type: 'image_url', image_url: { url: dataUrl(image) } };
  const content = picture ? [{ type: 'text', text: prompt }, picture] : prompt;
  return [...(system ? [new SystemMessage(system)] : []), new HumanMessage({ content })];
}

const tools = ({ getWeather, getTime }: ToolBench) => [
  tool(getWeather, { name: 'get_weather', description: 'The weather', schema: WeatherQuestion }),
  tool(getTime, { name: 'get_time', description: 'The time', schema: TimeQuestion }),
];

function said(message: AIMessage): Said {
  const { reasoning_content: aside } = message.additional_kwargs as { reasoning_content?: string };
  const thoughts = message.contentBlocks.map((block) => (block.type === 'reasoning' ? block.reasoning : ''));
  return { text: message.text, thoughts: aside ?? thoughts.join(''), usage: used(message) };
}

function used(message: AIMessage): Used | null {
  const { usage_metadata: usage } = message as unknown as { usage_metadata?: UsageMetadata };
  if (usage === undefined) return null;
  return { input: usage.input_tokens, output: usage.output_tokens, total: usage.total_tokens };
}

function failure(thrown: unknown): Failure {
  const { cause } = thrown as { cause?: unknown };
  if (ContextOverflowError.isInstance(thrown)) return failure(cause);
  const { status, code, type, message, requestID } = thrown as Failure & {
    type?: string;
    requestID?: string;
  };
  return { status, code: code ?? type, message, ref: requestID };
}

/** The library has an error of its own for this, so that agents can shorten what they said. */
export function promiseOverflow({ name, make }: LangchainModel, gateway: () => ClientGateway): void {
  test.each(dialects)(
    `LangChain ${name}: a prompt that is too long is known from other mistakes, on %s`,
    async (on) => {
      const model = make(gateway(), { model: `${models[on]}-small`, maxRetries: 0, thinks: false });
      await expect(model.invoke('word '.repeat(3_000))).rejects.toThrow(ContextOverflowError);
    },
  );
}
