/** The AI SDK: the same calls through each of the providers it can reach a gateway by. */
import {
  APICallError,
  generateText,
  isStepCount,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  Output,
  RetryError,
  streamText,
  tool,
} from 'ai';
import type { Place } from '../support/clients.ts';
import {
  type Asking,
  type Failure,
  type LibraryUse,
  type Said,
  TimeQuestion,
  type ToolBench,
  type Used,
  Weather,
  WeatherQuestion,
} from './library.ts';

/** Of names it does not know it says so at every call. */
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

export interface AiSdkProvider extends Pick<LibraryUse, 'name' | 'own' | 'shows'> {
  model(place: Place, name: string): LanguageModel;
  /** How this provider is asked for thoughts. */
  readonly thinking?: Parameters<typeof generateText>[0]['providerOptions'];
}

export function aiSdkUse(provider: AiSdkProvider): LibraryUse {
  const { name, own, shows } = provider;
  return {
    ...{ name: `AI SDK ${name}`, own, shows },
    open(place, { maxRetries = 0 } = {}) {
      const request = (asking: Asking) => ({
        model: provider.model(place, asking.model),
        messages: [{ role: 'user', content: contentOf(asking) } satisfies ModelMessage],
        maxRetries,
        stopWhen: isStepCount(3),
        ...(asking.system && { instructions: asking.system }),
        ...(asking.signal && { abortSignal: asking.signal }),
        ...(asking.thinks && provider.thinking && { providerOptions: provider.thinking }),
      });
      return {
        ask: async (asking) => said(await generateText(request(asking))),
        stream: (asking) => follow(asking, (watch) => streamText({ ...request(asking), ...watch })),
        async useTools(asking, bench) {
          return said(await generateText({ ...request(asking), tools: tools(bench) }));
        },
        streamTools: (asking, bench) =>
          follow(asking, (watch) => streamText({ ...request(asking), ...watch, tools: tools(bench) })),
        async fill(asking) {
          const { output, totalUsage } = await generateText({ ...request(asking), output: SHAPE });
          return { value: output, usage: used(totalUsage) };
        },
        async streamFill(asking) {
          const result = streamText({ ...request(asking), output: SHAPE });
          return { value: await result.output, usage: used(await result.totalUsage) };
        },
        async talk(model, prompts) {
          const messages: ModelMessage[] = [];
          const texts: string[] = [];
          for (const content of prompts) {
            messages.push({ role: 'user', content });
            const { text, responseMessages } = await generateText({
              ...{ model: provider.model(place, model), messages, maxRetries },
            });
            messages.push(...responseMessages);
            texts.push(text);
          }
          return texts;
        },
        failure,
      };
    },
  };
}

const SHAPE = Output.object({ schema: Weather });

function contentOf({ prompt, image }: Asking): Extract<ModelMessage, { role: 'user' }>['content'] {
  if (image === undefined) return prompt;
  return [
    { type: 'text', text: prompt },
    { type: 'file', data: image, mediaType: 'image/png' },
  ];
}

const tools = ({ getWeather, getTime }: ToolBench) => ({
  get_weather: tool({ description: 'The weather', inputSchema: WeatherQuestion, execute: getWeather }),
  get_time: tool({ description: 'The time', inputSchema: TimeQuestion, execute: getTime }),
});

interface Ended {
  readonly text: string;
  readonly finalStep: { readonly reasoningText: string | undefined };
  readonly totalUsage: LanguageModelUsage;
}

function said({ text, finalStep, totalUsage }: Ended): Said {
  return { text, thoughts: finalStep.reasoningText ?? '', usage: used(totalUsage) };
}

type Streamed = Pick<ReturnType<typeof streamText>, 'textStream' | 'text' | 'finalStep' | 'totalUsage'>;

/** The library keeps errors out of its streams: it hands them to a listener, and this throws them. */
async function follow(
  { onText }: Asking,
  start: (watch: { onError(event: { error: unknown }): void }) => Streamed,
): Promise<Said> {
  const errors: unknown[] = [];
  const result = start({ onError: ({ error }) => void errors.push(error) });
  for await (const piece of result.textStream) onText?.(piece);
  if (errors.length > 0) throw await withReference(errors[0], result);
  const [text, finalStep, totalUsage] = await Promise.all([result.text, result.finalStep, result.totalUsage]);
  return said({ text, finalStep, totalUsage });
}

/** An error amid a stream says nothing of the response it stood in. */
async function withReference(error: unknown, result: Streamed): Promise<unknown> {
  if (APICallError.isInstance(error) || RetryError.isInstance(error)) return error;
  const { response } = await result.finalStep;
  return Object.assign(error as Error, { ref: response.headers?.['x-request-id'] });
}

function used({ inputTokens, outputTokens, totalTokens }: LanguageModelUsage): Used | null {
  if (inputTokens === undefined || outputTokens === undefined || totalTokens === undefined) return null;
  return { input: inputTokens, output: outputTokens, total: totalTokens };
}

function failure(thrown: unknown): Failure {
  const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
  if (!APICallError.isInstance(error)) {
    const { message, code, ref } = error as Failure;
    return { status: undefined, code, message, ref };
  }
  const { statusCode, responseBody = '{}', responseHeaders, data } = error;
  const { type, detail } = JSON.parse(responseBody) as { type: string; detail: string };
  // Its provider for Anthropic reads a body whose type is "error", and ours is the code by specification:
  // then the message is the status in words, and the reason is in the body alone.
  const message = data === undefined ? detail : error.message;
  return { status: statusCode, code: type, message, ref: responseHeaders?.['x-request-id'] };
}
