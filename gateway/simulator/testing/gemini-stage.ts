/** Generated contents as the tests of Google's protocol read them. */
import { startSimulator } from '../simulator.ts';
import { framesIn, type Heard, post, type Wire } from './call-simulator.ts';

/** Of all test files that run in this process; it ends with the process. */
export const simulator = await startSimulator();

export interface Generated {
  readonly candidates: Array<{ content: { parts: Wire[] }; finishReason?: string; index: number }>;
  readonly usageMetadata: Record<string, number>;
  readonly promptFeedback?: Wire;
  readonly error: { code: number; status: string; message: string; details?: Wire[] };
}

export function call(method: string, body: Wire, model = 'sim-chat'): Promise<Heard> {
  return post(`${simulator.origin}/v1beta/models/${model}:${method}`, body);
}

export function user(...parts: Wire[]): Wire {
  return { role: 'user', parts };
}

export async function generate(body: Wire, model?: string): Promise<Generated> {
  return JSON.parse((await call('generateContent', body, model)).text) as Generated;
}

export function say(text: string, more: Wire = {}, model?: string): Promise<Generated> {
  return generate({ contents: [user({ text })], ...more }, model);
}

export async function stream(text: string, more: Wire = {}, model?: string): Promise<Generated[]> {
  const heard = await call('streamGenerateContent?alt=sse', { contents: [user({ text })], ...more }, model);
  return framesIn(heard.text).map((data) => JSON.parse(data) as Generated);
}

export function partsOf(...replies: Generated[]): Wire[] {
  return replies.flatMap((reply) => reply.candidates?.flatMap((it) => it.content.parts ?? []) ?? []);
}

export const declared = {
  functionDeclarations: [
    {
      name: 'get_weather',
      parameters: {
        type: 'OBJECT',
        properties: { city: { type: 'STRING', enum: ['Daejeon'] } },
        required: ['city'],
      },
    },
    { name: 'get_time', parametersJsonSchema: { type: 'object' } },
  ],
};
