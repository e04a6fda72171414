/** The dialects of the matrix: how each is configured, and what it has no word for. */
import { endpoints } from '../../simulator/endpoints.ts';
import type { Dialect, Vendor } from '../../src/catalog/dialects/dialects.ts';
import type { ProblemCode } from '../../src/kernel/problem-codes.ts';
import { printUnits, type Units } from '../../src/kernel/units.ts';
import type { Format, Question } from './ask.ts';
import type { FeatureName } from './features.ts';
import type { Wire } from './sent.ts';

/** `usual` does all but what others are named for; `plain` only talks, and `silent` does not stream. */
export type ModelKind = 'usual' | 'thinking' | 'drawing' | 'signing' | 'plain' | 'silent';

export interface DialectCase {
  /** Of the dialect, or of the model that is as strict as a real one. */
  readonly name: string;
  readonly dialect: Dialect;
  readonly vendor?: Vendor;
  readonly baseUrl: string;
  readonly region?: string;
  /** The protocol in which a call of each format reaches the provider. */
  readonly wires: Readonly<Record<Format, Wire>>;
  /** The provider's models. */
  readonly models: Readonly<Partial<Record<ModelKind, string>>>;
  /** Absent: its models take what any model of the provider takes. */
  readonly strict?: Strictness;
}

/** What a model takes, as its provider documents it. */
export interface Strictness {
  /** `always`: cannot be switched off. `unasked`: unless it is switched off. `asked`: only if it is switched on. */
  readonly thinks: 'always' | 'unasked' | 'asked';
  /** It shows its thoughts without being asked. */
  readonly aloud?: true;
  /** Whether it takes a temperature, top_p and top_k. */
  readonly samples: boolean;
  /** Callers of messages ask it to think in the adaptive form. */
  readonly adaptive?: true;
  /** Calls with tools reach it through the responses API. */
  readonly toolsByResponses?: true;
  /** What is refused here and not elsewhere, by the gateway and by the provider, and what works here alone. */
  readonly refused?: Refused;
  readonly refusedByProvider?: Readonly<Partial<Record<FeatureName, Theirs>>>;
  readonly works?: readonly FeatureName[];
  /** What the provider does not offer with it; a catalogue says so, and other tests do. */
  readonly without?: readonly FeatureName[];
}

type Theirs = Readonly<Partial<Record<Format, string | null>>>;

const named = (dialect: Dialect) => ({ name: dialect, dialect });
export const everywhere = (wire: Wire): Record<Format, Wire> => ({
  chat: wire,
  responses: wire,
  messages: wire,
});
const usualModels = { usual: 'sim-chat', thinking: 'sim-chat', plain: 'sim-chat', silent: 'sim-chat' };
const openaiModels = { ...usualModels, drawing: 'sim-image-chat' };

export const dialectCases: readonly DialectCase[] = [
  {
    ...named('openai'),
    baseUrl: 'SIMULATOR',
    wires: { chat: 'chat', responses: 'responses', messages: 'chat' },
    models: openaiModels,
  },
  {
    ...named('openai-compatible'),
    baseUrl: 'SIMULATOR',
    wires: everywhere('chat'),
    // The older models take the cap in the field that such servers know.
    models: { ...openaiModels, usual: 'sim-chat-classic' },
  },
  {
    ...named('openai-responses'),
    baseUrl: 'SIMULATOR',
    wires: everywhere('responses'),
    models: openaiModels,
  },
  {
    ...named('azure-openai'),
    baseUrl: 'SIMULATOR_ORIGIN/openai/v1',
    wires: { chat: 'chat', responses: 'responses', messages: 'chat' },
    models: openaiModels,
  },
  {
    ...named('anthropic'),
    baseUrl: 'SIMULATOR_ORIGIN',
    wires: everywhere('messages'),
    models: usualModels,
  },
  {
    ...named('google'),
    baseUrl: 'SIMULATOR_ORIGIN/v1beta',
    wires: everywhere('google'),
    models: { ...usualModels, drawing: 'sim-image-chat', signing: 'sim-signed-calls' },
  },
  {
    ...named('bedrock'),
    baseUrl: 'SIMULATOR_ORIGIN',
    region: 'us-east-1',
    wires: everywhere('bedrock'),
    models: {
      ...usualModels,
      usual: 'sim-us.anthropic.claude-sonnet-4-5-v1:0',
      thinking: 'sim-us.anthropic.claude-sonnet-4-5-v1:0',
    },
  },
];

/** Whether the simulator can be asked in a protocol; refusals can be tried without. */
export function isSimulated(wire: Wire): boolean {
  return wire !== 'bedrock' || endpoints.some(({ path }) => path.includes('/converse'));
}

