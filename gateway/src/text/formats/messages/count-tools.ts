/** Counts the tools that a provider ran in a message, by its blocks, for messages without usage. */
import { type Json, listOf, objectOf, textOf } from '../../../json/read-json.ts';
import type { UsageDetails } from '../../../pricing/usage.ts';
import { UNCOUNTED_TOOLS, usageDetails } from '../../../pricing/usage-details.ts';

export class ServerTools {
  #searches = 0;
  #uncounted = false;

  /** A block, or the beginning of one. */
  add({ type, name, content }: Json): void {
    if (type === 'server_tool_use') this.#use(textOf(name));
    // A search that failed is not billed.
    else if (objectOf(content).type === 'web_search_tool_result_error')
      this.#searches = Math.max(0, this.#searches - 1);
  }

  get details(): UsageDetails | undefined {
    return usageDetails({
      tools: { web_search: this.#searches },
      unknown: this.#uncounted ? UNCOUNTED_TOOLS : undefined,
    });
  }

  #use(name: string): void {
    if (name === 'web_search') this.#searches++;
    else if (name !== 'web_fetch' && !name.startsWith('tool_search')) this.#uncounted = true;
  }
}

/** Whether the JSON of a block may be of interest: cheaper than parsing it. */
export function mayBeServerTool(json: string): boolean {
  return json.includes('server_tool_use') || json.includes('web_search_tool_result_error');
}

export function countServerTools(content: unknown): UsageDetails | undefined {
  const tools = new ServerTools();
  for (const block of listOf(content)) tools.add(block);
  return tools.details;
}
