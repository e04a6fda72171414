/** Reads a Converse request into a neutral prompt. */
import { type ModelTraits, traitsOf } from '../brain/models.ts';
import type { Prompt, Turn } from '../brain/prompt.ts';
import { record } from '../json.ts';
import { isCachePoint } from './cache-points.ts';
import { type Maker, makerOf } from './makers.ts';
import { readAdditional } from './read-additional.ts';
import { readFormat } from './read-format.ts';
import { readConversation, turnsOf } from './read-messages.ts';
import { readToolChoice, readTools } from './read-tools.ts';
import { checkFields, invalid, unknownModel, unmet } from './refusals.ts';

const FIELDS = new Set([
  ...['messages', 'system', 'inferenceConfig', 'toolConfig', 'guardrailConfig', 'promptVariables'],
  ...['additionalModelRequestFields', 'additionalModelResponseFieldPaths', 'requestMetadata'],
  ...['performanceConfig', 'serviceTier', 'outputConfig'],
]);
const CONFIG_FIELDS = new Set(['maxTokens', 'temperature', 'topP', 'stopSequences']);
const TIERS = ['priority', 'default', 'flex', 'reserved'];

export interface ConversePrompt extends Prompt {
  readonly tier: string | null;
  /** Whether the answer names the sequence that stopped it. */
  readonly namesStop: boolean;
}

export function readConverse(given: unknown, model: string): ConversePrompt {
  const traits = readModel(model);
  const maker = makerOf(model);
  const body = record(given);
  if (body === null) throw invalid('The body is not valid JSON.');
  checkFields(body, FIELDS, '');
  const tools = readTools(body.toolConfig, maker);
  const messages = readConversation(body.messages, { traits, maker, tools });
  const config = readConfig(body.inferenceConfig);
  const toolChoice = readToolChoice(record(body.toolConfig)?.toolChoice, tools);
  const additional = readAdditional(body, { model, maker, messages });
  return {
    model,
    turns: [...readSystem(body.system, maker), ...messages.flatMap(turnsOf)],
    tools,
    toolChoice,
    format: readFormat(body.outputConfig, { maker, writesJson: traits.writesJson }),
    ...config,
    answers: 1,
    seed: 0,
    ...additional,
    tier: readTier(body.serviceTier),
    namesStop: namesStop(body.additionalModelResponseFieldPaths, maker),
  };
}

/** Its models do not draw. */
function readModel(model: string): ModelTraits {
  const traits = traitsOf(model);
  if (traits === null || !traits.chats || traits.drawsImages) throw unknownModel();
  return traits;
}

function readSystem(value: unknown, maker: Maker): Turn[] {
  if (value === undefined) return [];
  const given = Array.isArray(value) ? value.map(record) : [];
  const blocks = given.filter((block) => !isCachePoint(block, maker));
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
      throw unmet(`inferenceConfig.${name}`, 'Member must have value less than or equal to 1');
    }
  }
  const { maxTokens = null, stopSequences = [] } = config;
  if (maxTokens !== null && !(Number.isInteger(maxTokens) && (maxTokens as number) >= 1)) {
    throw unmet('inferenceConfig.maxTokens', 'Member must have value greater than or equal to 1');
  }
  const texts = Array.isArray(stopSequences) && stopSequences.every(isFilled);
  if (!texts) {
    throw unmet('inferenceConfig.stopSequences', 'Member must have length greater than or equal to 1');
  }
  return { outputTokensMax: maxTokens as number | null, stop: stopSequences as string[] };
}

function isFilled(text: unknown): boolean {
  return typeof text === 'string' && text !== '';
}

function readTier(value: unknown): string | null {
  if (value === undefined) return null;
  const type = record(value)?.type;
  if (typeof type === 'string' && TIERS.includes(type)) return type;
  throw unmet('serviceTier.type', `Member must satisfy enum value set: [${TIERS.join(', ')}]`);
}

/** A field that is not in the answer is not an error. */
function namesStop(value: unknown, { name }: Maker): boolean {
  if (value === undefined) return false;
  const paths = Array.isArray(value) ? value : [];
  if (paths.length === 0 || !paths.every((path) => typeof path === 'string' && path.startsWith('/'))) {
    throw invalid('The value at additionalModelResponseFieldPaths must be a list of JSON Pointers.');
  }
  return name === 'anthropic' && paths.some((path) => String(path).endsWith('/stop_sequence'));
}
