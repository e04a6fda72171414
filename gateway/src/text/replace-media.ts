/** Replaces the URLs in a neutral call. */
import type { InputPart, MediaSource, TextCall } from './text-call.ts';

export function replaceMedia(call: TextCall, sources: ReadonlyMap<string, MediaSource>): TextCall {
  const replaced = (part: InputPart): InputPart => {
    if (part.type === 'text' || part.source.kind !== 'url') return part;
    const source = sources.get(part.source.url);
    return source === undefined ? part : { ...part, source };
  };
  return {
    ...call,
    messages: call.messages.map((message) =>
      message.role === 'user' || message.role === 'tool'
        ? { ...message, parts: message.parts.map(replaced) }
        : message,
    ),
  };
}
