/** The kinds of hosted tools that are counted in two ways, of which a provider charges one. */

/** Google charges grounding with search by the prompt or by the query; which of them depends on the model. */
const alternatives: Readonly<Record<string, string>> = {
  google_search_prompt: 'google_search_query',
  google_search_query: 'google_search_prompt',
};

/** The kind that is charged instead of this one if only that one has a price; empty if there is none. */
export function alternativeTool(kind: string): string {
  return alternatives[kind] ?? '';
}
