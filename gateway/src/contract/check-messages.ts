/**
 * Checks a messages request. A union in the schema would report a mistake against every variant, so each
 * block, tool and source is checked against the schema of its own type.
 */
import type { Static, TSchema } from 'typebox';
import { Problem } from '../kernel/problem.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import { Shape } from './check-shape.ts';
import { rejectStoredField } from './find-stored-field.ts';
import { blockKinds, type ContentBlock } from './message-blocks.ts';
import { CountTokensRequest, CustomTool, MessagesRequest } from './messages.ts';
import { messagesProblem, messagesShapeProblem } from './messages-refusal.ts';

const requestShape = new Shape(MessagesRequest);
const countShape = new Shape(CountTokensRequest);
const toolShape = new Shape(CustomTool);
const blockShapes = new Map<string, Shape<TSchema>>(
  Object.entries(blockKinds).map(([kind, schema]) => [kind, new Shape(schema as TSchema)]),
);

export function checkMessagesRequest(value: Record<string, unknown>): MessagesRequest {
  const request = checked(requestShape, value);
  checkKinds(request);
  return request;
}

export function checkCountRequest(value: Record<string, unknown>): CountTokensRequest {
  const request = checked(countShape, value);
  checkKinds(request);
  return request;
}

function checked<Schema extends TSchema>(
  shape: Shape<Schema>,
  value: Record<string, unknown>,
): Static<Schema> {
  rejectStoredField('messages', value);
  refuseDeveloper(value.messages);
  if (shape.matches(value)) return value;
  const error = shape.error(value) ?? { path: '', message: 'is not valid' };
  throw messagesShapeProblem(error, error.path.startsWith('tools') ? 'tool_format_invalid' : undefined);
}

/** A common mistake of callers who come from another format. */
function refuseDeveloper(messages: unknown): void {
  if (!Array.isArray(messages)) return;
  const at = messages.findIndex((message) => message?.role === 'developer');
  if (at < 0) return;
  throw new Problem('invalid_parameter', {
    detail:
      'messages: Unexpected role "developer". The Messages API accepts a top-level `system` parameter, and "system" ' +
      'as the role of a message.',
    param: `messages[${at}].role`,
  });
}

function checkKinds({ messages, tools, tool_choice: choice, thinking }: CountTokensRequest): void {
  messages.forEach(({ role, content }, i) => {
    if (Array.isArray(content)) checkBlocks(content, `messages[${i}].content`);
    // A system message may have settings alone.
    else if (content === undefined && role !== 'system') throw missing(`messages[${i}].content`);
  });
  tools?.forEach((tool, i) => {
    if (isCustom(tool)) hold(toolShape, tool, { path: `tools[${i}]`, code: 'tool_format_invalid' });
  });
  if (choice?.type === 'tool' && choice.name === undefined) throw missing('tool_choice.name');
  if (thinking?.type === 'enabled' && thinking.budget_tokens === undefined)
    throw missing('thinking.budget_tokens');
}

/** `function` is the chat name and is rejected by the schema; other types are tools of the provider. */
function isCustom({ type }: { type?: string | null | undefined }): boolean {
  return type === undefined || type === null || type === 'custom' || type === 'function';
}

function checkBlocks(blocks: readonly ContentBlock[], path: string): void {
  for (const [i, block] of blocks.entries()) {
    const shape = blockShapes.get(block.type);
    const at = `${path}[${i}]`;
    if (shape !== undefined) hold(shape, block, { path: at, code: 'invalid_parameter' });
    const { content } = block as { content?: unknown };
    if (block.type === 'tool_result' && Array.isArray(content)) checkBlocks(content, `${at}.content`);
  }
}

function hold(shape: Shape<TSchema>, value: unknown, place: { path: string; code: ProblemCode }): void {
  const error = shape.error(value);
  if (error === null) return;
  const path = `${place.path}${error.path === '' ? '' : `.${error.path}`}`;
  throw messagesShapeProblem({ ...error, path }, place.code);
}

function missing(param: string): Problem {
  return messagesProblem(param, 'Field required');
}
