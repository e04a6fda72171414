/** Reads the tools on offer and how they may be chosen. */
import type { Prompt, Tool } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import type { Betas } from './read-betas.ts';
import { checkString } from './read-blocks.ts';
import { checkSchema } from './read-format.ts';
import { checkFields, invalid, required, shouldBe } from './refusals.ts';

const TOOL_FIELDS = new Set(
  'type name description input_schema cache_control strict eager_input_streaming'.split(' '),
);
const DEFERRABLE_FIELDS = new Set([...TOOL_FIELDS, 'defer_loading']);
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
/** Anthropic runs these itself: `web_search_20250305`. The simulator takes them and never calls them. */
const SERVER_TOOL = /^\w+_\d{8}$/;
const CHOICE_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  auto: new Set(['type', 'disable_parallel_tool_use']),
  any: new Set(['type', 'disable_parallel_tool_use']),
  tool: new Set(['type', 'name', 'disable_parallel_tool_use']),
  none: new Set(['type']),
};

/** The tools that the model sees: of deferred ones those that a search has loaded. */
export function readTools(
  value: unknown,
  { betas, loaded }: { betas: Betas; loaded: ReadonlySet<string> },
): readonly Tool[] {
  if (value == null) return [];
  if (!Array.isArray(value)) throw shouldBe('tools', 'a valid list');
  const names = new Set<string>();
  return value.flatMap((given, index) => {
    const tool = record(given);
    if (tool === null)
      throw shouldBe(`tools.${index}`, 'a valid dictionary or object to extract fields from');
    if (typeof tool.type === 'string' && SERVER_TOOL.test(tool.type)) return [];
    const read = readTool(tool, `tools.${index}.custom`, betas);
    if (names.has(read.name)) throw invalid('tools: Tool names must be unique.');
    names.add(read.name);
    return tool.defer_loading === true && !loaded.has(read.name) ? [] : [read];
  });
}

function readTool(tool: Json, at: string, betas: Betas): Tool {
  if (tool.type != null && tool.type !== 'custom') {
    throw invalid(
      `${at}: Input tag '${tool.type}' found using 'type' does not match any of the expected tags`,
    );
  }
  checkFields(tool, betas.deferredTools ? DEFERRABLE_FIELDS : TOOL_FIELDS, at);
  checkString(tool, 'name', at);
  if (!NAME.test(tool.name as string)) {
    throw invalid(`${at}.name: String should match pattern '${NAME.source}'`);
  }
  if (tool.description != null) checkString(tool, 'description', at);
  const schema = record(tool.input_schema);
  if (tool.input_schema === undefined) throw required(`${at}.input_schema`);
  if (schema === null) throw shouldBe(`${at}.input_schema`, 'a valid dictionary');
  if (schema.type === undefined) throw required(`${at}.input_schema.type`);
  if (schema.type !== 'object') throw shouldBe(`${at}.input_schema.type`, "'object'");
  if ('oneOf' in schema || 'anyOf' in schema || 'allOf' in schema) {
    throw invalid(
      `${at}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
    );
  }
  if (tool.strict === true) checkSchema(schema, `${at}.input_schema`);
  return { name: tool.name as string, description: String(tool.description ?? ''), schema };
}

export function readToolChoice(
  value: unknown,
  tools: readonly Tool[],
): Pick<Prompt, 'toolChoice' | 'parallelTools'> {
  if (value == null) return { toolChoice: 'auto', parallelTools: true };
  const choice = record(value);
  if (choice === null) throw shouldBe('tool_choice', 'a valid dictionary or object to extract fields from');
  const type = String(choice.type);
  const known = Object.hasOwn(CHOICE_FIELDS, type) ? CHOICE_FIELDS[type] : undefined;
  if (known === undefined) {
    throw invalid(
      `tool_choice: Input tag '${type}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`,
    );
  }
  checkFields(choice, known, `tool_choice.${type}`);
  if (tools.length === 0) throw invalid(`tool_choice.${type} may only be specified while providing tools`);
  const parallelTools = choice.disable_parallel_tool_use !== true;
  if (type === 'auto' || type === 'none') return { toolChoice: type, parallelTools };
  if (type === 'any') return { toolChoice: 'required', parallelTools };
  checkString(choice, 'name', 'tool_choice.tool');
  const name = choice.name as string;
  if (tools.some((tool) => tool.name === name)) return { toolChoice: { name }, parallelTools };
  throw invalid(`Tool '${name}' not found in provided tools`);
}
