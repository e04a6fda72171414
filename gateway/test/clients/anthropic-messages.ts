/** The official Anthropic library on `/v1/messages`. */
import { Anthropic } from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { anthropicClient } from '../support/clients.ts';
import { dialects } from './client-gateway.ts';
import {
  type Asking,
  addUsed,
  type LibraryUse,
  type Said,
  TimeQuestion,
  type ToolBench,
  type Used,
  Weather,
  WeatherQuestion,
} from './library.ts';

export const anthropicMessages: LibraryUse = {
  name: 'Anthropic',
  own: 'anthropic',
  shows: dialects,
  open(place, options) {
    const { messages, beta } = anthropicClient(place, options);
    const runTools = async (asking: Asking, bench: ToolBench, stream: boolean): Promise<Said> => {
      const runner = beta.messages.toolRunner({ ...request(asking), tools: tools(bench), stream });
      const turns: Anthropic.Beta.BetaMessage[] = [];
      for await (const turn of runner) turns.push('finalMessage' in turn ? await turn.finalMessage() : turn);
      const usage = addUsed(turns.map((turn) => used(turn.usage)));
      return { ...said(turns.at(-1) as Anthropic.Beta.BetaMessage), usage };
    };
    return {
      ask: async (asking) => said(await messages.create(request(asking))),
      async stream(asking) {
        const stream = messages
          .stream(request(asking), { signal: asking.signal })
          .on('text', (piece) => asking.onText?.(piece));
        return said(await stream.finalMessage());
      },
      useTools: (asking, bench) => runTools(asking, bench, false),
      streamTools: (asking, bench) => runTools(asking, bench, true),
      async fill(asking) {
        const { parsed_output, usage } = await messages.parse({ ...request(asking), ...FORMAT });
        return { value: parsed_output, usage: used(usage) };
      },
      async streamFill(asking) {
        const stream = messages.stream({ ...request(asking), ...FORMAT });
        const { parsed_output, usage } = await stream.finalMessage();
        return { value: parsed_output, usage: used(usage) };
      },
      async talk(model, prompts) {
        const turns: Anthropic.MessageParam[] = [];
        const texts: string[] = [];
        for (const content of prompts) {
          turns.push({ role: 'user', content });
          const message = await messages.create({ model, max_tokens: 1_000, messages: turns });
          turns.push({ role: 'assistant', content: message.content });
          texts.push(said(message).text);
        }
        return texts;
      },
      failure(thrown) {
        if (!(thrown instanceof Anthropic.APIError)) throw thrown;
        const { status, type, message, requestID } = thrown;
        return { status, code: type, message, ref: requestID };
      },
    };
  },
};

const FORMAT = { output_config: { format: zodOutputFormat(Weather) } };

interface Request {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: Array<{ role: 'user'; content: Anthropic.ContentBlockParam[] }>;
  readonly system?: string;
  readonly thinking?: Anthropic.ThinkingConfigEnabled;
}

function request({ model, prompt, system, image, thinks }: Asking): Request {
  const content: Anthropic.ContentBlockParam[] = [{ type: 'text', text: prompt }];
  if (image !== undefined) {
    const source = {
      type: 'base64' as const,
      media_type: 'image/png' as const,
      data: image.toString('base64'),
    };
    content.unshift({ type: 'image', source });
  }
  return {
    model,
    // Thoughts count as output, and the model of the test with a small context has little room.
    max_tokens: thinks ? 4_096 : 500,
    messages: [{ role: 'user', content }],
    ...(system && { system }),
    ...(thinks && { thinking: { type: 'enabled', budget_tokens: 2_048 } }),
  };
}

const tools = ({ getWeather, getTime }: ToolBench) => [
  betaZodTool({
    name: 'get_weather',
    description: 'The weather',
    inputSchema: WeatherQuestion,
    run: getWeather,
  }),
  betaZodTool({ name: 'get_time', description: 'The time', inputSchema: TimeQuestion, run: getTime }),
];

interface Message {
  readonly content: ReadonlyArray<{ type: string; text?: string | null; thinking?: string }>;
  readonly usage: Parameters<typeof used>[0];
}

function said({ content, usage }: Message): Said {
  const join = (texts: Array<string | null | undefined>): string => texts.map((text) => text ?? '').join('');
  return {
    text: join(content.map((block) => (block.type === 'text' ? block.text : ''))),
    thoughts: join(content.map((block) => block.thinking)),
    usage: used(usage),
  };
}

/** What came from a cache or went into it is beside the other input, not in it. */
function used(usage: {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number | null;
  cache_creation_input_tokens: number | null;
}): Used {
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  const input = usage.input_tokens + (read ?? 0) + (written ?? 0);
  return { input, output: usage.output_tokens, total: input + usage.output_tokens };
}
