/** Reads what a Responses request offers and demands: tools, the choice among them, the text's form. */
import { models } from '../brain/models.ts';
import type { Prompt, Tool } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { checkName } from './read-fields.ts';
import { missing, wrongType } from './refusals.ts';
import { hostedToolUnsupported, toolNotOffered, unsupportedValue } from './responses-refusals.ts';
import { checkStrictSchema, ofFunction } from './strict-schema.ts';

export interface OfferedTools {
  readonly functions: readonly Tool[];
  readonly webSearch: boolean;
  /** As the reply repeats them, with every default filled in. */
  readonly echo: readonly Json[];
}

const TOOL_TYPES = ['function', 'custom', 'namespace', 'web_search'];
const CHOICES = ['none', 'auto', 'required'];
const FORMATS = ['text', 'json_object', 'json_schema'];

export function readTools(given: unknown, model: string): OfferedTools {
  if (given == null) return { functions: [], webSearch: false, echo: [] };
  if (!Array.isArray(given)) throw wrongType('tools', 'an array of objects');
  const functions: Tool[] = [];
  const echo: Json[] = [];
  let webSearch = false;
  given.forEach((one, index) => {
    const tool = record(one) ?? {};
    if (tool.type === 'function') {
      functions.push(readFunction(tool, `tools[${index}]`));
      echo.push(echoFunction(tool));
    } else if (tool.type === 'custom') {
      functions.push(readCustom(tool, `tools[${index}]`));
      echo.push({ ...tool, format: tool.format ?? { type: 'text' } });
    } else if (tool.type === 'namespace') {
      functions.push(...readNamespace(tool, `tools[${index}]`));
      echo.push(tool);
    } else if (tool.type === 'web_search') {
      if (!searchesTheWeb(model)) throw hostedToolUnsupported('web_search', model);
      webSearch = true;
      echo.push(echoWebSearch(tool));
    } else if (tool.type === undefined) throw missing(`tools[${index}].type`);
    else throw unsupportedValue(`tools[${index}].type`, tool.type, TOOL_TYPES);
  });
  return { functions, webSearch, echo };
}

/** The research models, and `sim-chat` by whatever name. */
function searchesTheWeb(model: string): boolean {
  return model === 'sim-chat' || model.startsWith('sim-research-') || !Object.hasOwn(models, model);
}

/** Functions under one name; calls of them tell both names. */
function readNamespace(tool: Json, at: string): Tool[] {
  const namespace = readName(tool.name, `${at}.name`);
  if (typeof tool.description !== 'string') throw missing(`${at}.description`);
  if (!Array.isArray(tool.tools)) throw missing(`${at}.tools`);
  return tool.tools.map((given, index) => {
    const inner = record(given) ?? {};
    const here = `${at}.tools[${index}]`;
    if (inner.type === 'custom') return { ...readCustom(inner, here), namespace };
    if (inner.type !== 'function') throw unsupportedValue(`${here}.type`, inner.type, ['function', 'custom']);
    return { ...readFunction(inner, here), namespace };
  });
}

/** A tool that takes a text, of any form or of a grammar. */
function readCustom(tool: Json, at: string): Tool {
  const name = readName(tool.name, `${at}.name`);
  const format = tool.format == null ? { type: 'text' } : record(tool.format);
  if (format?.type === 'grammar') {
    if (typeof format.definition !== 'string') throw missing(`${at}.format.definition`);
    if (format.syntax !== 'lark' && format.syntax !== 'regex')
      throw unsupportedValue(`${at}.format.syntax`, format.syntax, ['lark', 'regex']);
  } else if (format?.type !== 'text') {
    throw unsupportedValue(`${at}.format.type`, format?.type, ['text', 'grammar']);
  }
  return { name, description: String(tool.description ?? ''), schema: undefined, takesText: true };
}

function readFunction(tool: Json, at: string): Tool {
  const name = readName(tool.name, `${at}.name`);
  if (tool.parameters != null && record(tool.parameters) === null) {
    throw wrongType(`${at}.parameters`, 'an object');
  }
  if (tool.strict != null && typeof tool.strict !== 'boolean') throw wrongType(`${at}.strict`, 'a boolean');
  if (tool.strict === true) checkStrictSchema(tool.parameters, ofFunction(name, `${at}.parameters`));
  return { name, description: String(tool.description ?? ''), schema: tool.parameters ?? undefined };
}

