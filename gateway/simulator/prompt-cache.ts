/**
 * The prompt caches of a provider: one for each model. What a model has read before, from the beginning of a prompt to
 * the end of a turn, is reported as cached tokens when another prompt begins with it.
 */

import { hashText } from '../src/kernel/hash-text.ts';
import type { Prompt, Usage } from './brain/prompt.ts';
import { countInputTokens } from './brain/tokens.ts';
import type { Bill, Script } from './script.ts';

const PREFIXES_MAX = 200_000;

export class PromptCache {
  readonly #prefixes = new Set<string>();

  /** The script with its cached tokens reported; from now on the cache has its prompt. */
  serve(script: Script): Script {
    const { prompt } = script;
    if (prompt === undefined) return script;
    const cachedTokens = this.#read(prompt);
    const withCached = (usage: Usage): Usage => ({ ...usage, cachedTokens });
    const cached =
      (bill: Bill): Bill =>
      (usage) =>
        bill(withCached(usage));
    return {
      ...script,
      body: (bill) => script.body(cached(bill)),
      frames: (bill, chunks) => script.frames(cached(bill), chunks),
    };
  }

  /** The tokens of the longest beginning that it has; it gets all beginnings of this prompt. */
  #read(prompt: Prompt): number {
    let cached = 0;
    let hash = hashText(JSON.stringify(prompt.tools));
    for (const [i, turn] of prompt.turns.entries()) {
      hash = hashText(`${hash} ${turn.role} ${turn.text} ${JSON.stringify(turn.toolCalls)}`);
      const prefix = `${prompt.model} ${i} ${hash}`;
      if (this.#prefixes.has(prefix))
        cached = countInputTokens({ ...prompt, turns: prompt.turns.slice(0, i + 1) });
      else if (this.#prefixes.size < PREFIXES_MAX) this.#prefixes.add(prefix);
    }
    return cached;
  }
}
