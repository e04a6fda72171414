import { expandText } from '../kernel/json/placeholders.ts';
import type { RunningText } from './text-request.ts';

/** The words of the prompt in full, for counting tokens. */
export function promptTexts<Request>({
  format,
  request,
  body,
}: Pick<RunningText<Request>, 'format' | 'request' | 'body'>): string[] {
  const texts = format.promptTexts(request);
  const { inline } = body;
  return inline === undefined ? texts : texts.map((text) => expandText(text, inline));
}