/** Whether it is a Claude model, which is as strict on Bedrock as at home. */
export function isClaude({ dialect, models }: DialectCase): boolean {
  return dialect === 'anthropic' || models.usual?.includes('anthropic.claude') === true;
}

export function modelCode(dialect: DialectCase, kind: ModelKind = 'usual'): string {
  return `${dialect.name}-${kind}`;
}

function capabilitiesOf(kind: string, dialect: DialectCase): string {
  if (kind === 'silent') return '';
  if (kind === 'plain') return 'streaming';
  const schemas = takesSchemas(dialect) ? 'json_schema, ' : '';
  return `vision, tools, json_mode, ${schemas}streaming${kind === 'drawing' ? ', image_output' : ''}`;
}

/** Bedrock takes no schemas for some models that take them at home. */
export function takesSchemas({ strict }: DialectCase): boolean {
  return strict?.without?.includes('JSON that fits a schema') !== true;
}

/** By the prices of every model of the matrix, in whole millionths of a millionth. */
export function costOf(tokens: { input: number; cached: number; written: number; output: number }): string {
  const [input, cached, written, output] = [tokens.input, tokens.cached, tokens.written, tokens.output];
  const sum =
    BigInt(input) * 2_500_000n +
    BigInt(cached) * 250_000n +
    BigInt(written) * 3_125_000n +
    BigInt(output) * 10_000_000n;
  return printUnits(sum as Units);
}

export function matrixConfig(dialects: readonly DialectCase[] = dialectCases): string {
  const providers = dialects.map(({ name, dialect, vendor, baseUrl, region }) => {
    const place = region === undefined ? '' : `, region: ${region}`;
    const server = vendor === undefined ? '' : `, vendor: ${vendor}`;
    return `  ${name}: { dialect: ${dialect}${server}, base_url: ${baseUrl}, api_key: simulator-key${place}, simulated: true }`;
  });
  const models = dialects.flatMap((dialect) =>
    Object.entries(dialect.models).map(([kind, model]) => {
      const code = modelCode(dialect, kind as ModelKind);
      // The newer models of the simulator want the newer field, whichever dialect they are called with.
      const cap = kind === 'usual' || dialect.strict ? '' : 'output_cap_field: max_completion_tokens, ';
      // What is drawn is paid for by its tokens.
      const drawn = kind === 'drawing' ? ', image_generation: 0' : '';
      return {
        entry: `  ${code}: { ${cap}capabilities: [${capabilitiesOf(kind, dialect)}], routes: [{ provider: ${dialect.name}, model: ${model} }] }`,
        price: `    ${code}: { input: 2.5, cached_input: 0.25, cache_write: 3.125, output: 10, tools: { web_search: 10${drawn} } }`,
      };
    }),
  );
  return `
server: { fetch_allow: [example.com] }
providers:
${providers.join('\n')}
models:
${models.map(({ entry }) => entry).join('\n')}
prices:
  version: matrix-1
  models:
${models.map(({ price }) => price).join('\n')}
`;
}

/**
 * A refusal that a cell has to end in. Ours names the field as the caller's format does, and nothing
 * is sent; the provider's own is passed on to callers who speak its protocol.
 */
export interface DeclaredRefusal {
  readonly by: 'gateway' | 'provider';
  readonly code: ProblemCode;
  readonly param: string | null;
}

/** The protocol in which a question reaches the provider. */
export function wireOf({ wires, strict }: DialectCase, format: Format, question: Question): Wire {
  const tools = question.tools ?? question.more?.tools;
  return strict?.toolsByResponses && tools !== undefined ? 'responses' : wires[format];
}

/** The name that each format has for what is refused. */
export type Names = Readonly<Partial<Record<Format, string>>>;
export type Refused = Readonly<Partial<Record<FeatureName, Names>>>;

export const inAll = (name: string): Names => ({ chat: name, responses: name, messages: name });
const images: Names = { chat: 'messages', responses: 'input', messages: 'messages' };
export const jsonFormat: Names = {
  chat: 'response_format',
  responses: 'text.format',
  messages: 'output_config.format',
};
export const oneAtATime: Names = {
  ...{ chat: 'parallel_tool_calls', responses: 'parallel_tool_calls' },
  messages: 'tool_choice.disable_parallel_tool_use',
};
const verbosity: Names = { chat: 'verbosity', responses: 'text.verbosity' };
const stops: Names = { chat: 'stop', messages: 'stop_sequences' };
/** The arguments of an earlier call have to be an object. */
const cutArguments: Refused = {
  'arguments of an earlier call that are not JSON': {
    chat: 'messages[1].tool_calls[0].function.arguments',
    responses: 'input[1].arguments',
  },
};
const ofChat: Refused = {
  'two answers': { chat: 'n' },
  seed: { chat: 'seed' },
  penalties: { chat: 'frequency_penalty', responses: 'frequency_penalty' },
};

