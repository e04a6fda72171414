/** Writes a neutral answer as a message. */
import { randomBase62 } from '../../src/kernel/ids.ts';
import type { Answer, Choice, Usage } from '../brain/prompt.ts';
import { withoutPart } from '../brain/tokens.ts';
import { signThinking } from './thinking.ts';

/** What every piece of one reply has in common. */
export interface Envelope {
  readonly id: string;
  readonly model: string;
}

export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      /** JSON, or the beginning of it. */
      readonly arguments: string;
    };

/** An answer as Anthropic sees it. */
export interface Reply {
  readonly blocks: readonly ReplyBlock[];
  readonly stopReason: string;
  readonly stopSequence: string | null;
}

/** Anthropic answers with the dated name of the model that was asked for by its alias. */
export function openEnvelope(model: string): Envelope {
  return { id: `msg_01${randomBase62(22)}`, model: `${model}-20260101` };
}

/** What became of the thinking: none, its signature alone, its text, or a sealed block. */
export type ShownThinking = 'none' | 'omitted' | 'shown' | { readonly sealed: string };

export function replyOf(answer: Answer, options: { thinking: ShownThinking; contextFull: boolean }): Reply {
  const choice = answer.choices[0] as Choice;
  const { thinking } = options;
  const blocks: ReplyBlock[] = [];
  if (typeof thinking === 'object') blocks.push({ type: 'redacted_thinking', data: thinking.sealed });
  else if (thinking !== 'none') {
    const text = thinking === 'shown' ? choice.reasoning : '';
    blocks.push({ type: 'thinking', thinking: text, signature: signThinking(text) });
  }
  const spoken = choice.text + (choice.refusal ?? '');
  if (spoken !== '') blocks.push({ type: 'text', text: spoken });
  for (const call of choice.toolCalls) {
    blocks.push({ type: 'tool_use', id: `toolu_01${randomBase62(22)}`, ...call });
  }
  const full = options.contextFull && choice.finish === 'length';
  return {
    blocks,
    stopReason: full ? 'model_context_window_exceeded' : stopReasonOf(choice),
    stopSequence: choice.stoppedBy,
  };
}

function stopReasonOf(choice: Choice): string {
  if (choice.refusal !== null || choice.finish === 'content_filter') return 'refusal';
  if (choice.finish === 'length') return 'max_tokens';
  if (choice.finish === 'tool_calls') return 'tool_use';
  return choice.stoppedBy === null ? 'end_turn' : 'stop_sequence';
}

export function writeMessage(reply: Reply, envelope: Envelope, usage: Usage | null): string {
  return JSON.stringify({
    ...openMessage(envelope),
    content: reply.blocks.map(writeBlock),
    stop_reason: reply.stopReason,
    stop_sequence: reply.stopSequence,
    ...(usage === null ? {} : { usage: writeUsage(usage) }),
  });
}

export function openMessage(envelope: Envelope): object {
  return {
    model: envelope.model,
    id: envelope.id,
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

export function writeUsage(usage: Usage): object {
  return {
    ...writeCounts(usage),
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWriteTokens,
      ephemeral_1h_input_tokens: 0,
    },
    service_tier: 'standard',
  };
}

/** The input tokens are those that the cache had no part in. */
export function writeCounts(usage: Usage): object {
  return {
    input_tokens: withoutPart(usage.inputTokens, usage.cachedTokens + usage.cacheWriteTokens),
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cachedTokens,
    output_tokens: usage.outputTokens,
  };
}

function writeBlock(block: ReplyBlock): object {
  if (block.type !== 'tool_use') return block;
  const { type, id, name } = block;
  return { type, id, name, input: parseOrEmpty(block.arguments) };
}

/** Arguments that were cut short are no JSON, and a message has no place for the beginning of one. */
function parseOrEmpty(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
