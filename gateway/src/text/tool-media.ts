/**
 * Images and files in tool results, for protocols whose results hold only text: they move to the next message of the
 * user, each behind a text that names its tool call. A text in the result says so. Pure.
 */
import type { FilePart, ImagePart, InputPart, TextMessage } from './text-call.ts';

export type ToolMessage = Extract<TextMessage, { role: 'tool' }>;
type UserMessage = Extract<TextMessage, { role: 'user' }>;
type MediaPart = ImagePart | FilePart;

/** Whether a dialect accepts the part inside this result. */
export type HoldsMedia = (part: MediaPart, result: ToolMessage) => boolean;

const holdsNothing: HoldsMedia = () => false;

/** The same list if nothing moves. */
export function moveToolMedia<Message extends TextMessage>(
  messages: readonly Message[],
  holds: HoldsMedia = holdsNothing,
): ReadonlyArray<Message | UserMessage | ToolMessage> {
  const moves = (part: InputPart, result: ToolMessage): part is MediaPart =>
    part.type !== 'text' && !holds(part, result);
  const concerned = messages.some(
    (message) => message.role === 'tool' && message.parts.some((part) => moves(part, message)),
  );
  if (!concerned) return messages;
  const moved: Array<Message | UserMessage | ToolMessage> = [];
  const names = new Map<string, string>();
  /** For the next message of the user. */
  let waiting: InputPart[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      const { callId } = message;
      const place = new MovedMedia(callId, names.get(callId));
      const parts = message.parts.map((part): InputPart => {
        if (!moves(part, message)) return part;
        const { note, label } = place.next(part.type);
        waiting.push({ type: 'text', text: label }, part);
        return { type: 'text', text: note };
      });
      moved.push({ ...message, parts });
    } else if (message.role === 'user') {
      moved.push(waiting.length === 0 ? message : { ...message, parts: [...waiting, ...message.parts] });
      waiting = [];
    } else {
      if (message.role === 'assistant') {
        for (const part of message.parts) if (part.type === 'tool_call') names.set(part.id, part.name);
        if (waiting.length > 0) moved.push({ role: 'user', parts: waiting });
        waiting = [];
      }
      moved.push(message);
    }
  }
  if (waiting.length > 0) moved.push({ role: 'user', parts: waiting });
  return moved;
}

/** The texts for the media that leave one result. */
export class MovedMedia {
  readonly #call: string;
  readonly #counts = { image: 0, file: 0 };

  constructor(callId: string, toolName: string | undefined) {
    this.#call = toolName === undefined ? callId : `${callId} (${toolName})`;
  }

  /** `note` stands in the result, `label` before the part. */
  next(type: MediaPart['type']): { note: string; label: string } {
    const number = ++this.#counts[type];
    return {
      note: `[${type} ${number} of this result is in the next user message]`,
      label: `${type === 'image' ? 'Image' : 'File'} ${number} of the result of the tool call ${this.#call}:`,
    };
  }
}
