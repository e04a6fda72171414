/** Reads a whole message. Pure. */

import { type Json, listOf, parseObject, textOf } from '../../json/read-json.ts';
import { countServerTools } from '../../text/formats/messages/count-tools.ts';
import { ANTHROPIC_REDACTED, ANTHROPIC_SIGNATURE } from '../../text/proof.ts';
import type { OutputPart, Proof } from '../../text/text-call.ts';
import type { TextResult } from '../../text/text-result.ts';
import { mapAnthropicFinish } from './map-finish-reason.ts';
import { readMessagesUsage } from './read-usage.ts';

export function readAnthropicAnswer(body: Buffer): TextResult | null {
  const json = parseObject(body.toString('utf8'));
  if (json === null || json.type !== 'message' || !Array.isArray(json.content)) return null;
  const usage = readMessagesUsage(json.usage);
  return {
    answers: [{ parts: listOf(json.content).flatMap(readBlock), finish: mapAnthropicFinish(json) }],
    usage,
    ...(usage === null && { seenDetails: countServerTools(json.content) }),
  };
}

/** Blocks of tools that the provider runs itself are left out. */
function readBlock(block: Json): OutputPart[] {
  switch (block.type) {
    case 'text':
      return textOf(block.text) === '' ? [] : [{ type: 'text', text: textOf(block.text) }];
    case 'thinking':
      return [
        { type: 'reasoning', text: textOf(block.thinking), proof: signatureProof(textOf(block.signature)) },
      ];
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '', proof: redactedProof(textOf(block.data)) }];
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

export function signatureProof(signature: string): Proof | null {
  return signature === '' ? null : { dialect: ANTHROPIC_SIGNATURE, value: signature };
}

export function redactedProof(data: string): Proof {
  return { dialect: ANTHROPIC_REDACTED, value: data };
}
