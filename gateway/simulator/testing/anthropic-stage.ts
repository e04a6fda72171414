/** Messages as the tests of Anthropic's protocol read them. */
import { startSimulator } from '../simulator.ts';
import { framesIn, type Heard, post, type Wire } from './call-simulator.ts';

/** Of all test files that run in this process; it ends with the process. */
export const simulator = await startSimulator();

export interface Message {
  readonly content: Array<Wire & { type: string }>;
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly usage: Wire & { input_tokens: number; output_tokens: number };
  readonly error: { type: string; message: string };
}

const VERSION = { 'anthropic-version': '2023-06-01' };

export function send(body: Wire, headers: Record<string, string> = {}, path = ''): Promise<Heard> {
  const whole = { model: 'sim-chat', max_tokens: 2_000, ...body };
  return post(`${simulator.origin}/v1/messages${path}`, whole, { headers: { ...VERSION, ...headers } });
}

export async function create(body: Wire, headers: Record<string, string> = {}): Promise<Message> {
  return JSON.parse((await send(body, headers)).text) as Message;
}

export function say(text: string, more: Wire = {}): Promise<Message> {
  return create({ messages: [{ role: 'user', content: text }], ...more });
}

export async function refusal(body: Wire, headers: Record<string, string> = {}): Promise<string> {
  const { error } = await create({ messages: [{ role: 'user', content: 'hi' }], ...body }, headers);
  return error.message;
}

/** The events of a stream, each with its name. */
export async function events(text: string, more: Wire = {}): Promise<Wire[]> {
  const heard = await send({ messages: [{ role: 'user', content: text }], stream: true, ...more });
  const named = [...heard.text.matchAll(/^event: (\w+)$/gm)].map((match) => match[1]);
  const data = framesIn(heard.text).map((frame) => JSON.parse(frame) as Wire);
  if (data.some((event, index) => event.type !== named[index])) throw new Error('events and names differ');
  return data;
}

export const weather = {
  name: 'get_weather',
  description: 'The weather',
  input_schema: { type: 'object', properties: { city: { const: 'Daejeon' } }, required: ['city'] },
};
export const clock = { name: 'get_time', input_schema: { type: 'object' } };
