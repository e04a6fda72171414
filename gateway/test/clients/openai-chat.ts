/** The official OpenAI library on `/v1/chat/completions`. */
import { OpenAI } from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { openaiClient } from '../support/clients.ts';
import { dialects } from './client-gateway.ts';
import {
  type Asking,
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

export const openaiChat: LibraryUse = {
  name: 'OpenAI chat',
  own: 'openai',
  shows: dialects,
  open(place, options) {
    const { chat } = openaiClient(place, options);
    return {
      async ask(asking) {
        const { choices, usage } = await chat.completions.create(request(asking));
        const [choice] = choices;
        return { text: textOf(choice), thoughts: thoughtsIn(choice?.message), usage: used(usage) };
      },
      async stream(asking) {
        let thoughts = '';
        const stream = chat.completions
          .stream({ ...request(asking), ...STREAMED }, { signal: asking.signal })
          .on('content', (piece) => asking.onText?.(piece))
          .on('chunk', ({ choices }) => {
            thoughts += thoughtsIn(choices[0]?.delta);
          });
        const { choices, usage } = await stream.finalChatCompletion();
        return { text: textOf(choices[0]), thoughts, usage: used(usage) };
      },
      useTools(asking, bench) {
        return finish(chat.completions.runTools({ ...request(asking), tools: tools(bench) }));
      },
      streamTools(asking, bench) {
        return finish(chat.completions.runTools({ ...request(asking), ...STREAMED, tools: tools(bench) }));
      },
      async fill(asking) {
        const asked = { ...request(asking), response_format: FORMAT };
        const { choices, usage } = await chat.completions.parse(asked);
        return { value: choices[0]?.message.parsed, usage: used(usage) };
      },
      async streamFill(asking) {
        const asked = { ...request(asking), ...STREAMED, response_format: FORMAT };
        const { choices, usage } = await chat.completions.stream(asked).finalChatCompletion();
        return { value: choices[0]?.message.parsed, usage: used(usage) };
      },
      async talk(model, prompts) {
        const messages: OpenAI.ChatCompletionMessageParam[] = [];
        const texts: string[] = [];
        for (const content of prompts) {
          messages.push({ role: 'user', content });
          const { choices } = await chat.completions.create({ model, messages });
          messages.push(choices[0]?.message as OpenAI.ChatCompletionMessage);
          texts.push(textOf(choices[0]));
        }
        return texts;
      },
      failure: openaiFailure,
    };
  },
};

export function openaiFailure(thrown: unknown): Failure {
  if (!(thrown instanceof OpenAI.APIError)) throw thrown;
  const { status, code, message, requestID } = thrown;
  return { status, code, message, ref: requestID };
}

const STREAMED = { stream: true, stream_options: { include_usage: true } } as const;
const FORMAT = zodResponseFormat(Weather, 'weather');

interface Request {
  readonly model: string;
  readonly messages: OpenAI.ChatCompletionMessageParam[];
  readonly reasoning_effort?: 'medium';
}

function request({ model, prompt, system, image, thinks }: Asking): Request {
  const picture = image && { type: 'image_url' as const, image_url: { url: dataUrl(image) } };
  const content = picture ? [{ type: 'text' as const, text: prompt }, picture] : prompt;
  return {
    model,
    messages: [...(system ? [{ role: 'system' as const, content: system }] : []), { role: 'user', content }],
    ...(thinks && { reasoning_effort: 'medium' }),
  };
}

const tools = ({ getWeather, getTime }: ToolBench) => [
  zodFunction({ name: 'get_weather', parameters: WeatherQuestion, function: getWeather }),
  zodFunction({ name: 'get_time', parameters: TimeQuestion, function: getTime }),
];

interface Runner {
  finalContent(): Promise<string | null>;
  totalUsage(): Promise<OpenAI.CompletionUsage>;
}

async function finish(runner: Runner): Promise<Said> {
  return { text: (await runner.finalContent()) ?? '', thoughts: '', usage: used(await runner.totalUsage()) };
}

function textOf(choice: OpenAI.ChatCompletion.Choice | undefined): string {
  return choice?.message.content ?? '';
}

function thoughtsIn(message: object | undefined): string {
  return (message as { reasoning_content?: string } | undefined)?.reasoning_content ?? '';
}

function used(usage: OpenAI.CompletionUsage | undefined): Used | null {
  if (usage === undefined) return null;
  return { input: usage.prompt_tokens, output: usage.completion_tokens, total: usage.total_tokens };
}
