/** Reads the tools of a responses request and the tool choice. */
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { isObject, type Json, listOf, objectOf, textOf } from '../../../json/read-json.ts';
import { cannotCarry } from '../../reject-field.ts';
import { rejectOtherFields } from '../../reject-other-fields.ts';
import type { TextTool, ToolChoice } from '../../text-call.ts';
import { responsesToolFields } from './read-fields.ts';
import type { ToolNames } from './tool-names.ts';

export function readTools(request: ResponsesRequest, names: ToolNames): TextTool[] {
  const { tools, tool_choice: choice, model } = request;
  const given = listOf(tools);
  const carried = given.flatMap((tool, i) => {
    const path = `tools[${i}]`;
    if (tool.type === 'function' || tool.type === 'custom')
      return [readOwnTool(tool, textOf(tool.name), { path, model })];
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

/** A function, or a tool that takes a text. */
function readOwnTool(tool: Json, name: string, place: { path: string; model: string }): TextTool {
  rejectOtherFields(tool, responsesToolFields, place);
  return tool.type === 'custom' ? readCustom(tool, name) : readFunction(tool, name);
}

function readCustom({ description, format }: Json, name: string): TextTool {
  const { type, syntax, definition } = objectOf(format);
  const grammar = type === 'grammar' ? { syntax: textOf(syntax), definition: textOf(definition) } : null;
  return {
    name,
    description: typeof description === 'string' ? description : null,
    parameters: null,
    strict: null,
    textInput: { grammar },
  };
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
    if (inner.type !== 'function' && inner.type !== 'custom')
      throw cannotCarry(`${path}.tools[${i}].type`, model);
    const place = { path: `${path}.tools[${i}]`, model };
    const read = readOwnTool(inner, names.join({ namespace, name: textOf(inner.name) }), place);
    if (i > 0 || about === '') return read;
    const own = read.description === null ? '' : `${read.description}\n\n`;
    return { ...read, description: `${own}About all functions of ${namespace}: ${about}` };
  });
}

export function readToolChoice(request: ResponsesRequest, names: ToolNames): ToolChoice | null {
  const { tool_choice: choice, tools, model } = request;
  if (choice === null || choice === undefined) return null;
  if (typeof choice === 'string') return choice;
  const chosen = choice as Json;
  if (chosen.type === 'allowed_tools') return readAllowed(chosen, request, names);
  if (!isOwn(chosen)) throw cannotCarry('tool_choice', model);
  return { name: chosenName(chosen, tools, names) };
}

/** A search of the web that is allowed is an offer, as among tools. */
function readAllowed(
  { mode, tools: allowed }: Json,
  { tools, model }: ResponsesRequest,
  names: ToolNames,
): ToolChoice {
  const named = listOf(allowed).flatMap((tool, i) => {
    if (isSearch(tool)) return [];
    if (!isOwn(tool)) throw cannotCarry(`tool_choice.tools[${i}].type`, model);
    return [chosenName(tool, tools, names)];
  });
  const isRequired = mode === 'required';
  if (isRequired && named.length === 0) throw cannotCarry('tool_choice', model);
  return { allowed: named, mode: isRequired ? 'required' : 'auto' };
}

/** A tool that the caller runs, by its name. */
function isOwn({ type, name }: Json): boolean {
  return (type === 'function' || type === 'custom') && typeof name === 'string';
}

function chosenName(chosen: Json, tools: ResponsesRequest['tools'], names: ToolNames): string {
  const name = textOf(chosen.name);
  const namespace = textOf(chosen.namespace) || namespaceHolding(name, tools);
  return namespace === null ? name : names.join({ namespace, name });
}

/** A tool choice may name a function without its namespace if the name is unique. */
function namespaceHolding(name: string, tools: ResponsesRequest['tools']): string | null {
  const given = listOf(tools);
  if (given.some((tool) => isOwn(tool) && tool.name === name)) return null;
  const holding = given.filter(
    (tool) => tool.type === 'namespace' && listOf(tool.tools).some((inner) => inner.name === name),
  );
  return holding.length === 1 ? textOf(holding[0]?.name) : null;
}
