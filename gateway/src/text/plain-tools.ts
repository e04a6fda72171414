/**
 * Tools for dialects that have less than OpenAI's: where a choice cannot allow some of the tools, only those are offered;
 * where tools take no text, such tools are rejected. Pure.
 */
import { CannotCarry, type TextCall, type ToolChoice } from './text-call.ts';

/** A call whose choice is none, one, or any of its tools. */
export type PlainCall = TextCall & { readonly toolChoice: Exclude<ToolChoice, { allowed: unknown }> | null };

/** Leaves out the tools that the model may not call, which has the same effect as forbidding them. */
export function withAllowedTools(call: TextCall): PlainCall {
  const { toolChoice, tools } = call;
  if (!isAllowed(toolChoice)) return call as PlainCall;
  const { allowed, mode } = toolChoice;
  const unknown = allowed.find((name) => !tools.some((tool) => tool.name === name));
  if (unknown !== undefined) throw new CannotCarry('toolChoice', 'with a tool that is not among tools');
  return { ...call, tools: tools.filter(({ name }) => allowed.includes(name)), toolChoice: mode };
}

/** For dialects whose tools all take arguments. */
export function withPlainTools(call: TextCall): PlainCall {
  const isText =
    call.tools.some(({ textInput }) => textInput !== undefined) || call.messages.some(callsTextTool);
  if (isText) throw new CannotCarry('tools', 'of the type custom');
  return withAllowedTools(call);
}

function callsTextTool(message: TextCall['messages'][number]): boolean {
  return (
    message.role === 'assistant' && message.parts.some((part) => part.type === 'tool_call' && part.isText)
  );
}

function isAllowed(choice: ToolChoice | null): choice is Extract<ToolChoice, { allowed: unknown }> {
  return typeof choice === 'object' && choice !== null && 'allowed' in choice;
}
