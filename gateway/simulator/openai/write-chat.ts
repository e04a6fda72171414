/** Writes a neutral answer as one chat completion. */

import { randomBase62 } from '../../src/kernel/ids.ts';
import type { Answer, Choice, Usage } from '../brain/prompt.ts';
import { totalTokens } from '../brain/tokens.ts';

/** What every piece of one reply has in common. */
export interface Envelope {
  readonly id: string;
  readonly createdSeconds: number;
  readonly model: string;
}

export const FINGERPRINT = 'fp_5e1a70c2d9';

/** OpenAI answers with the dated name of the model that was asked for by its alias. */
export function openEnvelope(model: string, nowSeconds: number): Envelope {
  return { id: `chatcmpl-${randomBase62(29)}`, createdSeconds: nowSeconds, model: `${model}-2026-01-01` };
}

/** Written by hand, because a load test asks for it thousands of times a second. */
export function writeChat(answer: Answer, envelope: Envelope, usage: Usage | null): string {
  const choices = answer.choices.map(writeChoice).join(',');
  const told = usage === null ? '' : `"usage":${writeUsage(usage)},`;
  return (
    `{"id":"${envelope.id}","object":"chat.completion","created":${envelope.createdSeconds},` +
    `"model":${JSON.stringify(envelope.model)},"choices":[${choices}],${told}` +
    `"service_tier":"default","system_fingerprint":"${FINGERPRINT}"}\n`
  );
}

export function writeUsage(usage: Usage): string {
  return (
    `{"prompt_tokens":${usage.inputTokens},"completion_tokens":${usage.outputTokens},` +
    `"total_tokens":${totalTokens(usage)},` +
    `"prompt_tokens_details":{"cached_tokens":${usage.cachedTokens},"audio_tokens":0},` +
    `"completion_tokens_details":{"reasoning_tokens":${usage.reasoningTokens},"audio_tokens":0,` +
    '"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}'
  );
}

export function newToolCallId(): string {
  return `call_${randomBase62(24)}`;
}

export function writeImage(png: Buffer): object {
  return { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } };
}

/** OpenAI says null, not nothing, beside tool calls and refusals. */
export function hasContent(choice: Choice): boolean {
  return choice.toolCalls.length === 0 && choice.refusal === null;
}

function writeChoice(choice: Choice, index: number): string {
  const content = hasContent(choice) ? JSON.stringify(choice.text) : 'null';
  const calls =
    choice.toolCalls.length === 0 ? '' : `"tool_calls":${JSON.stringify(writeToolCalls(choice))},`;
  const images =
    choice.images.length === 0 ? '' : `"images":${JSON.stringify(choice.images.map(writeImage))},`;
  const reasoning = choice.reasoning === '' ? '' : `"reasoning_content":${JSON.stringify(choice.reasoning)},`;
  return (
    `{"index":${index},"message":{"role":"assistant","content":${content},${reasoning}${calls}${images}` +
    `"refusal":${JSON.stringify(choice.refusal)},"annotations":[]},` +
    `"logprobs":null,"finish_reason":"${choice.finish}"}`
  );
}

function writeToolCalls(choice: Choice): object[] {
  return choice.toolCalls.map(({ name, arguments: args, isText }) => ({
    id: newToolCallId(),
    ...(isText
      ? { type: 'custom', custom: { name, input: args } }
      : { type: 'function', function: { name, arguments: args } }),
  }));
}
