/**
 * Some dialects accept system instructions only before the conversation. A later system message becomes text
 * at the start of an adjacent user turn, marked as agents mark it themselves.
 */
import type { InputPart, TextMessage } from './text-call.ts';

export interface PlacedSystem {
  /** The system instructions before the conversation. */
  readonly system: ReadonlyArray<Omit<SystemMessage, 'role'>>;
  /** The conversation without system messages. */
  readonly messages: readonly SpokenMessage[];
}

export type SpokenMessage = Exclude<TextMessage, { role: 'system' }>;

export function placeSystem(messages: readonly TextMessage[]): PlacedSystem {
  const begins = messages.findIndex(({ role }) => role !== 'system');
  const leading = begins < 0 ? messages : messages.slice(0, begins);
  const system = leading.flatMap((message) =>
    message.role === 'system' ? [{ text: message.text, ...markerOf(message) }] : [],
  );
  return { system, messages: begins < 0 ? [] : placeReminders(messages.slice(begins)) };
}

/**
 * A system message moves to the user turn before it, or else to the next one. Tool results stay first in a
 * turn.
 */
function placeReminders(messages: readonly TextMessage[]): SpokenMessage[] {
  const placed: SpokenMessage[] = [];
  /** System messages for the next user turn. */
  let waiting: InputPart[] = [];
  /** The number of reminders at the start of the last user turn. */
  let heads = 0;
  const flush = (): void => {
    if (waiting.length > 0) placed.push({ role: 'user', parts: waiting });
    waiting = [];
  };
  for (const message of messages) {
    const last = placed.at(-1);
    if (message.role === 'system') {
      if (message.text === '') continue;
      if (last?.role === 'user') {
        const parts = [...last.parts.slice(0, heads), reminder(message), ...last.parts.slice(heads)];
        placed[placed.length - 1] = { role: 'user', parts };
        heads++;
      } else waiting.push(reminder(message));
    } else if (message.role === 'user') {
      heads = waiting.length;
      placed.push(waiting.length === 0 ? message : { role: 'user', parts: [...waiting, ...message.parts] });
      waiting = [];
    } else {
      if (message.role === 'assistant') flush();
      placed.push(message);
    }
  }
  flush();
  return placed;
}

type SystemMessage = Extract<TextMessage, { role: 'system' }>;

function reminder(message: SystemMessage): InputPart {
  return { type: 'text', text: reminderText(message.text), ...markerOf(message) };
}

/** As agents mark what does not come from the user. */
export function reminderText(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}

function markerOf({ cache }: SystemMessage): Pick<SystemMessage, 'cache'> {
  return cache === undefined ? {} : { cache };
}