/** What a protocol has no word for; a format that is relayed is not looked into. */
const refused: Readonly<Record<Wire, Refused>> = {
  chat: {
    top_k: inAll('top_k'),
    'six stop sequences': stops,
  },
  responses: {
    ...ofChat,
    'a stop sequence': stops,
    'six stop sequences': stops,
    'one stop sequence as a text': stops,
    top_k: inAll('top_k'),
  },
  messages: {
    ...ofChat,
    ...cutArguments,
    'a JSON object': jsonFormat,
    'a JSON object, by the field of chat': jsonFormat,
    'a temperature above one': inAll('temperature'),
    verbosity,
  },
  google: {
    ...cutArguments,
    verbosity,
    'six stop sequences': stops,
    'tools one at a time': oneAtATime,
  },
  bedrock: {
    ...ofChat,
    ...cutArguments,
    'a JSON object': jsonFormat,
    'a JSON object, by the field of chat': jsonFormat,
    verbosity,
    'a temperature above one': inAll('temperature'),
  },
};

/** What the catalogue does not say a model can do. */
const refusedByCatalogue: Readonly<Partial<Record<FeatureName, { code: ProblemCode; names: Names }>>> = {
  // Messages have no place for it, so the model is not offered there.
  'an image in the answer': { code: 'model_not_found', names: { messages: 'model' } },
  'an image, to a model that sees none': { code: 'vision_not_supported', names: images },
  'a tool, to a model that calls none': { code: 'tools_not_supported', names: inAll('tools') },
  'a JSON object, of a model that writes none': { code: 'response_format_not_supported', names: jsonFormat },
  'a schema, to a model that knows none': { code: 'response_format_not_supported', names: jsonFormat },
  'a stream, of a model that has none': { code: 'streaming_not_supported', names: inAll('stream') },
};

/** Fields that only one format knows have no place in any other. */
const refusedElsewhere: Refused = {
  'a field of the format alone': { chat: 'logit_bias', responses: 'top_logprobs', messages: 'inference_geo' },
  'a field that nobody knows': inAll('x_made_up'),
  'a search of the web that is demanded': { responses: 'tool_choice' },
};

/** What providers themselves turn down. A null is a refusal that names no single field. */
const refusedByProvider: Readonly<
  Partial<Record<Wire, Partial<Record<FeatureName, Partial<Record<Format, string | null>>>>>>
> = {
  chat: { 'a long name of the end user': { chat: 'user' } },
  responses: {
    'a field that nobody knows': { responses: 'x_made_up' },
    'a long name of the end user': { responses: 'user' },
  },
  messages: {
    'a field that nobody knows': { messages: 'x_made_up' },
    // It depends on the model, so only the provider can know.
    'temperature and top_p': { messages: 'temperature' },
    // Callers of its own format know its schemas, or their SDK does.
    'JSON that fits a schema with bounds': { messages: 'output_config.format.schema' },
    'a tool that must be called, and thoughts': { messages: 'tool_choice' },
    'an assistant who speaks first': { messages: 'messages' },
    'a system message alone': { messages: 'messages' },
    'blank texts': { messages: 'messages[1]' },
    'an effort and a temperature': { messages: 'temperature' },
  },
};

export function declaredRefusal(
  format: Format,
  dialect: DialectCase,
  name: FeatureName,
): DeclaredRefusal | null {
  const wire = dialect.wires[format];
  const lacking = refusedByCatalogue[name];
  const lacked = lacking?.names[format];
  if (lacking !== undefined && lacked !== undefined) {
    return { by: 'gateway', code: lacking.code, param: lacked };
  }
  const code = 'invalid_parameter';
  const { strict } = dialect;
  const theirs = theirRefusal(strict, { wire, format, name });
  const strictly = strict?.refused?.[name]?.[format];
  if (strictly !== undefined) return { by: 'gateway', code, param: strictly };
  if (strict?.works?.includes(name)) return null;
  if (theirs !== undefined) return { by: 'provider', code, param: theirs };
  const ours = refused[wire][name]?.[format] ?? refusedElsewhere[name]?.[format];
  return ours === undefined || wire === format ? null : { by: 'gateway', code, param: ours };
}

function theirRefusal(
  strict: Strictness | undefined,
  { wire, format, name }: { wire: Wire; format: Format; name: FeatureName },
): string | null | undefined {
  const own = strict?.refusedByProvider?.[name];
  return own !== undefined && format in own ? own[format] : refusedByProvider[wire]?.[name]?.[format];
}
