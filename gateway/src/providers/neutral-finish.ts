/** Why an answer ended, in words that name no provider. Pure. */

type NeutralFinish = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** The words of all dialects, in lower case; any other is an answer that ended by itself. */
const words: Readonly<Record<Exclude<NeutralFinish, 'stop'>, readonly string[]>> = {
  length: [...['length', 'model_length', 'max_tokens', 'max_output_tokens'], 'model_context_window_exceeded'],
  tool_calls: ['tool_calls', 'function_call', 'tool_use'],
  content_filter: [
    ...['content_filter', 'content_filtered', 'refusal', 'guardrail_intervened', 'safety', 'recitation'],
    ...['language', 'blocklist', 'prohibited_content', 'spii'],
    ...['image_safety', 'image_prohibited_content', 'image_recitation'],
  ],
};

const finishes = new Map<string, NeutralFinish>(
  Object.entries(words).flatMap(([finish, raw]) => raw.map((word) => [word, finish as NeutralFinish])),
);

/** Null if the provider gave no reason. Some providers do not say that an answer ended with tool calls. */
export function neutralFinish(raw: string | null): NeutralFinish | null {
  return raw === null || raw === '' ? null : (finishes.get(raw.toLowerCase()) ?? 'stop');
}