/** Unlike chat, the Responses API is strict with functions that do not say. */
function echoFunction(tool: Json): Json {
  const { name, description = null, parameters = null } = tool;
  return { type: 'function', description, name, parameters, strict: tool.strict ?? true };
}

function echoWebSearch(tool: Json): Json {
  const nowhere = { type: 'approximate', city: null, country: null, region: null, timezone: null };
  return {
    type: 'web_search',
    filters: tool.filters ?? null,
    external_web_access: tool.external_web_access ?? true,
    search_context_size: tool.search_context_size ?? 'medium',
    user_location: tool.user_location ?? nowhere,
  };
}

function readName(value: unknown, at: string): string {
  if (value == null) throw missing(at);
  if (typeof value !== 'string') throw wrongType(at, 'a string');
  checkName(value, at);
  return value;
}

/** The choice, and the functions that it leaves. */
export function readToolChoice(
  value: unknown,
  tools: OfferedTools,
): { choice: Prompt['toolChoice']; functions: readonly Tool[] } {
  const { functions } = tools;
  if (value == null) return { choice: 'auto', functions };
  if (typeof value === 'string') {
    if (!CHOICES.includes(value)) throw unsupportedValue('tool_choice', value, CHOICES);
    if (value === 'required' && tools.echo.length === 0) {
      throw unsupportedValue('tool_choice', value, ['none', 'auto']);
    }
    return { choice: value as 'none' | 'auto' | 'required', functions };
  }
  const choice = record(value);
  if (choice === null) throw wrongType('tool_choice', 'one of a string or an object');
  if (choice.type === 'allowed_tools') return readAllowed(choice, functions);
  if (choice.type !== 'function' && choice.type !== 'custom')
    throw unsupportedValue('tool_choice.type', choice.type, ['function', 'custom', 'allowed_tools']);
  return { choice: { name: chosenName(choice, 'tool_choice', functions) }, functions };
}

function readAllowed(
  { mode, tools }: Json,
  functions: readonly Tool[],
): { choice: Prompt['toolChoice']; functions: readonly Tool[] } {
  if (mode !== 'auto' && mode !== 'required')
    throw unsupportedValue('tool_choice.mode', mode, ['auto', 'required']);
  if (!Array.isArray(tools)) throw missing('tool_choice.tools');
  const names = tools.map((given, index) =>
    chosenName(record(given) ?? {}, `tool_choice.tools[${index}]`, functions),
  );
  return { choice: mode, functions: functions.filter(({ name }) => names.includes(name)) };
}

/** What is chosen is on offer, by the same type. */
function chosenName(choice: Json, at: string, functions: readonly Tool[]): string {
  const name = readName(choice.name, `${at}.name`);
  const takesText = choice.type === 'custom';
  if (functions.some((tool) => tool.name === name && (tool.takesText === true) === takesText)) return name;
  throw toolNotOffered(name);
}

export interface TextForm {
  readonly format: Prompt['format'];
  readonly type: string;
  readonly echo: Json;
}

export function readText(given: unknown): TextForm {
  const text = given == null ? {} : record(given);
  if (text === null) throw wrongType('text', 'an object');
  const verbosity = text.verbosity ?? 'medium';
  const asked = text.format == null ? { type: 'text' } : record(text.format);
  if (asked === null) throw wrongType('text.format', 'an object');
  const type = asked.type;
  if (type === 'text' || type === 'json_object') {
    const format = type === 'text' ? 'text' : 'object';
    return { format, type, echo: { format: { type }, verbosity } };
  }
  if (type === undefined) throw missing('text.format.type');
  if (type !== 'json_schema') throw unsupportedValue('text.format.type', type, FORMATS);
  const name = readName(asked.name, 'text.format.name');
  const { schema, strict = false, description = null } = asked;
  if (schema == null) throw missing('text.format.schema');
  if (record(schema) === null) throw wrongType('text.format.schema', 'an object');
  if (strict === true) {
    const place = { what: `response_format '${name}'`, param: 'text.format.schema' };
    checkStrictSchema(schema, { ...place, code: 'invalid_json_schema' });
  }
  return {
    format: { schema },
    type,
    echo: { format: { type, description, name, schema, strict }, verbosity },
  };
}
