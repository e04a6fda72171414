/** Reads the tools of a Converse request, and which of them the model has to call. */
import { checkSchema } from '../anthropic/read-format.ts';
import type { Prompt, Tool } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { Refusal } from '../refusal.ts';
import { isCachePoint } from './cache-points.ts';
import type { Maker } from './makers.ts';
import { checkFields, invalid, modelSays, unmet } from './refusals.ts';

const CONFIG_FIELDS = new Set(['tools', 'toolChoice']);
const SPEC_FIELDS = new Set(['name', 'description', 'inputSchema', 'strict']);
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export function readTools(value: unknown, maker: Maker): readonly Tool[] {
  if (value === undefined) return [];
  const config = record(value);
  const given = Array.isArray(config?.tools) ? config.tools.map(record) : [];
  if (config === null || given.length === 0) {
    throw unmet('toolConfig.tools', 'Member must have length greater than or equal to 1');
  }
  checkFields(config, CONFIG_FIELDS, '/toolConfig');
  const tools = given.flatMap((tool, i) =>
    isCachePoint(tool, maker, true) ? [] : [readTool(record(tool?.toolSpec), i, maker)],
  );
  const twice = tools.find(({ name }, i) => tools.findIndex((tool) => tool.name === name) !== i);
  if (twice === undefined) return tools;
  throw invalid(`The toolConfig.tools field has more than one tool with the name ${twice.name}.`);
}

function readTool(spec: Json | null, index: number, maker: Maker): Tool {
  const at = `toolConfig.tools.${index + 1}.member.toolSpec`;
  if (spec === null) throw unmet(at, 'Member must not be null');
  checkFields(spec, SPEC_FIELDS, `/${at}`);
  const { name, description, strict } = spec;
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw unmet(`${at}.name`, 'Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+');
  }
  if (description === '') {
    throw unmet(`${at}.description`, 'Member must have length greater than or equal to 1');
  }
  const schema = record(record(spec.inputSchema)?.json);
  if (schema?.type !== 'object') {
    throw invalid(`The value at ${at}.inputSchema.json.type must be one of the following: object.`);
  }
  if (strict === true) checkStrict(schema, index, maker);
  return { name, description: typeof description === 'string' ? description : '', schema };
}

function checkStrict(schema: Json, index: number, { structured }: Maker): void {
  if (!structured) throw modelSays(`tools.${index}.custom.strict: Extra inputs are not permitted`);
  wordsOfTheModel(() => checkSchema(schema, `tools.${index}.custom.input_schema`));
}

/** What a model finds wrong comes in Bedrock's wrapping. */
export function wordsOfTheModel<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) throw modelSays(error.message);
    throw error;
  }
}

export function readToolChoice(value: unknown, tools: readonly Tool[]): Prompt['toolChoice'] {
  if (value === undefined) return 'auto';
  const [kind, ...more] = Object.keys(record(value) ?? {});
  if (more.length > 0 || !['auto', 'any', 'tool'].includes(kind ?? '')) {
    throw invalid('The value at toolConfig.toolChoice must have just one of auto, any and tool.');
  }
  if (kind !== 'tool') return kind === 'any' ? 'required' : 'auto';
  const name = String(record(record(value)?.tool)?.name);
  if (!tools.some((tool) => tool.name === name)) {
    throw invalid('The toolChoice names a tool that is not in toolConfig.tools.');
  }
  return { name };
}
