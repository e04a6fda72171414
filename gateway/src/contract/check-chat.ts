/** Checks a chat request: what names something stored at a provider, then its shape. */
import { ChatRequest } from './chat.ts';
import { Shape } from './check-shape.ts';
import { rejectStoredField } from './find-stored-field.ts';

const shape = new Shape(ChatRequest);

/** Returns the request with its type, or throws a Problem that names the field. */
export function checkChatRequest(value: unknown): ChatRequest {
  rejectStoredField('chat', value);
  return shape.check(value);
}
