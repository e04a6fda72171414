/**
 * Checks a responses request. Explains mistakes in items and tools, for which the union in the schema says
 * too little.
 */

import { Problem } from '../kernel/problem.ts';
import { Shape } from './check-shape.ts';
import { rejectStoredField } from './find-stored-field.ts';
import { ResponsesFunctionTool, ResponsesNamespaceTool, ResponsesRequest } from './responses.ts';
import { responsesItems } from './responses-items.ts';

type Json = Readonly<Record<string, unknown>>;

const shape = new Shape(ResponsesRequest);
const functionTool = new Shape(ResponsesFunctionTool);
const namespaceTool = new Shape(ResponsesNamespaceTool);
const itemShapes = new Map(Object.entries(responsesItems).map(([type, schema]) => [type, new Shape(schema)]));

/** Returns the request with its type, or throws a Problem that names the field. */
export function checkResponsesRequest(value: unknown): ResponsesRequest {
  rejectStoredField('responses', value);
  if (!shape.matches(value)) {
    if (isObject(value)) explainParts(value);
    return shape.check(value);
  }
  if (value.response_format && value.text?.format) {
    throw new Problem('invalid_parameter', {
      detail: 'response_format and text.format are the same setting; send only one of them.',
      param: 'response_format',
    });
  }
  if (value.background === true && value.store === false) {
    throw new Problem('invalid_parameter', {
      detail:
        'A background response is kept, so that it can be read later. Remove "store": false, or "background".',
      param: 'store',
    });
  }
  refuseTooManyFunctions(value);
  return value;
}

/** A namespace may have many functions; providers accept far fewer than this in total. */
const FUNCTIONS_MAX = 1_024;

function refuseTooManyFunctions({ tools }: ResponsesRequest): void {
  let functions = 0;
  for (const tool of tools ?? [])
    functions += 'tools' in tool && Array.isArray(tool.tools) ? tool.tools.length : 1;
  if (functions <= FUNCTIONS_MAX) return;
  throw new Problem('tool_format_invalid', {
    detail: `tools must not have more than ${FUNCTIONS_MAX} functions in all, those of namespaces included.`,
    param: 'tools',
  });
}

/** An error of a union mentions every variant; report only the intended one. */
function explainParts(request: Json): void {
  if (Array.isArray(request.tools)) {
    for (const [i, tool] of request.tools.entries()) {
      if (!isObject(tool)) continue;
      if (tool.type === 'function') explainTool(tool, `tools[${i}]`);
      if (tool.type === 'namespace') hold(namespaceTool, tool, `tools[${i}]`);
    }
  }
  if (Array.isArray(request.input)) {
    for (const [i, item] of request.input.entries()) {
      const type = isObject(item) ? (item.type ?? 'message') : null;
      const known = typeof type === 'string' ? itemShapes.get(type) : undefined;
      const error = known?.error(item) ?? null;
      if (error === null || itemShapes.get('item_reference')?.matches(item)) continue;
      const param = `input[${i}].${error.path}`;
      throw new Problem('invalid_parameter', { detail: `${param} ${error.message}.`, param });
    }
  }
}

function explainTool(tool: Json, path: string): void {
  if (tool.name === undefined && isObject(tool.function)) {
    throw new Problem('tool_format_invalid', {
      detail:
        `${path} is written as for chat completions. Here its fields stand beside its type: ` +
        '{"type": "function", "name": …, "description": …, "parameters": …}.',
      param: `${path}.function`,
    });
  }
  hold(functionTool, tool, path);
}

function hold(shape: typeof functionTool | typeof namespaceTool, tool: Json, path: string): void {
  const error = shape.error(tool);
  if (error === null) return;
  const param = `${path}.${error.path}`;
  throw new Problem('tool_format_invalid', { detail: `${param} ${error.message}.`, param });
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
