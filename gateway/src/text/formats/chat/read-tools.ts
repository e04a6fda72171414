/** Reads the tools of a chat request and the tool choice. */
import type { ChatRequest } from '../../../contract/chat.ts';
import type { ChatCustomTool } from '../../../contract/chat-tools.ts';
import { readCacheMarker } from '../../cache-marker.ts';
import { rejectOtherFields } from '../../reject-other-fields.ts';
import type { TextTool, ToolChoice } from '../../text-call.ts';
import { chatObjects } from './read-fields.ts';

export function readChatTool(
  given: NonNullable<ChatRequest['tools']>[number],
  path: string,
  model: string,
): TextTool {
  rejectOtherFields(given, chatObjects.tool, { path, model });
  if (given.type === 'custom') return readCustomTool(given.custom);
  rejectOtherFields(given.function, chatObjects.function, { path: `${path}.function`, model });
  const { name, description = null, parameters = null, strict = null } = given.function;
  return { name, description, parameters, strict, ...readCacheMarker(given) };
}

/** A tool that takes a text. */
function readCustomTool({ name, description = null, format }: ChatCustomTool['custom']): TextTool {
  const grammar = format?.grammar ?? null;
  return { name, description, parameters: null, strict: null, textInput: { grammar } };
}

export function readChatToolChoice(choice: ChatRequest['tool_choice']): ToolChoice | null {
  if (choice === null || choice === undefined) return null;
  if (typeof choice === 'string') return choice;
  if (choice.type !== 'allowed_tools') return { name: chosenName(choice) };
  const { mode, tools } = choice.allowed_tools;
  return { allowed: tools.map(chosenName), mode };
}

type NamedTool =
  | { type: 'function'; function: { name: string } }
  | { type: 'custom'; custom: { name: string } };

function chosenName(tool: NamedTool): string {
  return tool.type === 'custom' ? tool.custom.name : tool.function.name;
}
