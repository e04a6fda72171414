/** How much a model on Bedrock thinks, in the fields of its maker. Pure. */
import { isOff } from '../../catalog/fit-reasoning.ts';
import type { Reasoning, TextCall } from '../../text/text-call.ts';
import { outputCap, type WrittenTurn, writeThinkingForm } from '../anthropic/write-thinking.ts';
import type { TextTarget } from '../provider.ts';
import type { BedrockFamily } from './model-family.ts';
import type { BedrockMessage } from './write-messages.ts';

export interface BedrockReasoning {
  /** Part of `additionalModelRequestFields`. */
  readonly fields: object;
  readonly outputTokensMax: number | null;
}

/** The reasoning of the call fits the model already. Models without a field for it think as they like. */
export function writeBedrockReasoning(
  call: TextCall,
  target: Pick<TextTarget, 'outputTokensMax' | 'takes'>,
  { family, messages }: { family: BedrockFamily; messages: readonly BedrockMessage[] },
): BedrockReasoning {
  const { reasoning, outputTokensMax } = call;
  if (reasoning === null) return { fields: {}, outputTokensMax };
  if (family === 'claude') return writeClaude(call, target, messages);
  return { fields: fieldsOf(family, reasoning, call), outputTokensMax };
}

/** A budget is part of the cap, so it needs one. */
function writeClaude(
  call: TextCall,
  target: Pick<TextTarget, 'outputTokensMax' | 'takes'>,
  messages: readonly BedrockMessage[],
): BedrockReasoning {
  const { thinking, effort } = writeThinkingForm(call, target, messages.map(kindsOf));
  const hasBudget = thinking !== undefined && 'budget_tokens' in thinking;
  return {
    fields: {
      ...(thinking !== undefined && { thinking }),
      ...(effort !== undefined && { output_config: { effort } }),
    },
    outputTokensMax: hasBudget ? outputCap(call, target) : call.outputTokensMax,
  };
}

/** Whether thinking is possible depends on the kinds of blocks alone, which Anthropic has other names for. */
function kindsOf({ role, content }: BedrockMessage): WrittenTurn {
  return {
    role,
    content: content.map((block) => {
      if ('toolResult' in block) return { type: 'tool_result' };
      return { type: 'reasoningContent' in block ? 'thinking' : 'other' };
    }),
  };
}

function fieldsOf(family: BedrockFamily, reasoning: Reasoning, call: TextCall): object {
  const { effort } = reasoning;
  if (family === 'nova') {
    if (isOff(reasoning)) return { reasoningConfig: { type: 'disabled' } };
    return effort === null
      ? {}
      : { reasoningConfig: { type: 'enabled', maxReasoningEffort: novaEffort(call) } };
  }
  if (effort === null) return {};
  if (family === 'open') return { reasoning_effort: effort };
  return family === 'gpt' ? { reasoning: { effort } } : {};
}

/** With its highest effort Nova takes neither a cap nor sampling parameters. The caller's cap is worth more. */
function novaEffort({ reasoning, outputTokensMax, temperature, topP }: TextCall): string | null {
  const effort = reasoning?.effort ?? null;
  const limited = outputTokensMax !== null || temperature !== null || topP !== null;
  return effort === 'high' && limited ? 'medium' : effort;
}
