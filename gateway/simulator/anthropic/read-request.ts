/** Reads a Messages request into a neutral prompt. */
import { type ModelTraits, traitsOf } from '../brain/models.ts';
import type { Prompt } from '../brain/prompt.ts';
import { oneHeader } from '../dialect.ts';
import { type Json, record } from '../json.ts';
import type { RequestHead } from '../script.ts';
import { type ModelRules, rulesOf } from './model-rules.ts';
import { type Betas, readBetas } from './read-betas.ts';
import { readFormat } from './read-format.ts';
import { loadedTools, readSystem, readTurns } from './read-messages.ts';
import { readThinking, type Thinking } from './read-thinking.ts';
import { readToolChoice, readTools } from './read-tools.ts';
import {
  checkFields,
  invalid,
  missingVersion,
  notJson,
  required,
  shouldBe,
  unknownModel,
} from './refusals.ts';

export interface MessagesRequest {
  readonly prompt: Prompt;
  readonly stream: boolean;
  readonly thinking: Thinking;
}

const COUNTED = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config'];
const COUNT_FIELDS = new Set([...COUNTED, 'cache_control']);
const FIELDS = new Set([
  ...COUNT_FIELDS,
  ...'max_tokens metadata stop_sequences stream temperature top_p top_k service_tier inference_geo'.split(
    ' ',
  ),
]);
const CONTEXT_FIELDS = new Set(['edits']);
const METADATA_FIELDS = new Set(['user_id']);
const OUTPUT_FIELDS = new Set(['effort', 'format']);
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];
const USER_CHARACTERS_MAX = 256;
const OUTPUT_TOKENS_MAX = 128_000;

export function readMessages(given: unknown, request: RequestHead): MessagesRequest {
  const head = readHead(given, request, FIELDS);
  const { body, model, rules } = head;
  const outputTokensMax = readCap(body.max_tokens, model);
  const thinking = readThinking(body, head, outputTokensMax);
  checkSampling(body, thinking.on, rules);
  if (body.stream != null && typeof body.stream !== 'boolean') throw shouldBe('stream', 'a valid boolean');
  checkMetadata(body.metadata);
  const prompt = {
    ...readPrompt(head, thinking),
    stop: readStop(body.stop_sequences),
    outputTokensMax,
  };
  return { prompt, stream: body.stream === true, thinking };
}

export function readCountRequest(given: unknown, request: RequestHead): Prompt {
  const head = readHead(given, request, COUNT_FIELDS);
  return readPrompt(head, readThinking(head.body, head, null));
}

interface Head {
  readonly body: Json;
  readonly model: string;
  readonly traits: ModelTraits;
  readonly rules: ModelRules;
  readonly betas: Betas;
}

function admitted(fields: ReadonlySet<string>, betas: Betas): ReadonlySet<string> {
  return new Set([
    ...fields,
    ...(betas.olderFormat ? ['output_format'] : []),
    ...(betas.contextManagement ? ['context_management'] : []),
  ]);
}

function readHead(given: unknown, request: RequestHead, fields: ReadonlySet<string>): Head {
  if (oneHeader(request.headers, 'anthropic-version') === null) throw missingVersion();
  const body = record(given);
  if (body === null) throw notJson();
  const betas = readBetas(oneHeader(request.headers, 'anthropic-beta'));
  checkFields(body, admitted(fields, betas), '');
  const { model } = body;
  if (model === undefined) throw required('model');
  if (typeof model !== 'string') throw shouldBe('model', 'a valid string');
  const traits = traitsOf(model);
  // Anthropic's models do not draw.
  if (traits === null || !traits.chats || traits.drawsImages) throw unknownModel(model);
  return { body, model, traits, rules: rulesOf(model, traits), betas };
}

function readPrompt({ body, model, traits, rules, betas }: Head, thinking: Thinking): Prompt {
  checkContextManagement(body.context_management);
  const options = { traits, betas, thinkingBlocksRequired: thinking.blocksRequired, prefill: rules.prefill };
  const turns = readTurns(body.messages, options);
  const tools = readTools(body.tools, { betas, loaded: loadedTools(body.messages) });
  const choice = readToolChoice(body.tool_choice, tools);
  const forced = choice.toolChoice === 'required' || typeof choice.toolChoice === 'object';
  if (forced) checkForced(thinking.on, rules);
  const output = readOutput(body, traits, rules);
  return {
    model,
    turns: [...readSystem(body.system, traits), ...turns],
    tools,
    ...choice,
    format: output.format,
    stop: [],
    outputTokensMax: null,
    answers: 1,
    seed: 0,
    effort: thinking.on ? output.effort : 'none',
    thinksAloud: thinking.shown,
  };
}

