/** Writes a neutral answer as a Converse response. */
import { randomBase62 } from '../../src/kernel/ids.ts';
import { sealThinking, signThinking } from '../anthropic/thinking.ts';
import type { Answer, Choice, Usage } from '../brain/prompt.ts';
import { askedText } from '../brain/prompt.ts';
import { totalTokens, withoutPart } from '../brain/tokens.ts';
import { makerOf } from './makers.ts';
import type { ConversePrompt } from './read-converse.ts';

const METRICS = { latencyMs: 1_234 };

export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string }
  /** Only Claude signs what it thought. */
  | { readonly type: 'reasoning'; readonly text: string; readonly signature: string | null }
  | { readonly type: 'redacted'; readonly data: string }
  | {
      readonly type: 'toolUse';
      readonly toolUseId: string;
      readonly name: string;
      /** JSON, or the beginning of it. */
      readonly input: string;
    };

/** An answer as Bedrock sees it. */
export interface Reply {
  readonly blocks: readonly ReplyBlock[];
  readonly stopReason: string;
  /** Null if nobody asked for it. */
  readonly stopSequence: string | null;
  readonly tier: string | null;
}

export function replyOf(answer: Answer, prompt: ConversePrompt): Reply {
  const choice = answer.choices[0] as Choice;
  const text = choice.text + (choice.refusal ?? '');
  return {
    blocks: [
      ...reasoningOf(choice, answer, prompt),
      ...(text === '' ? [] : [{ type: 'text', text } as const]),
      ...choice.toolCalls.map(
        ({ name, arguments: input }) =>
          ({ type: 'toolUse', toolUseId: `tooluse_${randomBase62(22)}`, name, input }) as const,
      ),
    ],
    stopReason: stopReasonOf(choice),
    stopSequence: prompt.namesStop ? choice.stoppedBy : null,
    tier: prompt.tier,
  };
}

/** Claude thinks in blocks that it signs, even if it does not show them. */
function reasoningOf({ reasoning }: Choice, { usage }: Answer, prompt: ConversePrompt): ReplyBlock[] {
  if (usage.reasoningTokens === 0) return [];
  if (makerOf(prompt.model).name !== 'anthropic') {
    return reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning, signature: null }];
  }
  if (askedText(prompt).includes('[[redact]]')) return [{ type: 'redacted', data: sealThinking(reasoning) }];
  return [{ type: 'reasoning', text: reasoning, signature: signThinking(reasoning) }];
}

function stopReasonOf(choice: Choice): string {
  if (choice.finish === 'content_filter') return 'content_filtered';
  if (choice.finish === 'length') return 'max_tokens';
  if (choice.finish === 'tool_calls') return 'tool_use';
  return choice.stoppedBy === null ? 'end_turn' : 'stop_sequence';
}

export function writeConverse(reply: Reply, usage: Usage | null): string {
  const { stopReason, stopSequence } = reply;
  return JSON.stringify({
    ...writeMetadata(usage, reply),
    output: { message: { content: reply.blocks.map(writeBlock), role: 'assistant' } },
    stopReason,
    ...(stopSequence !== null && { additionalModelResponseFields: { stop_sequence: stopSequence } }),
  });
}

function writeBlock(block: ReplyBlock): object {
  switch (block.type) {
    case 'text':
      return { text: block.text };
    case 'redacted':
      return { reasoningContent: { redactedContent: block.data } };
    case 'reasoning': {
      const { text, signature } = block;
      return { reasoningContent: { reasoningText: { text, ...(signature !== null && { signature }) } } };
    }
    case 'toolUse': {
      const { name, toolUseId } = block;
      return { toolUse: { input: parseOrEmpty(block.input), name, toolUseId } };
    }
  }
}

/** The input is what the cache had no part in. */
export function writeMetadata(usage: Usage | null, { tier }: Reply): object {
  const head = { metrics: METRICS, ...(tier !== null && { serviceTier: { type: tier } }) };
  if (usage === null) return head;
  const { cachedTokens, cacheWriteTokens, outputTokens } = usage;
  return {
    ...head,
    usage: {
      cacheReadInputTokens: cachedTokens,
      cacheWriteInputTokens: cacheWriteTokens,
      inputTokens: withoutPart(usage.inputTokens, cachedTokens + cacheWriteTokens),
      outputTokens,
      totalTokens: totalTokens(usage),
    },
  };
}

/** Arguments that were cut short are no JSON, and a whole answer has no place for the beginning of one. */
function parseOrEmpty(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
