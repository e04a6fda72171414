/** Checks a chat request: what names something stored at a provider, then its shape. */
import { Problem } from '../kernel/problem.ts';
import { ChatRequest } from './chat.ts';
import { ChatCustomTool, ChatTool } from './chat-tools.ts';
import { Shape, type ShapeError } from './check-shape.ts';
import { rejectStoredField } from './find-stored-field.ts';

const shape = new Shape(ChatRequest);
const functionTool = new Shape(ChatTool);
const customTool = new Shape(ChatCustomTool);

/** Returns the request with its type, or throws a Problem that names the field. */
export function checkChatRequest(value: unknown): ChatRequest {
  rejectStoredField('chat', value);
  if (!shape.matches(value)) explainTools(value);
  return shape.check(value);
}

/** An error of a union mentions every variant; report only the intended one. */
function explainTools(request: unknown): void {
  const { tools } = (request ?? {}) as { tools?: unknown };
  if (!Array.isArray(tools)) return;
  for (const [i, tool] of tools.entries()) {
    const error = errorOf(tool);
    if (error === null) continue;
    const param = `tools[${i}]${error.path === '' ? '' : `.${error.path}`}`;
    throw new Problem('tool_format_invalid', { detail: `${param} ${error.message}.`, param });
  }
}

function errorOf(tool: unknown): ShapeError | null {
  const { type } = (tool ?? {}) as { type?: unknown };
  if (type === 'custom') return customTool.error(tool);
  if (type === 'function' || type === undefined) return functionTool.error(tool);
  return { path: 'type', message: 'must be one of "function", "custom"' };
}
