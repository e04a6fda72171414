/** Reads a Converse request into a neutral prompt. */
import { type ModelTraits, traitsOf } from '../brain/models.ts';
import type { Prompt, Tool, Turn } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { isCachePoint, readTurns } from './read-messages.ts';
import { checkFields, invalid, unknownModel } from './refusals.ts';

const FIELDS = new Set(['messages', 'system', 'inferenceConfig', 'toolConfig']);
const CONFIG_FIELDS = new Set(['maxTokens', 'temperature', 'topP', 'stopSequences']);
const TOOL_CONFIG_FIELDS = new Set(['tools', 'toolChoice']);
const SPEC_FIELDS = new Set(['name', 'description', 'inputSchema']);
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export function readConverse(given: unknown, model: string): Prompt {
  const traits = readModel(model);
  const body = record(given);
  if (body === null) throw invalid('The body is not valid JSON.');
  checkFields(body, FIELDS, '');
  const tools = readTools(body.toolConfig);
  const config = readConfig(body.inferenceConfig);
  return {
    model,
    turns: [...readSystem(body.system), ...readTurns(body.messages, { traits, tools })],
    tools,
    toolChoice: readToolChoice(record(body.toolConfig)?.toolChoice, tools),
    parallelTools: true,
    format: 'text',
    ...config,
    answers: 1,
    seed: 0,
    // Thinking is asked for in ways of each model's own.
    effort: 'none',
    thinksAloud: false,
  };
}

/** Its models do not draw. */
function readModel(model: string): ModelTraits {
  const traits = traitsOf(model);
  if (traits === null || !traits.chats || traits.drawsImages) throw unknownModel();
  return traits;
}

function readSystem(value: unknown): Turn[] {
  if (value === undefined) return [];
  const given = Array.isArray(value) ? value.map(record) : [];
  const blocks = given.filter((block) => !isCachePoint(block));
  const texts = blocks.map((block, index) => {
    if (typeof block?.text !== 'string' || block.text.trim() === '') {
      throw invalid(
        `The text field in the SystemContentBlock object at system.${index} is blank. Add text to the text field, and try again.`,
      );
    }
    return block.text;
  });
  return [{ role: 'system', text: texts.join('\n'), images: [], toolCalls: [] }];
}

function readConfig(value: unknown): Pick<Prompt, 'stop' | 'outputTokensMax'> {
  const config = value === undefined ? {} : record(value);
  if (config === null) throw invalid('inferenceConfig is not an object.');
  checkFields(config, CONFIG_FIELDS, '/inferenceConfig');
  for (const name of ['temperature', 'topP']) {
    const number = config[name];
    if (number !== undefined && !(typeof number === 'number' && number >= 0 && number <= 1)) {
      throw invalid(`The value at inferenceConfig.${name} must be between 0 and 1.`);
    }
  }
  const { maxTokens = null, stopSequences = [] } = config;
  if (maxTokens !== null && !(Number.isInteger(maxTokens) && (maxTokens as number) >= 1)) {
    throw invalid('The value at inferenceConfig.maxTokens must be greater than or equal to 1.');
  }
  const texts = Array.isArray(stopSequences) && stopSequences.every((it) => typeof it === 'string');
  if (!texts) throw invalid('The value at inferenceConfig.stopSequences must be a list of strings.');
  return { outputTokensMax: maxTokens as number | null, stop: stopSequences as string[] };
}

function readTools(value: unknown): readonly Tool[] {
  if (value === undefined) return [];
  const config = record(value);
  if (config === null || !Array.isArray(config.tools) || config.tools.length === 0) {
    throw invalid("1 validation error detected: Value at 'toolConfig.tools' must have length at least 1.");
  }
  checkFields(config, TOOL_CONFIG_FIELDS, '/toolConfig');
  const tools = config.tools.map(record).filter((tool) => !isCachePoint(tool));
  return tools.map((tool, index) => readTool(record(tool?.toolSpec), index));
}

function readTool(spec: Json | null, index: number): Tool {
  const at = `toolConfig.tools.${index}.toolSpec`;
  if (spec === null) throw invalid(`The value at ${at} is missing.`);
  checkFields(spec, SPEC_FIELDS, `/${at}`);
  const { name, description } = spec;
  if (typeof name !== 'string' || !NAME.test(name)) throw invalid(`The value at ${at}.name is not valid.`);
  const schema = record(record(spec.inputSchema)?.json);
  if (schema?.type !== 'object') {
    throw invalid(`The value at ${at}.inputSchema.json.type must be one of the following: object.`);
  }
  return { name, description: typeof description === 'string' ? description : '', schema };
}

function readToolChoice(value: unknown, tools: readonly Tool[]): Prompt['toolChoice'] {
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
