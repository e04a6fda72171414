/** Why an answer ended, in words that name no provider. Pure. */
import { dialectFacts } from '../catalog/dialects/dialects.ts';
import type { FinishReason } from '../text/text-result.ts';

type NeutralFinish = Exclude<FinishReason, 'stop_sequence'>;

/** The words of all dialects, in lower case; any other is an answer that ended by itself. */
const finishes = new Map<string, NeutralFinish>(
  Object.values(dialectFacts)
    .flatMap(({ finishReasons }) => Object.entries(finishReasons))
    .map(([word, reason]) => [word.toLowerCase(), reason === 'stop_sequence' ? 'stop' : reason]),
);

/** Null if the provider gave no reason. Some providers do not say that an answer ended with tool calls. */
export function neutralFinish(raw: string | null): NeutralFinish | null {
  return raw === null || raw === '' ? null : (finishes.get(raw.toLowerCase()) ?? 'stop');
}
