/** Reads the tools of a responses request and the tool choice. */
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { isObject, type Json, listOf, textOf } from '../../../kernel/json/read-json.ts';
import { cannotCarry } from '../../reject-field.ts';
import type { TextTool, ToolChoice } from '../../text-call.ts';
import type { ToolNames } from './tool-names.ts';

export function readTools(request: ResponsesRequest, names: ToolNames): TextTool[] {
  const { tools, tool_choice: choice, model } = request;
  const given = listOf(tools);
  const carried = given.flatMap((tool, i) => {
    const path = `tools[${i}]`;
    if (tool.type === 'function') return [readFunction(tool, textOf(tool.name))];
    if (tool.type === 'namespace') return readNamespace(tool, { path, model, names });
    if (isSearch(tool)) return [];
    throw cannotCarry(`${path}.type`, model);
  });
  // Web search is then the only tool: without it the answer would pass for a searched one.
  if (choice === 'required' && carried.length === 0 && given.length > 0)
    throw cannotCarry('tools[0].type', model);
  return carried;
}

/** Optional: a model that cannot search the web answers without it. */
function isSearch({ type }: Json): boolean {
  return /^web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/.test(textOf(type));
}

function readFunction(tool: Json, name: string): TextTool {
  const { description, parameters, strict } = tool;
  return {
    name,
    description: typeof description === 'string' ? description : null,
    parameters: isObject(parameters) ? parameters : null,
    strict: typeof strict === 'boolean' ? strict : null,
  };
}

/** The description of a namespace is added to its first function. */
function readNamespace(
  tool: Json,
  { path, model, names }: { path: string; model: string; names: ToolNames },
): TextTool[] {
  const namespace = textOf(tool.name);
  const about = textOf(tool.description);
  return listOf(tool.tools).map((inner, i) => {
    if (inner.type !== 'function') throw cannotCarry(`${path}.tools[${i}].type`, model);
    const read = readFunction(inner, names.join({ namespace, name: textOf(inner.name) }));
    if (i > 0 || about === '') return read;
    const own = read.description === null ? '' : `${read.description}\n\n`;
    return { ...read, description: `${own}About all functions of ${namespace}: ${about}` };
  });
}

export function readToolChoice(
  { tool_choice: choice, tools, model }: ResponsesRequest,
  names: ToolNames,
): ToolChoice | null {
  if (choice === null || choice === undefined) return null;
  if (typeof choice === 'string') return choice;
  if (choice.type !== 'function' || !('name' in choice)) throw cannotCarry('tool_choice', model);
  const { name } = choice;
  const namespace = textOf(choice.namespace) || namespaceHolding(name, tools);
  return { name: namespace === null ? name : names.join({ namespace, name }) };
}

/** A tool choice may name a function without its namespace if the name is unique. */
function namespaceHolding(name: string, tools: ResponsesRequest['tools']): string | null {
  const given = listOf(tools);
  if (given.some((tool) => tool.type === 'function' && tool.name === name)) return null;
  const holding = given.filter(
    (tool) => tool.type === 'namespace' && listOf(tool.tools).some((inner) => inner.name === name),
  );
  return holding.length === 1 ? textOf(holding[0]?.name) : null;
}
