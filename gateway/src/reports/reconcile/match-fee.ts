/** Finds the hosted tools that a line of an export is a fee for, if it names no model. Pure. */

/** What providers call the fees of hosted tools, and how the gateway counts these. */
const fees: ReadonlyArray<readonly [words: RegExp, tools: readonly string[]]> = [
  [/\bgrounding\b|\bgoogle search\b/, ['google_search_query', 'google_search_prompt']],
  [/\bweb search\b/, ['web_search']],
  [/\bfile search\b/, ['file_search']],
  [/\bcode (?:execution|interpreter)\b/, ['code_execution', 'code_interpreter']],
];

/** Empty: it is no such fee. */
export function feeTools(name: string): readonly string[] {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, ' ');
  return fees.find(([pattern]) => pattern.test(words))?.[1] ?? [];
}
