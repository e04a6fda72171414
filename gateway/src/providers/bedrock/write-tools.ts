/**
 * The tools of a Converse request. A request whose history has tool calls must declare tools, and Converse has no choice
 * `none`. So where the model must not call a tool, those of the history are declared as finished, and calls of them are
 * not shown to the caller (read-answer.ts, read-stream.ts). Pure.
 */
import type { PlainCall } from '../../text/plain-tools.ts';
import { CannotCarry } from '../../text/text-call.ts';
import { writeSchema } from '../anthropic/write-schema.ts';
import { withoutNulls } from '../without-nulls.ts';
import type { CachePoint } from './cache-point.ts';
import type { BedrockFamily } from './model-family.ts';

export interface BedrockTools {
  readonly toolConfig?: object;
  /** Claude's own field, for what Converse has no field for. */
  readonly tool_choice?: object;
}

interface ToolRules {
  readonly family: BedrockFamily;
  readonly toolPoint: CachePoint;
  /** Whether the model holds arguments to a schema. */
  readonly structured: boolean;
}

type Tool = PlainCall['tools'][number];
type ToolChoice = Exclude<NonNullable<PlainCall['toolChoice']>, 'none'>;

export function writeBedrockTools(call: PlainCall, rules: ToolRules): BedrockTools {
  const { tools, toolChoice } = call;
  if (tools.length === 0 || toolChoice === 'none') {
    if (forces(toolChoice)) throw new CannotCarry('toolChoice', 'without tools');
    const finished = calledNames(call).map(writeFinishedTool);
    return finished.length === 0 ? {} : { toolConfig: { tools: finished } };
  }
  const isClaude = rules.family === 'claude';
  // A single tool is hardly ever called in parallel, and libraries that fill a schema forbid it by habit.
  const alone = call.parallelTools === false && (isClaude || tools.length > 1);
  if (alone && !isClaude) throw new CannotCarry('parallelTools');
  const written = tools.flatMap((tool) => [writeTool(tool, rules), ...rules.toolPoint(tool.cache)]);
  // Both fields become one of Claude's, which must get its type from one of the two.
  const typed = alone && !forces(toolChoice);
  return {
    toolConfig: {
      tools: written,
      ...(toolChoice !== null && !typed && { toolChoice: writeToolChoice(toolChoice) }),
    },
    ...(alone && { tool_choice: { ...(typed && { type: 'auto' }), disable_parallel_tool_use: true } }),
  };
}

function forces(choice: PlainCall['toolChoice']): boolean {
  return choice !== null && choice !== 'auto' && choice !== 'none';
}

/** The names of the tools that were called so far, each once. */
function calledNames({ messages }: PlainCall): string[] {
  const names = messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.parts.flatMap((part) => (part.type === 'tool_call' ? toolName(part.name) : []))
      : [],
  );
  return [...new Set(names)];
}

const FINISHED = 'Used earlier in this conversation and not available now. Do not call it. Answer with text.';

function writeFinishedTool(name: string): object {
  return { toolSpec: { name, description: FINISHED, inputSchema: { json: { type: 'object' } } } };
}

const NAME_CHARACTERS_MAX = 64;

/** A history may have names of other providers, with characters that Converse rejects. */
export function toolName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, NAME_CHARACTERS_MAX) || '_';
}

const NO_PARAMETERS = { properties: {} };

function writeTool({ name, description, parameters, strict }: Tool, { structured }: ToolRules): object {
  // Some callers leave the type out, as OpenAI lets them.
  const schema = { type: 'object', ...(parameters ?? NO_PARAMETERS) };
  const holds = strict === true && structured;
  return {
    toolSpec: {
      name: toolName(name),
      // Blank descriptions are rejected.
      ...withoutNulls({ description: (description ?? '').trim() === '' ? null : description }),
      inputSchema: { json: holds ? writeSchema(schema, 'tools') : schema },
      ...(holds && { strict }),
    },
  };
}

function writeToolChoice(choice: ToolChoice): object {
  if (typeof choice === 'object') return { tool: { name: toolName(choice.name) } };
  return choice === 'required' ? { any: {} } : { auto: {} };
}
