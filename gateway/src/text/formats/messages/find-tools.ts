/**
 * Deferred tools. Anthropic shows such a tool to the model only after a tool search found it. Other providers
 * have no tool search, so they get the tools that the conversation refers to, without the rest.
 */
import type { CustomTool, MessagesRequest } from '../../../contract/messages.ts';
import { type Json, listOf, textOf } from '../../../kernel/json/read-json.ts';

type Tool = NonNullable<MessagesRequest['tools']>[number];

/** The available tools, each with its path in the request. */
export function offeredTools(request: MessagesRequest): Array<{ tool: Tool; index: number }> {
  const placed = (request.tools ?? []).map((tool, index) => ({ tool, index }));
  if (!placed.some(({ tool }) => isDeferred(tool))) return placed;
  const found = referredTools(request);
  return placed.filter(({ tool }) => !isDeferred(tool) || found.has((tool as CustomTool).name));
}

function isDeferred(tool: Tool): boolean {
  return (tool as Partial<CustomTool>).defer_loading === true;
}

function referredTools({ messages, tool_choice: choice }: MessagesRequest): ReadonlySet<string> {
  const found = new Set(choice?.type === 'tool' ? [choice.name ?? ''] : []);
  const read = (block: Json): void => {
    if (block.type === 'tool_reference') found.add(textOf(block.tool_name));
    else if (block.type === 'tool_use') found.add(textOf(block.name));
    else if (block.type === 'tool_result') listOf(block.content).forEach(read);
  };
  for (const { content } of messages) listOf(content).forEach(read);
  return found;
}
