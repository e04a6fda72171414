/** The official OpenAI library on `/v1/responses`. */
import type { OpenAI } from 'openai';
import {
  ResponsesToolRunner,
  type RunnerFunction,
  runnerFunction,
} from 'openai/helpers/responses-tool-runner';
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod';
import { openaiClient } from '../support/clients.ts';
import { dialects } from './client-gateway.ts';
import {
  type Asking,
  addUsed,
  dataUrl,
  type LibraryUse,
  type Said,
  TimeQuestion,
  type ToolBench,
  type Used,
  Weather,
  WeatherQuestion,
} from './library.ts';
import { openaiFailure } from './openai-chat.ts';

export const openaiResponses: LibraryUse = {
  name: 'OpenAI responses',
  own: 'openai-responses',
  shows: dialects,
  open(place, options) {
    const client = openaiClient(place, options);
    const { responses } = client;
    const runTools = async (asking: Asking, bench: ToolBench, stream: boolean): Promise<Said> => {
      const runner = new ResponsesToolRunner({ functions: functions(bench) });
      const turns: OpenAI.Responses.Response[] = [];
      for await (const { response } of runner.iterate(client, request(asking), { stream }))
        turns.push(response);
      const usages = turns.map(({ usage }) => used(usage));
      return { ...said(turns.at(-1) as OpenAI.Responses.Response), usage: addUsed(usages) };
    };
    return {
      async ask(asking) {
        return said(await responses.create(request(asking)));
      },
      async stream(asking) {
        const stream = responses
          .stream(request(asking), { signal: asking.signal })
          .on('response.output_text.delta', ({ delta }) => asking.onText?.(delta));
        return said(await stream.finalResponse());
      },
      useTools: (asking, bench) => runTools(asking, bench, false),
      streamTools: (asking, bench) => runTools(asking, bench, true),
      async fill(asking) {
        const { output_parsed, usage } = await responses.parse({ ...request(asking), text: FORMAT });
        return { value: output_parsed, usage: used(usage) };
      },
      async streamFill(asking) {
        const stream = responses.stream({ ...request(asking), text: FORMAT });
        const { output_parsed, usage } = await stream.finalResponse();
        return { value: output_parsed, usage: used(usage) };
      },
      async talk(model, prompts) {
        const texts: string[] = [];
        let last: string | null = null;
        for (const input of prompts) {
          const response: OpenAI.Responses.Response = await responses.create({
            ...{ model, input },
            previous_response_id: last,
          });
          last = response.id;
          texts.push(response.output_text);
        }
        return texts;
      },
      failure: openaiFailure,
    };
  },
};

const FORMAT = { format: zodTextFormat(Weather, 'weather') };

interface Request {
  readonly model: string;
  readonly input: OpenAI.Responses.ResponseInput;
  readonly instructions?: string;
  readonly reasoning?: OpenAI.Reasoning;
}

function request({ model, prompt, system, image, thinks }: Asking): Request {
  const picture = image && {
    type: 'input_image' as const,
    image_url: dataUrl(image),
    detail: 'auto' as const,
  };
  const text = { type: 'input_text' as const, text: prompt };
  return {
    model,
    input: [{ role: 'user', content: picture ? [text, picture] : [text] }],
    ...(system && { instructions: system }),
    ...(thinks && { reasoning: { effort: 'medium', summary: 'auto' } }),
  };
}

const functions = ({ getWeather, getTime }: ToolBench): RunnerFunction[] => [
  runnerFunction(
    zodResponsesFunction({ name: 'get_weather', parameters: WeatherQuestion, function: getWeather }),
  ),
  runnerFunction(zodResponsesFunction({ name: 'get_time', parameters: TimeQuestion, function: getTime })),
];

function said({ output, output_text, usage }: OpenAI.Responses.Response): Said {
  const thoughts = output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []));
  return { text: output_text, thoughts: thoughts.map(({ text }) => text).join(''), usage: used(usage) };
}

function used(usage: OpenAI.Responses.ResponseUsage | undefined): Used | null {
  if (!usage) return null;
  return { input: usage.input_tokens, output: usage.output_tokens, total: usage.total_tokens };
}
