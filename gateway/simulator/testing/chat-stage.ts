/** Completions as the tests of chat read them. */

import { startSimulator } from '../simulator.ts';
import { askJson, userPrompt, type Wire } from './call-simulator.ts';

/** Of all test files that run in this process; it ends with the process. */
export const simulator = await startSimulator();

export interface Completion {
  readonly choices: Array<{ index: number; message: Message; finish_reason: string }>;
  readonly usage: Wire & { completion_tokens: number; prompt_tokens: number };
  readonly error: Wire;
}
export interface Message {
  readonly content: string;
  readonly refusal: string | null;
  readonly tool_calls: Array<{ id: string; type: string; function: { name: string; arguments: string } }>;
  readonly images: Array<{ type: string; image_url: { url: string } }>;
}

export async function complete(body: Wire): Promise<Completion> {
  return (await askJson(simulator.url, body)) as unknown as Completion;
}

export async function say(
  text: string,
  more: Wire = {},
): Promise<Completion['choices'][0] & { usage: Wire }> {
  const { choices, usage } = await complete(userPrompt(text, more));
  return { ...(choices[0] as Completion['choices'][0]), usage };
}
