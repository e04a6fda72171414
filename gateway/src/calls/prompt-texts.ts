/** The texts of a prompt, for counting tokens. */
import { expandText } from '../json/placeholders.ts';
import type { RunningText } from './text-request.ts';

/** Includes long texts that are kept outside of the body. */
export function promptTexts<Request>({
  format,
  request,
  body,
}: Pick<RunningText<Request>, 'format' | 'request' | 'body'>): string[] {
  const texts = format.promptTexts(request);
  const { inline } = body;
  return inline === undefined ? texts : texts.map((text) => expandText(text, inline));
}
