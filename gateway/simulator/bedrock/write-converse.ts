/** Writes a neutral answer as a Converse response. */
import { randomBase62 } from '../../src/kernel/ids.ts';
import type { Answer, Choice, Usage } from '../brain/prompt.ts';
import { totalTokens, withoutPart } from '../brain/tokens.ts';

const METRICS = { latencyMs: 1_234 };

export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string }
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
}

export function replyOf(answer: Answer): Reply {
  const choice = answer.choices[0] as Choice;
  const text = choice.text + (choice.refusal ?? '');
  return {
    blocks: [
      ...(text === '' ? [] : [{ type: 'text', text } as const]),
      ...choice.toolCalls.map(
        ({ name, arguments: input }) =>
          ({ type: 'toolUse', toolUseId: `tooluse_${randomBase62(22)}`, name, input }) as const,
      ),
    ],
    stopReason: stopReasonOf(choice),
  };
}

function stopReasonOf(choice: Choice): string {
  if (choice.finish === 'content_filter') return 'content_filtered';
  if (choice.finish === 'length') return 'max_tokens';
  if (choice.finish === 'tool_calls') return 'tool_use';
  return choice.stoppedBy === null ? 'end_turn' : 'stop_sequence';
}

export function writeConverse(reply: Reply, usage: Usage | null): string {
  const content = reply.blocks.map((block) => {
    if (block.type === 'text') return { text: block.text };
    const { name, toolUseId } = block;
    return { toolUse: { input: parseOrEmpty(block.input), name, toolUseId } };
  });
  return JSON.stringify({
    ...writeMetadata(usage),
    output: { message: { content, role: 'assistant' } },
    stopReason: reply.stopReason,
  });
}

/** The input is what the cache had no part in. */
export function writeMetadata(usage: Usage | null): object {
  if (usage === null) return { metrics: METRICS };
  const { cachedTokens, cacheWriteTokens, outputTokens } = usage;
  return {
    metrics: METRICS,
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