function checkForced(thinks: boolean, { forcedTools }: ModelRules): void {
  if (forcedTools === 'never')
    throw invalid('tool_choice: type "tool" and "any" are not supported for this model.');
  if (thinks && forcedTools === 'without thinking')
    throw invalid('Thinking may not be enabled when tool_choice forces tool use.');
}

function readOutput(body: Json, traits: ModelTraits, rules: ModelRules): Pick<Prompt, 'format' | 'effort'> {
  const older = readFormat(body.output_format, 'output_format', traits);
  if (body.output_config == null) return { format: older, effort: null };
  const config = record(body.output_config);
  if (config === null) throw shouldBe('output_config', 'a valid dictionary');
  checkFields(config, OUTPUT_FIELDS, 'output_config');
  const { effort } = config;
  if (effort != null && !EFFORTS.includes(effort as string)) {
    throw shouldBe('output_config.effort', "'low', 'medium', 'high', 'xhigh' or 'max'");
  }
  if (effort != null) checkEffort(effort as string, rules);
  const format = readFormat(config.format, 'output_config.format', traits);
  return { format: format === 'text' ? older : format, effort: (effort as string | undefined) ?? null };
}

function checkEffort(effort: string, { efforts }: ModelRules): void {
  if (efforts.length === 0) throw invalid('This model does not support the effort parameter.');
  if (efforts.includes(effort)) return;
  throw invalid(
    `output_config.effort '${effort}' is not supported by this model. Supported levels: ${efforts.join(', ')}.`,
  );
}

function readCap(value: unknown, model: string): number {
  if (value === undefined) throw required('max_tokens');
  if (typeof value !== 'number' || !Number.isInteger(value)) throw shouldBe('max_tokens', 'a valid integer');
  if (value < 1) throw shouldBe('max_tokens', 'greater than or equal to 1');
  if (value <= OUTPUT_TOKENS_MAX) return value;
  throw invalid(
    `max_tokens: ${value} > ${OUTPUT_TOKENS_MAX}, which is the maximum allowed number of output tokens for ${model}`,
  );
}

function checkSampling(body: Json, thinks: boolean, { sampling }: ModelRules): void {
  for (const name of ['temperature', 'top_p', 'top_k']) {
    const value = body[name];
    if (value == null) continue;
    if (typeof value !== 'number') throw shouldBe(name, 'a valid number');
    if (value < 0) throw shouldBe(name, 'greater than or equal to 0');
    if (value > 1 && name !== 'top_k') throw shouldBe(name, 'less than or equal to 1');
  }
  if (sampling === 'none') {
    checkUnsampled(body);
    return;
  }
  if (body.temperature != null && body.top_p != null && sampling === 'one') {
    throw invalid('`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
  }
  if (!thinks) return;
  if (body.temperature != null && body.temperature !== 1) {
    throw invalid('`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.');
  }
  if (body.top_k != null) {
    throw invalid('`top_k` must be unset when thinking is enabled or in adaptive mode.');
  }
}

/** Of a model that has no such parameters, the default temperature alone is let through. */
function checkUnsampled(body: Json): void {
  const given = ['temperature', 'top_p', 'top_k'].find((name) => body[name] != null);
  if (given === undefined || (given === 'temperature' && body.temperature === 1)) return;
  throw invalid(`\`${given}\` is deprecated for this model.`);
}

function readStop(value: unknown): readonly string[] {
  if (value == null) return [];
  if (!Array.isArray(value)) throw shouldBe('stop_sequences', 'a valid list');
  value.forEach((sequence, index) => {
    if (typeof sequence !== 'string') throw shouldBe(`stop_sequences.${index}`, 'a valid string');
    if (sequence.trim() === '') {
      throw invalid('stop_sequences: each stop sequence must contain non-whitespace');
    }
  });
  return value;
}

/** What the model may forget of the conversation; the simulator's forgets nothing. */
function checkContextManagement(value: unknown): void {
  if (value == null) return;
  const management = record(value);
  if (management === null)
    throw shouldBe('context_management', 'a valid dictionary or object to extract fields from');
  checkFields(management, CONTEXT_FIELDS, 'context_management');
}

function checkMetadata(value: unknown): void {
  if (value == null) return;
  const metadata = record(value);
  if (metadata === null) throw shouldBe('metadata', 'a valid dictionary or object to extract fields from');
  checkFields(metadata, METADATA_FIELDS, 'metadata');
  const { user_id: user } = metadata;
  if (user == null) return;
  if (typeof user !== 'string') throw shouldBe('metadata.user_id', 'a valid string');
  if (user.length > USER_CHARACTERS_MAX) {
    throw invalid(`metadata.user_id: String should have at most ${USER_CHARACTERS_MAX} characters`);
  }
}
