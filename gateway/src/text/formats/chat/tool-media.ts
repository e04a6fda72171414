/**
 * Images and files in the tool messages of a chat request. Chat servers accept only text there, so they move to the
 * next message of the user, in the caller's own words for them (../../tool-media.ts does it in translations). Pure.
 */
import type { ChatRequest } from '../../../contract/chat.ts';
import { listOf, objectOf, textOf } from '../../../json/read-json.ts';
import { MovedMedia } from '../../tool-media.ts';

type Message = ChatRequest['messages'][number];
type Part = Extract<NonNullable<Message['content']>, unknown[]>[number];

export function hasToolMedia({ messages }: Pick<ChatRequest, 'messages'>): boolean {
  return messages.some(
    ({ role, content }) =>
      role === 'tool' && Array.isArray(content) && content.some((part) => mediaOf(part) !== null),
  );
}

export function moveChatMedia(messages: ChatRequest['messages']): ChatRequest['messages'] {
  const moved: Message[] = [];
  const names = new Map<string, string>();
  /** For the next message of the user. */
  let waiting: Part[] = [];
  for (const message of messages) {
    const { role, content, tool_call_id: callId = '' } = message;
    if (role === 'tool' && Array.isArray(content)) {
      const place = new MovedMedia(callId, names.get(callId));
      const texts = content.map((part): Part => {
        const type = mediaOf(part);
        if (type === null) return part;
        const { note, label } = place.next(type);
        waiting.push({ type: 'text', text: label }, part);
        return { type: 'text', text: note };
      });
      moved.push({ ...message, content: texts });
      continue;
    }
    for (const { id, function: called } of listOf(message.tool_calls))
      names.set(textOf(id), textOf(objectOf(called).name));
    if (waiting.length > 0 && role === 'user') {
      moved.push({ ...message, content: [...waiting, ...partsOf(content)] });
      waiting = [];
    } else {
      if (waiting.length > 0 && role === 'assistant') {
        moved.push({ role: 'user', content: waiting });
        waiting = [];
      }
      moved.push(message);
    }
  }
  return waiting.length === 0 ? moved : [...moved, { role: 'user', content: waiting }];
}

function mediaOf({ type }: Part): 'image' | 'file' | null {
  if (type === 'image_url') return 'image';
  return type === 'file' ? 'file' : null;
}

function partsOf(content: Message['content']): readonly Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content ?? [];
}
