/** A whole message of Anthropic's in neutral words. Pure. */

import { type Json, listOf, parseObject, textOf } from '../../kernel/json/read-json.ts';
import { readMessagesUsage } from '../../text/formats/messages/read-usage.ts';
import { SEALED, SIGNED } from '../../text/proof.ts';
import type { OutputPart, Proof } from '../../text/text-call.ts';
import type { Finish, FinishReason, TextResult } from '../../text/text-result.ts';

export function readMessageAnswer(body: Buffer): TextResult | null {
  const json = parseObject(body.toString('utf8'));
  if (json === null || json.type !== 'message' || !Array.isArray(json.content)) return null;
  return {
    answers: [{ parts: listOf(json.content).flatMap(readBlock), finish: readFinish(json) }],
    usage: readMessagesUsage(json.usage),
  };
}

/** Blocks of the provider's own tools are the provider's business. */
function readBlock(block: Json): OutputPart[] {
  switch (block.type) {
    case 'text':
      return textOf(block.text) === '' ? [] : [{ type: 'text', text: textOf(block.text) }];
    case 'thinking':
      return [{ type: 'reasoning', text: textOf(block.thinking), proof: signedBy(textOf(block.signature)) }];
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '', proof: sealedIn(textOf(block.data)) }];
    case 'tool_use':
      return [
        {
          type: 'tool_call',
          id: textOf(block.id),
          name: textOf(block.name),
          arguments: JSON.stringify(block.input ?? {}),
          proof: null,
        },
      ];
    default:
      return [];
  }
}

export function signedBy(signature: string): Proof | null {
  return signature === '' ? null : { dialect: SIGNED, value: signature };
}

export function sealedIn(data: string): Proof {
  return { dialect: SEALED, value: data };
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  pause_turn: 'stop',
  stop_sequence: 'stop_sequence',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

/** Of a message, or of the delta that ends a streamed one. */
export function readFinish(json: Json): Finish {
  const raw = textOf(json.stop_reason);
  const stopSequence = typeof json.stop_sequence === 'string' ? json.stop_sequence : null;
  return { reason: finishReasons[raw] ?? 'stop', stopSequence, raw };
}
