/**
 * Arranges a conversation for dialects that are strict about it: the user speaks first, no text is blank, and system
 * instructions stand before the conversation. Callers may send what OpenAI accepts: a greeting of the assistant first,
 * system messages alone, empty texts.
 */
import { type PlacedSystem, placeSystem, reminderText, type SpokenMessage } from './place-system.ts';
import { CannotCarry, type InputPart, type OutputPart, type TextMessage } from './text-call.ts';

export function arrangeTurns(messages: readonly TextMessage[]): PlacedSystem {
  const { system, messages: spoken } = placeSystem(messages.flatMap(withoutBlanks));
  if (spoken.length > 0) return { system, messages: startWithUser(spoken) };
  // System messages alone: the last one is what the model is to answer.
  const last = system.at(-1);
  if (last === undefined)
    throw new CannotCarry('messages', 'without a text, an image or a file', messages[0]?.at);
  return { system: system.slice(0, -1), messages: [{ role: 'user', parts: [{ type: 'text', ...last }] }] };
}

/** Long texts are kept as placeholders, which are not blank. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

function withoutBlanks(message: TextMessage): TextMessage[] {
  switch (message.role) {
    case 'system':
      return isBlank(message.text) ? [] : [message];
    case 'tool':
      return [{ ...message, parts: spokenParts(message.parts) }];
    case 'user': {
      const parts = spokenParts(message.parts);
      return parts.length === 0 ? [] : [{ ...message, parts }];
    }
    case 'assistant': {
      const parts = spokenParts(message.parts);
      return parts.length === 0 ? [] : [{ ...message, parts }];
    }
  }
}

/** Returns the same list if no text is blank, as in most calls. */
function spokenParts<Part extends InputPart | OutputPart>(parts: readonly Part[]): readonly Part[] {
  return parts.some(isBlankText) ? parts.filter((part) => !isBlankText(part)) : parts;
}

/** Reasoning without a text may have a proof. */
function isBlankText(part: InputPart | OutputPart): boolean {
  return (part.type === 'text' || part.type === 'refusal') && isBlank(part.text);
}

const BEGINS_WITH_ASSISTANT = reminderText('The conversation begins with a message of the assistant.');

function startWithUser(messages: readonly SpokenMessage[]): readonly SpokenMessage[] {
  if (messages[0]?.role !== 'assistant') return messages;
  return [{ role: 'user', parts: [{ type: 'text', text: BEGINS_WITH_ASSISTANT }] }, ...messages];
}
