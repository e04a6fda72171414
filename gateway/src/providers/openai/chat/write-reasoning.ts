/** How much a model should think, in the fields that servers of the chat protocol have for it. Pure. */
import { isOff, thinksWith } from '../../../catalog/fit-reasoning.ts';
import type { TextCall, TextMessage } from '../../../text/text-call.ts';
import type { TextTarget } from '../../provider.ts';
import { withoutNulls } from '../../without-nulls.ts';
import { effortOf } from '../request-fields.ts';

export function writeReasoning(
  { reasoning, messages }: TextCall,
  { takes }: Pick<TextTarget, 'takes'>,
): object {
  const hasSwitch = takes.thinking === 'switch';
  if (hasSwitch && thinksWith(reasoning, takes) && messages.some(lacksThoughts)) return SWITCHED_OFF;
  if (reasoning === null) return {};
  // Not every server has a word for it.
  if (reasoning.implied && takes.thinking === 'unknown') return {};
  const effort = withoutNulls({ reasoning_effort: effortOf(reasoning) });
  if (!hasSwitch) return effort;
  return isOff(reasoning) ? SWITCHED_OFF : { thinking: { type: 'enabled' }, ...effort };
}

const SWITCHED_OFF = { thinking: { type: 'disabled' } };

/** Most formats cannot carry the thoughts before a call, so thinking is turned off in such a conversation. */
function lacksThoughts(message: TextMessage): boolean {
  if (message.role !== 'assistant') return false;
  const calls = message.parts.some(({ type }) => type === 'tool_call');
  return calls && !message.parts.some((part) => part.type === 'reasoning' && part.text !== '');
}
