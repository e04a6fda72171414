/** Reads a chat-completions request into a neutral prompt. */
import { type ModelTraits, traitsOf } from '../brain/models.ts';
import { askedIn, type Prompt, type Tool } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { Refusal } from '../refusal.ts';
import { checkRules } from './check-rules.ts';
import { isOff } from './effort-asked.ts';
import { rulesOf } from './model-rules.ts';
import { checkName, readTag } from './read-fields.ts';
import { readTurns } from './read-messages.ts';
import {
  missing,
  notChatModel,
  notJson,
  unknownModel,
  unsupportedFormat,
  unsupportedMaxTokens,
  wrongType,
  wrongValue,
} from './refusals.ts';
import { checkStrictSchema, ofFunction } from './strict-schema.ts';

export interface ChatRequest {
  readonly prompt: Prompt;
  readonly stream: boolean;
  readonly includeUsage: boolean;
}

const ANSWERS_MAX = 128;

export function readChat(given: unknown): ChatRequest {
  const body = record(given);
  if (body === null) throw notJson();
  const model = body.model;
  if (typeof model !== 'string' || model === '') {
    throw new Refusal(400, 'you must provide a model parameter', { param: 'model' });
  }
  const traits = traitsOf(model);
  if (traits === null) throw unknownModel(model);
  if (!traits.chats) throw notChatModel();
  const stream = body.stream === true;
  if (body.stream_options != null && !stream) {
    throw wrongValue(
      'stream_options',
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    );
  }
  readTag(body, 'user');
  readTag(body, 'safety_identifier');
  const rules = rulesOf(model);
  // Others who speak the protocol take any schema.
  const strictly = rules.maker === 'openai';
  const offered = readTools(body.tools, strictly);
  const { choice, tools } = readToolChoice(body.tool_choice, offered);
  const turns = readTurns(body.messages, traits);
  const effort = checkRules({ api: 'chat', model, body, rules });
  const prompt: Prompt = {
    model,
    turns,
    tools,
    toolChoice: choice,
    parallelTools: body.parallel_tool_calls !== false,
    format: readFormat(body.response_format, traits, strictly),
    stop: readStop(body.stop),
    outputTokensMax: readCap(body, traits.classic || rules.olderCap),
    answers: readWhole(body, 'n', ANSWERS_MAX) ?? 1,
    seed: typeof body.seed === 'number' ? body.seed : 0,
    effort: isOff(effort) ? 'none' : effort,
    // OpenAI never shows its reasoning; those who speak its protocol do.
    thinksAloud: askedIn(turns).includes('[[think]]') || rules.maker === 'deepseek',
  };
  return { prompt, stream, includeUsage: record(body.stream_options)?.include_usage === true };
}

function readCap(body: Json, olderTaken: boolean): number | null {
  if (body.max_tokens != null && !olderTaken) throw unsupportedMaxTokens();
  const newer = readWhole(body, 'max_completion_tokens', Number.MAX_SAFE_INTEGER);
  return newer ?? readWhole(body, 'max_tokens', Number.MAX_SAFE_INTEGER);
}

function readWhole(body: Json, name: string, most: number): number | null {
  const value = body[name];
  if (value == null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrongType(name, 'an integer');
  if (value >= 1 && value <= most) return value;
  const bound = value < 1 ? 'below minimum value. Expected a value >= 1' : 'above maximum value';
  const code = value < 1 ? 'integer_below_min_value' : 'integer_above_max_value';
  throw new Refusal(400, `Invalid '${name}': integer ${bound}, but got ${value} instead.`, {
    param: name,
    code,
  });
}

function readStop(value: unknown): readonly string[] {
  if (value == null) return [];
  const sequences = Array.isArray(value) ? value : [value];
  if (!sequences.every((sequence) => typeof sequence === 'string')) {
    throw wrongType('stop', 'a string or an array of strings');
  }
  return sequences;
}

function readTools(value: unknown, strictly: boolean): readonly Tool[] {
  if (value == null) return [];
  if (!Array.isArray(value)) throw wrongType('tools', 'an array of objects');
  return value.map((given, index) => {
    const tool = record(given) ?? {};
    const type = tool.type === 'custom' ? 'custom' : 'function';
    const called = record(tool[type]);
    if (typeof called?.name !== 'string') throw missing(`tools[${index}].${type}.name`);
    checkName(called.name, `tools[${index}].${type}.name`);
    if (called.strict === true && strictly)
      checkStrictSchema(called.parameters, ofFunction(called.name, `tools[${index}].function.parameters`));
    const named = { name: called.name, description: String(called.description ?? '') };
    return type === 'custom'
      ? { ...named, schema: undefined, takesText: true }
      : { ...named, schema: called.parameters };
  });
}

/** The choice, and the tools that it leaves. */
function readToolChoice(
  value: unknown,
  tools: readonly Tool[],
): { choice: Prompt['toolChoice']; tools: readonly Tool[] } {
  if (value == null) return { choice: 'auto', tools };
  if (tools.length === 0) {
    throw new Refusal(400, "'tool_choice' is only allowed when 'tools' are specified.", {
      param: 'tool_choice',
    });
  }
  if (value === 'auto' || value === 'none' || value === 'required') return { choice: value, tools };
  const asked = record(value);
  if (asked?.type === 'allowed_tools') return readAllowed(record(asked.allowed_tools), tools);
  const name = nameOf(asked);
  if (typeof name !== 'string')
    throw wrongType('tool_choice', "one of 'none', 'auto', 'required', or an object");
  checkOffered(name, tools);
  return { choice: { name }, tools };
}

function readAllowed(
  allowed: Json | null,
  tools: readonly Tool[],
): { choice: Prompt['toolChoice']; tools: readonly Tool[] } {
  const mode = allowed?.mode;
  if (mode !== 'auto' && mode !== 'required') {
    throw wrongValue(
      'tool_choice.allowed_tools.mode',
      "Invalid value. Supported values are: 'auto' and 'required'.",
    );
  }
  if (!Array.isArray(allowed?.tools)) throw missing('tool_choice.allowed_tools.tools');
  const names = allowed.tools.map((given) => String(nameOf(record(given))));
  for (const name of names) checkOffered(name, tools);
  return { choice: mode, tools: tools.filter(({ name }) => names.includes(name)) };
}

function nameOf(tool: Json | null): unknown {
  return record(tool?.type === 'custom' ? tool.custom : tool?.function)?.name;
}

function checkOffered(name: string, tools: readonly Tool[]): void {
  if (tools.some((tool) => tool.name === name)) return;
  throw new Refusal(400, "Tool choice 'function' not found in 'tools' parameter.", { param: 'tool_choice' });
}

function readFormat(value: unknown, traits: ModelTraits, strictly: boolean): Prompt['format'] {
  if (value == null) return 'text';
  const format = record(value);
  const type = format?.type;
  if (type === 'text') return 'text';
  if (type !== 'json_object' && type !== 'json_schema') {
    throw wrongValue(
      'response_format.type',
      `Invalid value: ${JSON.stringify(type)}. Supported values are: 'json_object', 'json_schema', and 'text'.`,
    );
  }
  if (!traits.writesJson) throw unsupportedFormat(type);
  if (type === 'json_object') return 'object';
  const declared = record(format?.json_schema);
  if (declared === null) throw missing('response_format.json_schema');
  if (declared.strict === true && strictly)
    checkStrictSchema(declared.schema, {
      what: `response_format '${declared.name}'`,
      param: 'response_format',
    });
  return { schema: declared.schema ?? {} };
}
